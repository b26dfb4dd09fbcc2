import { html } from 'hono/html';
import type { BufferedResponse } from '../api/buffered-response.ts';
import { formatDay, formatMinute } from '../locales/date-format.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type HtmlContent, renderHtmlPage } from './page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** More than there are; what formats dates is made once for each, since that takes as long as to write a hundred. */
export const maxLanguages = 64;

/** What every page of a citizen is made with. */
export type PageLayout = {
  readonly words: CitizenTexts;
  /** How the pages are named; without it as the language has it. */
  readonly site: string | undefined;
};

/** One page. Its place in the list of pages is `current`; without one nobody is signed in, and there is no list. */
export type LayoutPage = {
  readonly title: string;
  readonly content: HtmlContent;
  readonly status?: number;
  readonly current?: 'messages' | 'documents' | 'uses' | 'record' | 'contact';
};

/** A page with the name of the site, and for who is signed in the way to the others. */
export function renderLayout(
  { words, site = words.site }: PageLayout,
  { title, content, current, status = 200 }: LayoutPage,
): Promise<BufferedResponse> {
  const header =
    current === undefined
      ? html`<p><a href="${citizenPaths.home}"><bdi>${site}</bdi></a></p>`
      : html`<p><bdi>${site}</bdi></p>${navigation(words, current)}`;
  return renderHtmlPage({ header, site, title, content, status, language: words.language });
}

function navigation({ nav, contact }: CitizenTexts, current: NonNullable<LayoutPage['current']>): HtmlContent {
  const links = [
    ['messages', citizenPaths.home, nav.messages],
    ['documents', citizenPaths.documents, nav.documents],
    ['uses', citizenPaths.uses, nav.uses],
    ['record', citizenPaths.record, nav.record],
    ['contact', citizenPaths.contact, contact.title],
  ] as const;
  return html`<nav aria-label="${nav.label}"><ul>
      ${links.map(([name, path, title]) =>
        name === current
          ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
          : html`<li><a href="${path}">${title}</a></li>`,
      )}
      <li><form method="post" action="${citizenPaths.signOut}"><button type="submit">${nav.signOut}</button></form></li>
    </ul></nav>`;
}

/** An instant as the day that it was (UTC), for people, and for programs as it is. */
export function dayElement({ language }: CitizenTexts, instant: string): HtmlContent {
  return html`<time datetime="${instant}"><bdi>${formatDay(language, Date.parse(instant))}</bdi></time>`;
}

/** An instant to the minute, in UTC: of when something happened the day alone says too little. */
export function minuteElement({ language }: CitizenTexts, instant: string): HtmlContent {
  return html`<time datetime="${instant}"><bdi>${formatMinute(language, Date.parse(instant))} UTC</bdi></time>`;
}
