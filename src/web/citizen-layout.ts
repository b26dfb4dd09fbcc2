import type { BufferedResponse } from '../api/buffered-response.ts';
import { textDirection } from '../kernel/text-direction.ts';
import { formatDay, formatMinute } from '../locales/date-format.ts';
import { pageLanguages } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { currentAttribute, renderHtmlPage } from './page.ts';
import { languageLink } from './page-language.ts';
import { sessionWarning } from './session-warning.ts';
import { citizenPaths } from './sign-in-flow.ts';
import type { SiteFrame } from './site-frame.ts';

/** The language of a page, and the name of the site. */
export type PageLayout = {
  readonly words: CitizenTexts;
  /** Set by the operator; by default the name in the texts. */
  readonly site: string | undefined;
  /** The look and the footer of the operator; without it the page has neither. */
  readonly frame?: SiteFrame | undefined;
  /** The path and query that show this page in another language; without them the page has no language switch. */
  readonly url?: string | undefined;
  /** The signed-in citizen; absent if nobody is signed in. */
  readonly person?: SignedInPerson | undefined;
  /** Whether the name of the site is no link, because the visitor has no other page here. */
  readonly isSinglePage?: boolean;
  /** The minutes until the session of the signed-in citizen ends. */
  readonly minutesLeft?: number | undefined;
  /** The path of the first page, and the links to the others; by default those of citizens. */
  readonly area?: { readonly home: string; readonly navigation: Html | '' } | undefined;
};

/** The signed-in person. */
export type SignedInPerson = {
  /** Undefined if the register does not answer. */
  readonly name: string | undefined;
  /** The value that binds the forms of the page to the citizen (form-owner.ts); absent on staff pages. */
  readonly formOwner?: string;
  readonly unreadCount?: number;
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

/** A page; `current` is its entry in the navigation. */
export type LayoutPage = {
  readonly title: string;
  /** The language of a title that a service has written; empty if it is not known. */
  readonly titleLanguage?: string;
  readonly content: Html;
  readonly status?: number;
  /** Whether a form has faults, so that the title of the document starts with "Error". */
  readonly hasFaults?: boolean;
  readonly current?: 'messages' | 'documents' | 'uses' | 'record' | 'contact';
  /** The number of unread messages, if the page has changed it. */
  readonly unreadCount?: number;
};

/** A page with the name of the site, the footer and, for a signed-in citizen, the navigation. */
export function renderLayout(
  layout: PageLayout,
  { title, titleLanguage, content, current, status = 200, hasFaults = false, unreadCount }: LayoutPage,
): BufferedResponse {
  const { words, site = words.site, frame, person, minutesLeft, area } = layout;
  const { language } = words;
  const warning = minutesLeft === undefined ? '' : sessionWarning(words, minutesLeft);
  const isSignedIn = person !== undefined || current !== undefined;
  return renderHtmlPage({
    header: html`${masthead(layout)}${isSignedIn ? (area?.navigation ?? navigation(words, current, unreadCount ?? person?.unreadCount ?? 0)) : ''}`,
    footer: footer(layout),
    demoLine: frame?.demo && words.frame[frame.demo],
    skip: words.frame.skip,
    site,
    title,
    documentTitle: hasFaults ? formatMessage(language, words.forms.errorTitle, { title }) : title,
    titleLanguage,
    content: html`${content}${warning}`,
    status,
    language,
    stylesheetPath: frame?.stylesheetPath,
    iconPath: frame?.iconPath,
  });
}

function masthead({ words, site = words.site, frame, person, area, isSinglePage = false }: PageLayout): Html {
  // The name is next to the logo, so the logo needs no text of its own.
  const logo = frame?.logoPath === undefined ? '' : html`<img src="${frame.logoPath}" alt="" />`;
  const name = html`${logo}<bdi>${site}</bdi>`;
  return html`<div class="masthead">
      <p>${isSinglePage ? html`<span>${name}</span>` : html`<a href="${area?.home ?? citizenPaths.home}">${name}</a>`}</p>
      ${person?.name === undefined ? '' : html`<p class="person">${signedInText(words, person.name)}</p>`}
    </div>`;
}

/** The name is isolated, so that its text direction does not change the order of the other words (UAX #9, 2.7). */
function signedInText({ frame, language }: CitizenTexts, name: string): string {
  return formatMessage(language, frame.signedInAs, { name: `\u2068${name}\u2069` });
}

/** The title of the messages, with the number of unread ones. */
export function messagesTitle({ nav, messages, language }: CitizenTexts, unreadCount: number): string {
  return unreadCount === 0 ? nav.messages : formatMessage(language, messages.titleNew, { count: unreadCount });
}

/** The comma of the language between two values. */
export function commaOf({ language }: CitizenTexts): string {
  return language === 'ar' ? '\u060c' : ',';
}

/** In a narrow window the links are in a menu, which opens without script. */
function navigation(words: CitizenTexts, current: LayoutPage['current'], unreadCount: number): Html {
  const { nav, contact, frame } = words;
  const links = [
    ['messages', citizenPaths.home, messagesTitle(words, unreadCount)],
    ['documents', citizenPaths.documents, nav.documents],
    ['uses', citizenPaths.uses, nav.uses],
    ['record', citizenPaths.record, nav.record],
    ['contact', citizenPaths.contact, contact.title],
  ] as const;
  return html`<nav aria-label="${nav.label}"><details><summary>${frame.menu}</summary><ul>
      ${links.map(
        ([name, path, title]) => html`<li><a href="${path}"${currentAttribute(name === current)}>${title}</a></li>`,
      )}
      <li><form method="post" action="${citizenPaths.signOut}"><button type="submit">${nav.signOut}</button></form></li>
    </ul></details></nav>`;
}

function footer({ words, frame, url }: PageLayout): Html {
  const { accessibility, privacy, help } = frame?.footerLinks ?? {};
  const links = [
    [accessibility, words.frame.accessibility],
    [privacy, words.frame.privacy],
    [help, words.frame.help],
  ].flatMap(([href, text]) => (href === undefined ? [] : [html`<li><a href="${href}">${text}</a></li>`]));
  return html`${links.length === 0 ? '' : html`<ul>${links}</ul>`}
    ${url === undefined ? '' : languageSwitch(words, url)}`;
}

/** Each language is named in itself, for people who do not understand the language of the page. */
function languageSwitch({ frame, language: current }: CitizenTexts, url: string): Html {
  const links = pageLanguages.map((language) => {
    const mark = language === current ? trustedHtml(' aria-current="true"') : '';
    const direction = textDirection(language);
    return html`<li><a href="${languageLink(url, language)}" lang="${language}" hreflang="${language}" dir="${direction}"${mark}>${ownName(language)}</a></li>`;
  });
  return html`<nav aria-label="${frame.language}"><p>${frame.language}</p><ul>${links}</ul></nav>`;
}

function ownName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** The day of an instant, with the instant for programs. */
export function dayElement(words: CitizenTexts, instant: string): Html {
  return html`<time datetime="${instant}"><bdi>${dayText(words, instant)}</bdi></time>`;
}

/** The day of an instant in the time zone of the operator. */
export function dayText({ language, timeZone }: CitizenTexts, instant: string): string {
  return formatDay(language, Date.parse(instant), timeZone);
}

/** An instant to the minute. */
export function minuteElement(words: CitizenTexts, instant: string): Html {
  return html`<time datetime="${instant}"><bdi>${minuteText(words, instant)}</bdi></time>`;
}

/** An instant to the minute in the time zone of the operator. Without one it is in UTC, and says so. */
export function minuteText({ language, timeZone = 'UTC' }: CitizenTexts, instant: string): string {
  const text = formatMinute(language, Date.parse(instant), timeZone);
  return timeZone === 'UTC' ? `${text} UTC` : text;
}
