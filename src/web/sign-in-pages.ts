import { html } from 'hono/html';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { localeForHeader } from '../locales/locale.ts';
import { type PageLayout, renderLayout } from './citizen-layout.ts';
import { preferredCitizenTexts } from './citizen-texts.ts';
import { prefersHtml } from './prefers-html.ts';
import { citizenPaths } from './sign-in-flow.ts';

// The pages in front of those that are somebody's own: nobody is signed in on them.

/** With the address of the sign-in: it has to begin at the host to which the issuer comes back, by whichever name somebody came. */
type SignInLayout = PageLayout & { readonly signInUrl: string };

/** The way in, and behind it back to the page that was wanted; `ended`: the session was over. */
export function signInPage(
  frame: SignInLayout,
  { to, ended }: { readonly to: string; readonly ended: boolean },
): Promise<BufferedResponse> {
  const { title, text, link, ended: because } = frame.words.signIn;
  const content = html`${ended ? html`<p class="note">${because}</p>` : ''}<p>${text}</p>
    <p><a class="action" href="${frame.signInUrl}?to=${encodeURIComponent(to)}">${link}</a></p>`;
  return renderLayout(frame, { title, content, status: to === citizenPaths.home ? 200 : 403 });
}

/** Why a sign-in did not get on. */
export function signInFailedPage(
  frame: SignInLayout,
  failed: 'broken-off' | 'unknown-person',
): Promise<BufferedResponse> {
  const { notSignedIn, unknownPerson } = frame.words;
  if (failed === 'unknown-person') {
    return renderLayout(frame, {
      title: unknownPerson.title,
      content: html`<p>${unknownPerson.text}</p>`,
      status: 403,
    });
  }
  const content = html`<p>${notSignedIn.text}</p><p><a class="action" href="${frame.signInUrl}">${notSignedIn.link}</a></p>`;
  return renderLayout(frame, { title: notSignedIn.title, content, status: 403 });
}

/** Behind the sign-out here; the issuer has a session of its own, which another link ends. */
export async function signedOutPage(frame: SignInLayout, signOutUrl: string | undefined): Promise<BufferedResponse> {
  const { title, text, leave, again } = frame.words.signedOut;
  const content = html`<p>${text}</p>
    ${signOutUrl === undefined ? '' : html`<p><a href="${signOutUrl}">${leave}</a></p>`}
    <p><a href="${frame.signInUrl}">${again}</a></p>`;
  const page = await renderLayout(frame, { title, content });
  // Going back in the browser shows no message to whoever sits there next.
  return { ...page, headers: { ...page.headers, 'clear-site-data': '"cache"' } };
}

/** For a page that is not there, or not this citizen's. */
export function notFoundPage(frame: PageLayout): Promise<BufferedResponse> {
  const { title, text } = frame.words.notFound;
  return renderLayout(frame, { title, content: html`<p>${text}</p>${homeLink(frame)}`, status: 404 });
}

/** While something that the page needs does not answer; `headers` say when to come again, where that is known. */
export async function unavailableNowPage(
  frame: PageLayout,
  acceptLanguage: string | undefined,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<BufferedResponse> {
  const { title, text } = localeForHeader(acceptLanguage).unavailable;
  const page = await renderLayout(frame, { title, content: html`<p>${text}</p>${homeLink(frame)}`, status: 503 });
  const retry = headers['retry-after'];
  return retry === undefined ? page : { ...page, headers: { ...page.headers, 'retry-after': retry } };
}

/**
 * What a browser shows of a request that came to none of the pages of citizens: no such page, another method, too much at work, while the
 * server stops.
 */
export function createCitizenRefusalPage(site: string | undefined): RefusedPage {
  return ({ url, headers }, refusal) => {
    if (!`${requestPath(url)}/`.startsWith(`${citizenPaths.home}/`) || !prefersHtml(headers.accept)) return undefined;
    const language = headers['accept-language'];
    const frame = { words: preferredCitizenTexts(language), site };
    const { retryable, status } = problems[refusal.slug];
    const shown = retryable ? unavailableNowPage(frame, language) : notFoundPage(frame);
    return shown.then((page) => ({
      ...page,
      status,
      headers: { ...refusal.headers, ...page.headers, vary: 'accept-language' },
    }));
  };
}

const homeLink = ({ words }: PageLayout) => html`<p><a href="${citizenPaths.home}">${words.nav.messages}</a></p>`;
