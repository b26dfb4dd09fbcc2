import { html } from 'hono/html';
import type { RefusedPage } from '../api/problem-answer.ts';
import type { WholeAnswer } from '../api/whole-answer.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { pathOf } from '../kernel/request-target.ts';
import { wishedPhrases } from '../notifications/phrases-by-language.ts';
import { type Frame, framed } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import { wishedWords } from './citizen-words-by-language.ts';
import { wantsPage } from './wants-page.ts';

// The pages in front of those that are somebody's own: nobody is signed in on them.

/** With the address of the sign-in: it has to begin at the host to which the issuer comes back, by whichever name somebody came. */
type Entrance = Frame & { readonly signInUrl: string };

/** The way in, and behind it back to the page that was wanted; `ended`: the session was over. */
export function signInPage(
  frame: Entrance,
  { to, ended }: { readonly to: string; readonly ended: boolean },
): Promise<WholeAnswer> {
  const { title, text, link, ended: because } = frame.words.signIn;
  const content = html`${ended ? html`<p class="note">${because}</p>` : ''}<p>${text}</p>
    <p><a class="action" href="${frame.signInUrl}?to=${encodeURIComponent(to)}">${link}</a></p>`;
  return framed(frame, { title, content, status: to === citizenPaths.home ? 200 : 403 });
}

/** Why a sign-in did not get on. */
export function stepPage(frame: Entrance, failed: 'broken-off' | 'unknown-person'): Promise<WholeAnswer> {
  const { notSignedIn, unknownPerson } = frame.words;
  if (failed === 'unknown-person') {
    return framed(frame, { title: unknownPerson.title, content: html`<p>${unknownPerson.text}</p>`, status: 403 });
  }
  const content = html`<p>${notSignedIn.text}</p><p><a class="action" href="${frame.signInUrl}">${notSignedIn.link}</a></p>`;
  return framed(frame, { title: notSignedIn.title, content, status: 403 });
}

/** Behind the sign-out here; the issuer has a session of its own, which another link ends. */
export async function signedOutPage(frame: Entrance, leaveUrl: string | undefined): Promise<WholeAnswer> {
  const { title, text, leave, again } = frame.words.signedOut;
  const content = html`<p>${text}</p>
    ${leaveUrl === undefined ? '' : html`<p><a href="${leaveUrl}">${leave}</a></p>`}
    <p><a href="${frame.signInUrl}">${again}</a></p>`;
  const page = await framed(frame, { title, content });
  // Going back in the browser shows no message to whoever sits there next.
  return { ...page, headers: { ...page.headers, 'clear-site-data': '"cache"' } };
}

/** For a page that is not there, or not this citizen's. */
export function notFoundPage(frame: Frame): Promise<WholeAnswer> {
  const { title, text } = frame.words.notFound;
  return framed(frame, { title, content: html`<p>${text}</p>${home(frame)}`, status: 404 });
}

/** While something that the page needs does not answer; `headers` say when to come again, where that is known. */
export async function notNowPage(
  frame: Frame,
  acceptLanguage: string | undefined,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<WholeAnswer> {
  const { title, text } = wishedPhrases(acceptLanguage).notNow;
  const page = await framed(frame, { title, content: html`<p>${text}</p>${home(frame)}`, status: 503 });
  const retry = headers['retry-after'];
  return retry === undefined ? page : { ...page, headers: { ...page.headers, 'retry-after': retry } };
}

/**
 * What a browser shows of a request that came to none of the pages of citizens: no such page, another method, too much at work, while the
 * server stops.
 */
export function refusedCitizenPage(site: string | undefined): RefusedPage {
  return ({ url, headers }, refusal) => {
    if (!`${pathOf(url)}/`.startsWith(`${citizenPaths.home}/`) || !wantsPage(headers.accept)) return undefined;
    const language = headers['accept-language'];
    const frame = { words: wishedWords(language), site };
    const { retryable, status } = problems[refusal.slug];
    const shown = retryable ? notNowPage(frame, language) : notFoundPage(frame);
    return shown.then((page) => ({
      ...page,
      status,
      headers: { ...refusal.headers, ...page.headers, vary: 'accept-language' },
    }));
  };
}

const home = ({ words }: Frame) => html`<p><a href="${citizenPaths.home}">${words.nav.messages}</a></p>`;
