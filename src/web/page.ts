import type { BufferedResponse } from '../api/buffered-response.ts';
import { textDirection } from '../kernel/text-direction.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { favicon, stylesheetPath } from './stylesheet.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const program = 'citizen-services';

const developerSections = {
  '/docs': 'API reference',
  '/docs/guide': 'Guides',
  '/problems': 'Problems',
} as const;

/** The line that marks each page of a demo, by its name in the texts: `demoSends` if the demo has a provider of messages. */
export type DemoMark = 'demo' | 'demoSends';

const demoLines = {
  demo: 'Demo: invented people, nothing is sent',
  demoSends: 'Demo: invented people',
} as const satisfies Record<DemoMark, string>;

/** The frame of a page for developers. */
type ApiPageFrame = {
  /** The section of the page. */
  readonly current?: keyof typeof developerSections;
  readonly demo?: DemoMark | undefined;
};

/** A page for developers, in English, with links to the start page and the sections. */
export function apiPage(title: string, content: Html, { current, demo }: ApiPageFrame = {}): BufferedResponse {
  const header = html`<div class="masthead"><p><a href="/">${program}</a></p></div>
    <nav aria-label="For developers"><ul>${Object.entries(developerSections).map(
      ([path, name]) => html`<li><a href="${path}"${currentAttribute(path === current)}>${name}</a></li>`,
    )}</ul></nav>`;
  const skip = 'Skip to main content';
  const demoLine = demo && demoLines[demo];
  return renderHtmlPage({ header, demoLine, skip, site: program, title, content, status: 200, language: 'en' });
}

/** Marks the link to the page itself in a navigation. */
export function currentAttribute(isCurrent: boolean): Html | '' {
  return isCurrent ? trustedHtml(' aria-current="page"') : '';
}

/** A page and its frame: `skip` is the text of the link to the main part. */
type HtmlPage = {
  readonly title: string;
  /** The title of the document, if it is not that of the heading. */
  readonly documentTitle?: string;
  /** The language of the title, if it is not that of the page; empty if it is not known. */
  readonly titleLanguage?: string | undefined;
  readonly content: Html;
  readonly status: number;
  readonly language: string;
  readonly header: Html;
  /** The line above the header that marks the pages of a demo. */
  readonly demoLine?: string | undefined;
  readonly footer?: Html;
  readonly skip: string;
  readonly site: string;
  readonly stylesheetPath?: string | undefined;
  readonly iconPath?: string | undefined;
};

/** A whole page without script. Its stylesheet and pictures come from this server. */
export function renderHtmlPage({ title, content, status, language, site, ...frame }: HtmlPage): BufferedResponse {
  const {
    documentTitle = title,
    header,
    demoLine,
    footer,
    skip,
    stylesheetPath: css = stylesheetPath,
    iconPath = favicon.path,
  } = frame;
  const iconType = iconPath.endsWith('.png') ? 'image/png' : 'image/svg+xml';
  const text = html`${trustedHtml('<!doctype html>')}
    <html lang="${language}" dir="${textDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${documentTitle === site ? site : `${documentTitle} – ${site}`}</title>
        <link rel="stylesheet" href="${css}" />
        <link rel="icon" type="${iconType}" href="${iconPath}" />
      </head>
      <body>
        <a class="skip-link" href="#main">${skip}</a>
        <header>${demoLine === undefined ? '' : html`<p class="demo">${demoLine}</p>`}${header}</header>
        <main id="main" tabindex="-1">${heading(title, frame.titleLanguage)}${content}</main>
        ${footer === undefined ? '' : html`<footer>${footer}</footer>`}
      </body>
    </html>`;
  return { status, headers, body: String(text) };
}

function heading(title: string, language: string | undefined): Html {
  return language === undefined ? html`<h1>${title}</h1>` : html`<h1 lang="${language}" dir="auto">${title}</h1>`;
}
