import type { IncomingMessage, RequestListener } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import type { Locale } from '../locales/locale.ts';
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
import type { Cookies } from './browser-cookies.ts';
import { type PageLayout, renderLayout } from './citizen-layout.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { html } from './html.ts';
import { chooseLocale, switchLanguage } from './page-language.ts';
import { prefersHtml } from './prefers-html.ts';
import { formHeaders, isCrossOrigin } from './request-origin.ts';
import type { SiteFrame } from './site-frame.ts';

type ReceiptPageDeps = ConfirmDeps & {
  readonly senderOf: SenderOf;
  readonly site: MailPageSite;
  /** The days that do not count as working days, for legal effect. */
  readonly calendar: Calendar;
  /** The public URL of this server, without a slash at the end. */
  readonly publicUrl: string;
  /** The page of a message in the inbox; undefined when there is none. */
  readonly inboxLink?: InboxLink | undefined;
  onFault(fault: unknown): void;
};

/** The frame of these pages, and the cookies with the language that the visitor chose. */
export type MailPageSite = { readonly frame: SiteFrame; readonly cookies: Pick<Cookies, 'read' | 'write'> };

/** The texts of a page and its frame. */
type MailPageTexts = Locale & { readonly layout: PageLayout };

/**
 * The page of the confirmation link in a mail. Only its button confirms, because mail scanners open links too. It names the
 * service that sent the mail, and shows nothing of the message.
 */
export function mountReceiptPage(deps: ReceiptPageDeps, links: Pick<ConfirmLinks, 'findDelivery'>): MountedHandler {
  async function answer(request: IncomingMessage): Promise<BufferedResponse> {
    const path = requestPath(request.url);
    const switched = switchLanguage(deps.site.cookies, request);
    if (switched !== undefined) return switched;
    const locale = textsFor(deps.site, request, path);
    const delivery = links.findDelivery(path.slice(confirmPath.length + 1));
    if (delivery === undefined) return unknownLinkPage(locale);
    request.resume();
    // Evidence says that somebody pressed the button of this page, so the form of another page does not count
    // (test/attacks/citizen-form-origins.test.ts).
    const isForeignForm = request.method === 'POST' && isCrossOrigin(request, deps.publicUrl);
    if (request.method === 'POST' && !isForeignForm) {
      if (!(await confirmReceipt(deps, delivery))) return unknownLinkPage(locale);
      // The redirect prevents that a reload sends the form again.
      return { status: 303, headers: { location: path }, body: '' };
    }
    const found = await findConfirmableMail(deps.read, delivery);
    if (found === undefined) return unknownLinkPage(locale);
    const { notification, isConfirmed } = found;
    const { name: sender } = await deps.senderOf(notification.clientId);
    const notice = await findLegalNotice(deps, notification, { now: deps.clock.now() });
    if (!isConfirmed && notification.status !== 'read')
      return { ...askPage(path, locale, { sender, notice }), status: isForeignForm ? 403 : 200 };
    const subject = { sender, notice };
    if (!isConfirmed) return donePage(locale, locale.receiptPage.opened, subject);
    const link = notification.status === 'read' ? undefined : deps.inboxLink?.(notification.id);
    return donePage(locale, locale.receiptPage.confirmed, { ...subject, link });
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        deps.onFault(fault);
        return unavailablePage(textsFor(deps.site, request, requestPath(request.url)));
      })
      .then((given) =>
        sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders, ...formHeaders } }),
      )
      .catch(() => response.destroy());
  };
  return {
    paths: [confirmPath, `${confirmPath}/`, `${confirmPath}/:token`],
    methods: ['GET', 'HEAD', 'POST'],
    handler,
  };
}

const commonHeaders = { 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };

/** `url` is the address of the page in another language. */
function textsFor({ frame, cookies }: MailPageSite, request: IncomingMessage, url?: string): MailPageTexts {
  const locale = chooseLocale(cookies, request);
  const words = citizenTextsOf(locale, frame.timeZone);
  // A person who opens the link of a mail need not have an account here.
  return { ...locale, layout: { words, site: frame.name, frame, url, isSinglePage: true } };
}

/** The page names the service that it speaks for, if it is known. */
const layoutOf = (layout: PageLayout, sender: string): PageLayout => ({ ...layout, site: sender });

type ReceiptSubject = { readonly sender: string; readonly notice: LegalNotice | undefined };

/** Says beforehand what the button means for the legal effect of the message, if its sender named a rule. */
function askPage(path: string, texts: MailPageTexts, { sender, notice }: ReceiptSubject) {
  const { receiptPage, language, layout } = texts;
  const { ask } = receiptPage;
  const values = { sender: isolated(sender) };
  const text = notice === undefined ? ask.text : ask.legalText;
  const content = html`<p>${formatMessage(language, text, values)}</p>
    ${notice === undefined ? '' : html`<p class="notice">${consequenceOf(texts, notice)}</p>`}
    <form method="post" action="${path}"><button type="submit">${ask.button}</button></form>
    <p>${formatMessage(language, ask.warning, values)}</p>`;
  return renderLayout(layoutOf(layout, sender), { title: ask.title, content });
}

function consequenceOf({ receiptPage: { ask }, language }: Locale, notice: LegalNotice): string {
  const whenServed = legalSentences(language, notice).join(' ');
  if (notice.effectiveOn !== undefined) return whenServed;
  return notice.confirmationCounts ? ask.counts : `${ask.doesNotCount} ${whenServed}`;
}

/** The page when nothing is left to confirm: the receipt was confirmed, or the citizen has opened the message. */
function donePage(
  { message, language, layout }: MailPageTexts,
  { title, text }: PageText,
  { sender, notice, link }: ReceiptSubject & { readonly link?: string | undefined },
) {
  const content = html`<p>${formatMessage(language, text, { sender: isolated(sender) })}</p>
    ${notice === undefined ? '' : html`<p class="notice">${legalSentences(language, notice).join(' ')}</p>`}
    ${link === undefined ? '' : html`<p><a href="${link}">${message.readInInbox}</a></p>`}`;
  return renderLayout(layoutOf(layout, sender), { title, content });
}

const unknownLinkPage = ({ receiptPage, layout }: MailPageTexts, status = 404) =>
  textPage(layout, receiptPage.unknownLink, status);

const unavailablePage = ({ unavailable, layout }: MailPageTexts, status = 503) => textPage(layout, unavailable, status);

type PageText = { readonly title: string; readonly text: string };

function textPage(layout: PageLayout, { title, text }: PageText, status: number) {
  return renderLayout(layout, { title, content: html`<p>${text}</p>`, status });
}

/**
 * The page for browsers whose request did not reach the receipt page: overload, stop, or a damaged link. It shows the same text
 * as that page, so it reveals nothing about a link.
 */
export function createMailRefusalPage(site: MailPageSite): RefusedPage {
  return (request, refusal) => {
    const { url = '', headers } = request;
    if (!`${requestPath(url)}/`.startsWith(`${confirmPath}/`) || !prefersHtml(headers.accept)) return undefined;
    const texts = textsFor(site, request);
    const { retryable, status } = problems[refusal.slug];
    const page = retryable ? unavailablePage(texts, status) : unknownLinkPage(texts, status);
    return { ...page, headers: { ...refusal.headers, ...page.headers, ...commonHeaders } };
  };
}

/** Isolates a name, so that its text direction does not change the order of the other words (UAX #9, 2.7). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
