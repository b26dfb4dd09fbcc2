import type { BufferedResponse } from '../api/buffered-response.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { Cookies } from './browser-cookies.ts';
import { type CitizenLayout, type PageLayout, renderLayout } from './citizen-layout.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { html } from './html.ts';
import { chooseLocale } from './page-language.ts';
import { prefersHtml } from './prefers-html.ts';
import { citizenPaths, type SignInFailure } from './sign-in-flow.ts';
import type { SiteFrame } from './site-frame.ts';

// Pages for visitors who are not signed in.

/** `to` is the requested page. `ended`: the session has expired. `isFormKept`: the citizen sees the form again after the sign-in. */
type SignInPage = { readonly to: string; readonly ended: boolean; readonly isFormKept?: boolean };

/** The sign-in page, which leads back to the requested page. */
export function signInPage(frame: CitizenLayout, { to, ended, isFormKept = false }: SignInPage): BufferedResponse {
  const { title, text, link, ended: because, kept } = frame.words.signIn;
  const content = html`${ended ? html`<p class="note">${because}${isFormKept ? ` ${kept}` : ''}</p>` : ''}<p>${text}</p>
    <p><a class="action" href="${signInUrlTo(frame, to)}">${link}</a></p>`;
  return renderLayout(frame, { title, content, status: to === citizenPaths.home ? 200 : 403 });
}

const signInUrlTo = ({ signInUrl }: CitizenLayout, to: string) => `${signInUrl}?to=${encodeURIComponent(to)}`;

/** The reason why a sign-in failed, with a link to try again. */
export function signInFailedPage(
  frame: CitizenLayout,
  { failed, to, isFormKept }: Pick<SignInFailure, 'failed' | 'to'> & { readonly isFormKept: boolean },
): BufferedResponse {
  if (failed === 'over') return signInPage(frame, { to, ended: true, isFormKept });
  const { notSignedIn, unknownPerson } = frame.words;
  if (failed === 'unknown-person') {
    return renderLayout(frame, {
      title: unknownPerson.title,
      content: html`<p>${unknownPerson.text}</p>`,
      status: 403,
    });
  }
  const content = html`<p>${notSignedIn.text}</p><p><a class="action" href="${signInUrlTo(frame, to)}">${notSignedIn.link}</a></p>`;
  return renderLayout(frame, { title: notSignedIn.title, content, status: 403 });
}

/** Shown after the sign-out. The issuer has a session of its own, which another link ends. */
export function signedOutPage(frame: CitizenLayout, signOutUrl: string | undefined): BufferedResponse {
  const { title, text, leave, again } = frame.words.signedOut;
  const content = html`<p>${text}</p>
    ${signOutUrl === undefined ? '' : html`<p><a href="${signOutUrl}">${leave}</a></p>`}
    <p><a href="${frame.signInUrl}">${again}</a></p>`;
  const page = renderLayout(frame, { title, content });
  // The next person at this browser must not see pages from its cache.
  return { ...page, headers: { ...page.headers, 'clear-site-data': '"cache"' } };
}

/** Shown in a new tab after the citizen followed the link of the warning. */
export function stayPage(frame: CitizenLayout): BufferedResponse {
  const { stayTitle, stayText } = frame.words.session;
  const minutes = Math.max(Math.floor(frame.minutesLeft ?? 0), 0);
  const content = html`<p>${formatMessage(frame.words.language, stayText, { minutes })}</p>`;
  return renderLayout(frame, { title: stayTitle, content });
}

/** For a form that was shown to another citizen, who was signed in with the same browser before. `path` received the form. */
export function otherPersonPage(frame: CitizenLayout, path: string): BufferedResponse {
  const { title, text, link } = frame.words.otherPerson;
  // The message belongs to the other citizen.
  const to = path.startsWith(`${citizenPaths.messages}/`) ? citizenPaths.home : path;
  const content = html`<p>${text}</p><p><a class="action" href="${to}">${link}</a></p>`;
  return renderLayout(frame, { title, content, status: 403 });
}

/** For a page that does not exist or belongs to another citizen. It is the same at every address. */
export function notFoundPage(frame: PageLayout): BufferedResponse {
  const { title, text } = frame.words.notFound;
  return renderLayout(
    { ...frame, url: citizenPaths.home },
    { title, content: html`<p>${text}</p>${homeLink(frame)}`, status: 404 },
  );
}

/** Shown while a dependency does not respond; `headers` may contain Retry-After. */
export function unavailableNowPage(
  frame: PageLayout,
  headers: Readonly<Record<string, string | string[]>> = {},
): BufferedResponse {
  const { title, text } = frame.words.unavailable;
  const page = renderLayout(frame, { title, content: html`<p>${text}</p>${homeLink(frame)}`, status: 503 });
  const retry = headers['retry-after'];
  return retry === undefined ? page : { ...page, headers: { ...page.headers, 'retry-after': retry } };
}

/** Below these paths are the pages and the interface for developers. */
const developerPaths = /^\/(v1|oauth2|ledger|\.well-known|docs|problems|openapi[\w.-]*|outbox|assets)(\/|$)/;

/**
 * The page for browsers whose request reached no citizen page: unknown path, other method, overload, or stop. An unknown path outside the
 * citizen pages is probably a mistyped one, so its page is for citizens as well.
 */
export function createCitizenRefusalPage(site: SiteFrame, cookies: Pick<Cookies, 'read'>): RefusedPage {
  return (request, refusal) => {
    const { url, headers } = request;
    const path = requestPath(url);
    const isBelowHome = `${path}/`.startsWith(`${citizenPaths.home}/`);
    const isMistyped = refusal.slug === 'not-found' && !developerPaths.test(path);
    if (!(isBelowHome || isMistyped) || !prefersHtml(headers.accept)) return undefined;
    const words = citizenTextsOf(chooseLocale(cookies, request), site.timeZone);
    const frame = { words, site: site.name, frame: site, url: citizenPaths.home };
    const { retryable, status } = problems[refusal.slug];
    const page = retryable ? unavailableNowPage(frame) : notFoundPage(frame);
    return { ...page, status, headers: { ...refusal.headers, ...page.headers, vary: 'accept-language, cookie' } };
  };
}

const homeLink = ({ words }: PageLayout) => html`<p><a href="${citizenPaths.home}">${words.nav.messages}</a></p>`;
