import type { IncomingMessage, RequestListener } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { type Locale, localeForHeader } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import {
  type ConfirmDeps,
  type ConfirmLinks,
  confirmPath,
  confirmReceipt,
  findConfirmableMail,
} from '../notifications/inbox/confirm-receipt.ts';
import type { InboxLink } from '../notifications/inbox/inbox-link.ts';
import { findLegalNotice } from '../notifications/legal-effect/find-legal-notice.ts';
import type { Calendar } from '../notifications/legal-effect/legal-effect.ts';
import type { LegalNotice } from '../notifications/notification/legal-notice.ts';
import type { SenderOf } from '../notifications/notification/sending-service.ts';
import { legalSentences } from '../notifications/rendering/legal-text.ts';
import { html } from './html.ts';
import { citizenPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

type ReceiptPageDeps = ConfirmDeps & {
  readonly senderOf: SenderOf;
  /** The days that do not count as working days, for legal effect. */
  readonly calendar: Calendar;
  /** The page of a message in the inbox; undefined when there is none. */
  readonly inboxLink?: InboxLink | undefined;
  onFault(fault: unknown): void;
};

/**
 * The page of the confirmation link in a mail. Only its button confirms, because mail scanners open links too. It names the
 * service that sent the mail, and shows nothing of the message.
 */
export function mountReceiptPage(deps: ReceiptPageDeps, links: Pick<ConfirmLinks, 'findDelivery'>): MountedHandler {
  async function answer(request: IncomingMessage): Promise<BufferedResponse> {
    const path = requestPath(request.url);
    const locale = localeForHeader(request.headers['accept-language']);
    const delivery = links.findDelivery(path.slice(confirmPath.length + 1));
    if (delivery === undefined) return unknownLinkPage(locale);
    if (request.method === 'POST') {
      request.resume();
      if (!(await confirmReceipt(deps, delivery))) return unknownLinkPage(locale);
      // The redirect prevents that a reload sends the form again.
      return { status: 303, headers: { location: path }, body: '' };
    }
    const found = await findConfirmableMail(deps.read, delivery);
    if (found === undefined) return unknownLinkPage(locale);
    const { notification, isConfirmed } = found;
    const { name: sender } = await deps.senderOf(notification.clientId);
    const notice = await findLegalNotice(deps, notification, { now: deps.clock.now() });
    if (!isConfirmed && notification.status !== 'read') return askPage(path, locale, { sender, notice });
    const link = notification.status === 'read' ? undefined : deps.inboxLink?.(notification.id);
    return confirmedPage(locale, { sender, notice, link });
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        deps.onFault(fault);
        return unavailablePage(localeForHeader(request.headers['accept-language']));
      })
      .then((given) => sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders } }))
      .catch(() => response.destroy());
  };
  return {
    paths: [confirmPath, `${confirmPath}/`, `${confirmPath}/:token`],
    methods: ['GET', 'HEAD', 'POST'],
    handler,
  };
}

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language' };

type ReceiptSubject = { readonly sender: string; readonly notice: LegalNotice | undefined };

/** Says beforehand what the button means for the legal effect of the message, if its sender named a rule. */
function askPage(path: string, locale: Locale, { sender, notice }: ReceiptSubject) {
  const { receiptPage, language } = locale;
  const { ask } = receiptPage;
  const values = { sender: isolated(sender) };
  const text = notice === undefined ? ask.text : ask.legalText;
  const content = html`<p>${formatMessage(language, text, values)}</p>
    ${notice === undefined ? '' : html`<p class="notice">${consequenceOf(locale, notice)}</p>`}
    <form method="post" action="${path}"><button type="submit">${ask.button}</button></form>
    <p>${formatMessage(language, ask.warning, values)}</p>`;
  return citizenPage({ title: ask.title, content, status: 200, language, sender });
}

function consequenceOf({ receiptPage: { ask }, language }: Locale, notice: LegalNotice): string {
  const whenServed = legalSentences(language, notice).join(' ');
  if (notice.effectiveOn !== undefined) return whenServed;
  return notice.confirmationCounts ? ask.counts : `${ask.doesNotCount} ${whenServed}`;
}

function confirmedPage(
  { receiptPage: { confirmed }, message, language }: Locale,
  { sender, notice, link }: ReceiptSubject & { readonly link: string | undefined },
) {
  const content = html`<p>${formatMessage(language, confirmed.text, { sender: isolated(sender) })}</p>
    ${notice === undefined ? '' : html`<p class="notice">${legalSentences(language, notice).join(' ')}</p>`}
    ${link === undefined ? '' : html`<p><a href="${link}">${message.readInInbox}</a></p>`}`;
  return citizenPage({ title: confirmed.title, content, status: 200, language, sender });
}

const unknownLinkPage = ({ receiptPage, language }: Locale, status = 404) =>
  textPage(receiptPage.unknownLink, language, status);

const unavailablePage = ({ unavailable, language }: Locale, status = 503) => textPage(unavailable, language, status);

function textPage(
  { title, text }: { readonly title: string; readonly text: string },
  language: string,
  status: number,
) {
  return citizenPage({ title, content: html`<p>${text}</p>`, status, language });
}

/**
 * The page for browsers whose request did not reach the receipt page: overload, stop, or a damaged link. It shows the same text
 * as that page, so it reveals nothing about a link.
 */
export const refusedPage: RefusedPage = ({ url = '', headers }, refusal) => {
  if (!`${requestPath(url)}/`.startsWith(`${confirmPath}/`) || !prefersHtml(headers.accept)) return undefined;
  const locale = localeForHeader(headers['accept-language']);
  const { retryable, status } = problems[refusal.slug];
  const page = retryable ? unavailablePage(locale, status) : unknownLinkPage(locale, status);
  return { ...page, headers: { ...refusal.headers, ...page.headers, ...commonHeaders } };
};

/** Isolates a name, so that its text direction does not change the order of the other words (UAX #9, 2.7). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
