import type { BufferedResponse } from '../api/buffered-response.ts';
import { formatDay, formatMinute } from '../locales/date-format.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { renderHtmlPage } from './page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The language of a page, and the name of the site. */
export type PageLayout = {
  readonly words: CitizenTexts;
  /** Set by the operator; by default the name in the texts. */
  readonly site: string | undefined;
};

/** The layout of the pages of one citizen. */
export type CitizenLayout = PageLayout & {
  /** The name of the organisation that owns a client. */
  readonly nameOf: (clientId: string) => string;
  /** The operator's page about corrections of the register; undefined if there is none. */
  readonly corrections: string | undefined;
  /** Absolute: the sign-in must begin at the host to which the issuer redirects, because the cookies belong to it. */
  readonly signInUrl: string;
};

/** A page; `current` is its entry in the navigation. Without it no citizen is signed in, and there is no navigation. */
export type LayoutPage = {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly current?: 'messages' | 'documents' | 'uses' | 'record' | 'contact';
  /** The number of unread messages; absent if the page does not know it. */
  readonly unreadCount?: number;
};

/** A page with the name of the site and, for a signed-in citizen, the navigation. */
export function renderLayout(
  { words, site = words.site }: PageLayout,
  { title, content, current, status = 200, unreadCount = 0 }: LayoutPage,
): BufferedResponse {
  const header =
    current === undefined
      ? html`<p><a href="${citizenPaths.home}"><bdi>${site}</bdi></a></p>`
      : html`<p><bdi>${site}</bdi></p>${navigation(words, current, unreadCount)}`;
  return renderHtmlPage({ header, site, title, content, status, language: words.language });
}

/** The title of the messages, with the number of unread ones. */
export function messagesTitle({ nav, language }: CitizenTexts, unreadCount: number): string {
  if (unreadCount === 0) return nav.messages;
  return `${nav.messages} (${new Intl.NumberFormat(language).format(unreadCount)})`;
}

function navigation(words: CitizenTexts, current: NonNullable<LayoutPage['current']>, unreadCount: number): Html {
  const { nav, contact } = words;
  const links = [
    ['messages', citizenPaths.home, messagesTitle(words, unreadCount)],
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

/** The day of an instant in UTC, with the instant for programs. */
export function dayElement({ language }: CitizenTexts, instant: string): Html {
  return html`<time datetime="${instant}"><bdi>${formatDay(language, Date.parse(instant))}</bdi></time>`;
}

/** An instant to the minute, in UTC. */
export function minuteElement({ language }: CitizenTexts, instant: string): Html {
  return html`<time datetime="${instant}"><bdi>${formatMinute(language, Date.parse(instant))} UTC</bdi></time>`;
}
