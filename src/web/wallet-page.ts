import type { IncomingMessage, RequestListener } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { PurposeText } from '../auth/purpose-texts.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import type { Locale } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { PresentationPage, PresentationPages } from '../wallet/presentation-page.ts';
import { walletPaths } from '../wallet/protocol/request-object.ts';
import { renderLayout } from './citizen-layout.ts';
import { type CitizenTexts, citizenTextsOf } from './citizen-texts.ts';
import { parseForm } from './form-body.ts';
import { type Html, html } from './html.ts';
import { chooseLocale, switchLanguage } from './page-language.ts';
import { qrCode } from './qr-code.ts';
import type { MailPageSite } from './receipt-page.ts';
import { formHeaders, isCrossOrigin } from './request-origin.ts';

type WalletPageDeps = {
  readonly pages: PresentationPages;
  readonly site: MailPageSite;
  readonly publicUrl: string;
  organisationOf(clientId: string): string;
  purposeTextOf(clientId: string, purpose: string, language: string): PurposeText | undefined;
  onFault(fault: unknown): void;
};

/** The address, language and texts of a page. */
type Visit = WalletPageDeps & { readonly path: string; readonly locale: Locale; readonly updates: boolean };

/** Seconds until the page is requested again, while it waits for the wallet. */
const updateSeconds = '5';
const commonHeaders = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', vary: 'accept-language, cookie' };

/**
 * The page of a presentation: who asks for what, the QR code, the link to the wallet, and the progress, without script. To the wallet of
 * another device it shows the code that the citizen types at the service.
 */
export function mountWalletPage(deps: WalletPageDeps): MountedHandler {
  const handler: RequestListener = (request, response) => {
    answer(deps, request)
      .catch((fault: unknown) => {
        deps.onFault(fault);
        const visit = visitOf(deps, request, undefined);
        return textPage(visit, { ...visit.locale.unavailable, status: 503 });
      })
      .then((given) =>
        sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders, ...formHeaders } }),
      )
      .catch(() => response.destroy());
  };
  return { paths: [`${walletPaths.pages}/:handle`], methods: ['GET', 'HEAD', 'POST'], handler };
}

async function answer(deps: WalletPageDeps, request: IncomingMessage): Promise<BufferedResponse> {
  const switched = switchLanguage(deps.site.cookies, request);
  if (switched !== undefined) return switched;
  const path = requestPath(request.url);
  const handle = path.split('/').at(-1) ?? '';
  // Attack: the form of another page cancels the presentation, or agrees to a link (test/attacks/wallet-sessions.test.ts).
  if (request.method === 'POST' && !isCrossOrigin(request, deps.publicUrl)) {
    await applyForm(deps.pages, handle, await parseForm(request));
    // The redirect prevents that a reload sends the form again.
    return { status: 303, headers: { location: path }, body: '' };
  }
  const presentation = await deps.pages.find(handle);
  const visit = visitOf(deps, request, presentation?.language);
  if (presentation === undefined) return endPage(visit, 'unknown', 404);
  return presentationPage(visit, presentation);
}

async function applyForm(pages: PresentationPages, handle: string, form: URLSearchParams | undefined): Promise<void> {
  if (form?.get('action') === 'cancel') await pages.cancel(handle);
  if (form?.get('action') === 'continue') await pages.chooseLink(handle, form.get('remember') === 'yes');
}

function visitOf(deps: WalletPageDeps, request: IncomingMessage, language: string | undefined): Visit {
  const locale = chooseLocale(deps.site.cookies, request, language);
  const updates = new URLSearchParams(requestQuery(request.url)).get('update') !== 'off';
  return { ...deps, path: requestPath(request.url), locale, updates };
}

function presentationPage(visit: Visit, presentation: PresentationPage): BufferedResponse {
  const { walletPages } = visit.locale;
  if (presentation.code !== undefined) return codePage(visit, presentation, presentation.code);
  const { open } = presentation;
  if (open === undefined) return endPage(visit, endOf(presentation), 200);
  const words = wordsOf(visit);
  if (open.asksLink) {
    const content = html`${introduction(visit, words, presentation)}${linkForm(visit)}${cancelForm(visit)}`;
    return layoutPage(visit, presentation, { title: walletPages.title, content });
  }
  const isAnswered = presentation.status === 'answered';
  const content = html`${isAnswered ? '' : introduction(visit, words, presentation)}
    <p class="notice" role="status">${progressText(visit, presentation)}</p>
    ${isAnswered ? '' : walletLinks(visit, open)}${updateLine(visit)}${cancelForm(visit)}`;
  const page = layoutPage(visit, presentation, { title: walletPages.title, content });
  return visit.updates ? { ...page, headers: { ...page.headers, refresh: updateSeconds } } : page;
}

type EndName = keyof Locale['walletPages']['end'];

/** The texts that fit the status of an ended presentation. */
function endOf({ status, reason }: PresentationPage): EndName {
  if (status === 'failed') {
    const isInvalid =
      reason === 'credential-expired' || reason === 'credential-revoked' || reason === 'credential-suspended';
    if (isInvalid) return 'invalid';
    return reason === 'other-session' ? 'otherSession' : 'failed';
  }
  const isEnd = status === 'completed' || status === 'refused' || status === 'cancelled';
  return isEnd ? status : 'expired';
}

function endPage(visit: Visit, end: EndName, status: number): BufferedResponse {
  return textPage(visit, { ...visit.locale.walletPages.end[end], status });
}

function codePage(visit: Visit, presentation: PresentationPage, code: string): BufferedResponse {
  const texts = visit.locale.walletPages.code;
  const content = html`<p class="session-code"><bdi>${`${code.slice(0, 3)} ${code.slice(3)}`}</bdi></p>
    <p>${texts.text}</p><p class="notice">${texts.warning}</p>`;
  return layoutPage(visit, presentation, { title: texts.title, content });
}

function introduction(visit: Visit, { uses }: CitizenTexts, { clientId, purpose, open }: PresentationPage): Html {
  const { walletPages, language } = visit.locale;
  // The name is isolated, so that its text direction does not change the order of the other words (UAX #9, 2.7).
  const service = `\u2068${visit.organisationOf(clientId)}\u2069`;
  const names: Readonly<Record<string, string>> = uses.claims;
  const data = [
    ...(open?.claims.map((claim) => names[claim] ?? claim) ?? []),
    ...(open?.showsNumber === true ? [walletPages.number] : []),
  ];
  const stated = purpose === null ? undefined : { text: purpose, language: '' };
  const why = (stated && visit.purposeTextOf(clientId, stated.text, language)) ?? stated;
  return html`<p>${formatMessage(language, walletPages.who, { service })}</p>
    <dl class="summary">
      ${why === undefined ? '' : html`<dt>${walletPages.purpose}</dt><dd><bdi lang="${why.language}">${why.text}</bdi></dd>`}
      <dt>${walletPages.data}</dt><dd>${new Intl.ListFormat(language, { type: 'unit' }).format(data)}</dd>
    </dl>
    <p>${walletPages.privacy}</p>`;
}

function linkForm({ path, locale: { walletPages } }: Visit): Html {
  const { remember } = walletPages;
  return html`<form method="post" action="${path}">
      <div class="choice"><input type="checkbox" id="remember" name="remember" value="yes" aria-describedby="remember-hint" />
        <label for="remember">${remember.label}</label></div>
      <p class="hint" id="remember-hint">${remember.hint}</p>
      <button type="submit" name="action" value="continue">${walletPages.continue}</button>
    </form>`;
}

function cancelForm({ path, locale: { walletPages } }: Visit): Html {
  return html`<form method="post" action="${path}"><button class="secondary" type="submit" name="action" value="cancel">${walletPages.cancel}</button></form>`;
}

function progressText({ locale: { walletPages } }: Visit, { status, open }: PresentationPage): string {
  const { progress } = walletPages;
  if (status === 'answered') return open?.session === 'return' ? progress.return : progress.code;
  return status === 'fetched' ? progress.fetched : progress.requested;
}

function walletLinks({ locale: { walletPages } }: Visit, open: NonNullable<PresentationPage['open']>): Html {
  const { sameDevice, otherDevice } = open;
  const { thisDevice, otherDevice: texts } = walletPages;
  return html`${sameDevice === undefined ? '' : html`<h2>${thisDevice.title}</h2><p><a class="action" href="${sameDevice}">${thisDevice.button}</a></p>`}
    ${otherDevice === undefined ? '' : html`<h2>${texts.title}</h2><p>${texts.text}</p>${qrCode(otherDevice, texts.picture)}`}`;
}

/** Readers can stop the updates, which interrupt screen readers (WCAG 2.2, success criterion 2.2.1). */
function updateLine({ path, updates, locale: { walletPages } }: Visit): Html {
  const { text, stop, now } = walletPages.update;
  return updates
    ? html`<p>${text} <a href="${path}?update=off">${stop}</a></p>`
    : html`<p><a href="${path}?update=off">${now}</a></p>`;
}

function wordsOf({ locale, site: { frame } }: Visit): CitizenTexts {
  return citizenTextsOf(locale, frame.timeZone);
}

function layoutPage(
  visit: Visit,
  presentation: Pick<PresentationPage, 'clientId'> | undefined,
  page: Parameters<typeof renderLayout>[1],
): BufferedResponse {
  const { frame } = visit.site;
  const site = presentation === undefined ? frame.name : visit.organisationOf(presentation.clientId);
  return renderLayout({ words: wordsOf(visit), site, frame, url: visit.path, isSinglePage: true }, page);
}

function textPage(
  visit: Visit,
  { title, text, status }: { readonly title: string; readonly text: string; readonly status: number },
): BufferedResponse {
  return layoutPage(visit, undefined, { title, content: html`<p>${text}</p>`, status });
}
