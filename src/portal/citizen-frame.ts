import { html } from 'hono/html';
import type { WholeAnswer } from '../api/whole-answer.ts';
import { remembering } from '../kernel/recent.ts';
import { dayIn, localeOf } from '../notifications/phrases-by-language.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import { type Content, wholePage } from './page.ts';

/** More than there are; what formats dates is made once for each, since that takes as long as to write a hundred. */
export const mostLanguages = 64;

/** What every page of a citizen is made with. */
export type Frame = {
  readonly words: CitizenWords;
  /** How the pages are named; without it as the language has it. */
  readonly site: string | undefined;
};

/** One page. Its place in the list of pages is `current`; without one nobody is signed in, and there is no list. */
export type FramedPage = {
  readonly title: string;
  readonly content: Content;
  readonly status?: number;
  readonly current?: 'messages' | 'documents' | 'uses' | 'record' | 'contact';
};

/** A page with the name of the site, and for who is signed in the way to the others. */
export function framed(
  { words, site = words.site }: Frame,
  { title, content, current, status = 200 }: FramedPage,
): Promise<WholeAnswer> {
  const header =
    current === undefined
      ? html`<p><a href="${citizenPaths.home}"><bdi>${site}</bdi></a></p>`
      : html`<p><bdi>${site}</bdi></p>${navigation(words, current)}`;
  return wholePage({ header, site, title, content, status, language: words.language });
}

function navigation({ nav, contact }: CitizenWords, current: NonNullable<FramedPage['current']>): Content {
  const places = [
    ['messages', citizenPaths.home, nav.messages],
    ['documents', citizenPaths.documents, nav.documents],
    ['uses', citizenPaths.uses, nav.uses],
    ['record', citizenPaths.record, nav.record],
    ['contact', citizenPaths.contact, contact.title],
  ] as const;
  return html`<nav aria-label="${nav.label}"><ul>
      ${places.map(([name, path, title]) =>
        name === current
          ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
          : html`<li><a href="${path}">${title}</a></li>`,
      )}
      <li><form method="post" action="${citizenPaths.signOut}"><button type="submit">${nav.signOut}</button></form></li>
    </ul></nav>`;
}

/** An instant as the day that it was (UTC), for people, and for programs as it is. */
export function dayOf({ language }: CitizenWords, instant: string): Content {
  return html`<time datetime="${instant}"><bdi>${dayIn(language, Date.parse(instant))}</bdi></time>`;
}

/** An instant to the minute, in UTC: of when something happened the day alone says too little. */
export function minuteOf({ language }: CitizenWords, instant: string): Content {
  return html`<time datetime="${instant}"><bdi>${minuteFormatOf(language).format(new Date(instant))} UTC</bdi></time>`;
}

const minuteFormatOf = remembering(
  mostLanguages,
  (language) => new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
);
