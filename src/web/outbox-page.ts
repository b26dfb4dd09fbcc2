import type { PageResponse, PageRoute } from '../api/page-route.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { type Html, html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';

/** A message that the demo captured; `capturedAt` in epoch milliseconds. */
type Captured = { readonly id: string; readonly capturedAt: number };

type OutboxMail = Captured & {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
};

type OutboxText = Captured & { readonly from: string; readonly to: string; readonly text: string };

type OutboxLetter = Captured & {
  readonly letter: { readonly sender: string; readonly address: string; readonly subject: string | undefined };
};

/** The captured messages of each channel; a channel that has a provider is absent. */
export type OutboxChannels = {
  readonly email?: { mails(): readonly OutboxMail[] };
  readonly sms?: { texts(): readonly OutboxText[] };
  readonly letter?: {
    letters(): readonly OutboxLetter[];
    /** The PDF, or why it cannot be printed; undefined for an unknown id. */
    pdfOf(id: string): Promise<Uint8Array | string | undefined>;
  };
};

export const outboxPath = '/outbox';

/**
 * The outbox of the demo: the messages that it did not send, newest first, the HTML of a mail, and the PDF of a letter. It is in
 * memory, so a restart deletes them.
 */
export function outboxPages(channels: OutboxChannels, demo?: DemoMark): readonly PageRoute[] {
  if (Object.keys(channels).length === 0) return [];
  return [
    { path: outboxPath, get: async () => listPage(channels, demo) },
    { path: `${outboxPath}/mails/:id`, get: async ({ id = '' }) => mailHtml(channels, id) },
    { path: `${outboxPath}/letters/:id`, get: async ({ id = '' }) => await letterPdf(channels, id) },
  ];
}

function listPage({ email, sms, letter }: OutboxChannels, demo: DemoMark | undefined): PageResponse {
  const messages = [
    ...(email?.mails() ?? []).map((one) => ({ ...one, shown: mailArticle(one) })),
    ...(sms?.texts() ?? []).map((one) => ({ ...one, shown: textArticle(one) })),
    ...(letter?.letters() ?? []).map((one) => ({ ...one, shown: letterArticle(one) })),
  ].toSorted((one, other) => other.capturedAt - one.capturedAt);
  const page = apiPage(
    'Outbox',
    html`<p>Messages that this demo would have sent: ${messages.length}, newest first. They are kept in memory only.</p>
      ${messages.map(({ shown }) => shown)}`,
    { demo },
  );
  const policy = `${page.headers['content-security-policy']}; frame-src 'self'`;
  return { ...page, headers: { ...page.headers, 'content-security-policy': policy } };
}

function mailArticle({ id, from, to, subject, text, html: rich, headers, capturedAt }: OutboxMail): Html {
  const replyTo = headers['Reply-To'];
  const plain = html`<p class="mail" dir="auto">${withLinks(text)}</p>`;
  return html`<article>
      <h2><bdi>${subject}</bdi></h2>
      <dl class="summary">
        <dt>Channel</dt><dd>Email</dd>
        <dt>From</dt><dd><bdi>${from.name}</bdi> &lt;<bdi>${from.address}</bdi>&gt;</dd>
        <dt>To</dt><dd><bdi>${to}</bdi></dd>
        ${replyTo === undefined ? '' : html`<dt>Reply-To</dt><dd><bdi>${replyTo}</bdi></dd>`}
        <dt>Time</dt><dd>${timeElement(capturedAt)}</dd>
      </dl>
      ${rich === undefined ? plain : html`${mailFrame(id, subject)}<details><summary>Plain text of this mail</summary>${plain}</details>`}
    </article>`;
}

/** The mail as a mail program shows it: without scripts, and links open in a new tab. */
function mailFrame(id: string, subject: string): Html {
  return html`<iframe class="mail-html" title="${`Mail: ${subject}`}" src="${outboxPath}/mails/${id}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>`;
}

function textArticle({ from, to, text, capturedAt }: OutboxText): Html {
  return html`<article>
      <h2>Text message from <bdi>${from}</bdi></h2>
      <dl class="summary">
        <dt>Channel</dt><dd>Text message</dd>
        <dt>From</dt><dd><bdi>${from}</bdi></dd>
        <dt>To</dt><dd><bdi>${to}</bdi></dd>
        <dt>Time</dt><dd>${timeElement(capturedAt)}</dd>
      </dl>
      <p class="mail" dir="auto">${withLinks(text)}</p>
    </article>`;
}

function letterArticle({ id, letter, capturedAt }: OutboxLetter): Html {
  const { sender, address, subject } = letter;
  return html`<article>
      <h2><bdi>${subject ?? `Letter from ${sender}`}</bdi></h2>
      <dl class="summary">
        <dt>Channel</dt><dd>Letter</dd>
        <dt>From</dt><dd><bdi>${sender}</bdi></dd>
        <dt>To</dt><dd><bdi>${address.split('\n').join(', ')}</bdi></dd>
        <dt>Time</dt><dd>${timeElement(capturedAt)}</dd>
      </dl>
      <p><a href="${outboxPath}/letters/${id}">Open the letter (PDF)</a></p>
    </article>`;
}

function timeElement(at: number): Html {
  return html`<bdi><time>${formatInstant(at)}</time></bdi>`;
}

/** The address of a page. Punctuation after it belongs to the sentence. */
const address = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/;

function withLinks(text: string): readonly (Html | string)[] {
  return text.split(address).map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}">${part}</a>`));
}

/** The text of the mail has the rights of no page: the frame and this policy put it into a sandbox. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

function mailHtml({ email }: OutboxChannels, id: string): PageResponse {
  const rich = email?.mails().find((one) => one.id === id)?.html;
  if (rich === undefined) return refuse('not-found', 'The outbox has no such mail. See the list at /outbox.');
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': mailPolicy,
      'x-frame-options': 'SAMEORIGIN',
    },
    // Pages of this server refuse to be shown in the frame.
    body: rich.replace('<head>', '<head><base target="_blank">'),
  };
}

async function letterPdf({ letter }: OutboxChannels, id: string): Promise<PageResponse> {
  const pdf = await letter?.pdfOf(id);
  if (pdf === undefined) return refuse('not-found', 'The outbox has no such letter. See the list at /outbox.');
  if (typeof pdf === 'string') return refuse('not-found', `The letter cannot be printed: ${pdf}.`);
  const headers = {
    'content-type': 'application/pdf',
    'content-disposition': 'inline; filename="letter.pdf"',
    // The PDF viewers of browsers are plugins with styles of their own.
    'content-security-policy':
      "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  };
  return { status: 200, headers, body: Buffer.from(pdf) };
}
