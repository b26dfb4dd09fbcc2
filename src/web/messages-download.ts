import { messageDirection, textDirection } from '../kernel/text-direction.ts';
import { formatMessage } from '../locales/message-format.ts';
import { extractMessageHtml } from '../notifications/rendering/message-html.ts';
import type { CitizenLayout } from './citizen-layout.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { type InboxItem, legalNote, messageDetails, respondByTag, titleOf } from './messages-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The messages that a download contains at most. */
export const maxDownloaded = 1_000;

/** A message of a download. `html` is null if the citizen has not opened it. */
export type DownloadedMessage = InboxItem & {
  readonly html: string | null;
  readonly attachments: readonly { readonly id: string; readonly title: string }[];
};

/** The headers of a download. The file contains its own styles, because it is opened without this server. */
export function downloadHeaders(fileName: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}.html"`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
}

/** One HTML document with messages, in pieces of one page each. `pages` ends early at `maxDownloaded` messages. */
export async function* downloadDocument(
  frame: CitizenLayout,
  title: string,
  pages: AsyncIterable<readonly DownloadedMessage[]>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { words } = frame;
  yield bytesOf(documentHead(words.language, title));
  let count = 0;
  for await (const messages of pages) {
    yield bytesOf(html`${messages.map((message) => messageArticle(frame, message))}`);
    count += messages.length;
  }
  const isCut = count >= maxDownloaded;
  const cut = isCut ? formatMessage(words.language, words.message.onlyNewest, { count: maxDownloaded }) : '';
  yield bytesOf(html`${isCut ? html`<p>${cut}</p>` : ''}</body></html>`);
}

const bytesOf = (part: Html) => Buffer.from(`${part}\n`);

function documentHead(language: string, title: string): Html {
  return html`${trustedHtml('<!doctype html>')}
<html lang="${language}" dir="${textDirection(language)}"><head><meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="color-scheme" content="light dark" />
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-inline-size: 45rem; margin: 1rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
article { border-block-start: 1px solid; padding-block: 1rem; break-inside: avoid-page; } dt { font-weight: 600; } dd { margin: 0; }</style>
</head><body><h1>${title}</h1>`;
}

function messageArticle({ words, signInUrl }: CitizenLayout, message: DownloadedMessage): Html {
  const { attachments } = message;
  const text =
    message.html === null
      ? html`<p>${words.message.notOpened}</p>`
      : html`<div lang="${message.language ?? ''}" dir="${messageDirection(message.language)}">${trustedHtml(extractMessageHtml(message.html))}</div>`;
  const documents = attachments.map(({ id, title }) => {
    return html`<li><a href="${new URL(`${citizenPaths.documents}/${id}`, signInUrl).href}"><bdi lang="">${title}</bdi></a></li>`;
  });
  return html`<article><h2 lang="${message.language ?? ''}" dir="auto">${titleOf(message)}</h2>
<dl>${messageDetails(words, message)}</dl>${respondByTag(words, message)}${legalNote(words, message)}
${text}
${documents.length === 0 ? '' : html`<h3>${words.message.attachments}</h3><ul>${documents}</ul>`}
</article>`;
}
