import type { BufferedResponse } from '../api/buffered-response.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { favicon, stylesheetPath } from './stylesheet.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const program = 'citizen-services';

/** A page for developers, in English, with a link to the start page. */
export function apiPage(title: string, content: Html): BufferedResponse {
  const header = html`<a href="/">${program}</a>`;
  return renderHtmlPage({ header, site: program, title, content, status: 200, language: 'en' });
}

/**
 * A page for citizens in `language`. `sender` is the service that it speaks for, if known; citizens do not know the name of this
 * program. It has no link, because the other pages are not for them.
 */
export function citizenPage({
  sender,
  ...part
}: PagePart & { readonly sender?: string | undefined }): BufferedResponse {
  return renderHtmlPage({
    ...part,
    site: sender,
    header: sender === undefined ? undefined : html`<bdi>${sender}</bdi>`,
  });
}

type PagePart = {
  readonly title: string;
  readonly content: Html;
  readonly status: number;
  readonly language: string;
};

type HtmlPage = PagePart & {
  readonly header: Html | undefined;
  readonly site: string | undefined;
  /** The title of the document, if it is not that of the heading. */
  readonly documentTitle?: string;
};

/** A whole page without script. Its stylesheet comes from this server. */
export function renderHtmlPage(page: HtmlPage): BufferedResponse {
  const { header, site, title, documentTitle = title, content, status, language } = page;
  const direction = new Intl.Locale(language).getTextInfo().direction ?? 'ltr';
  const text = html`${trustedHtml('<!doctype html>')}
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${site === undefined || documentTitle === site ? documentTitle : `${documentTitle} – ${site}`}</title>
        <link rel="stylesheet" href="${stylesheetPath}" />
        <link rel="icon" type="image/svg+xml" href="${favicon.path}" />
      </head>
      <body>
        ${header === undefined ? '' : html`<header>${header}</header>`}
        <main><h1>${title}</h1>${content}</main>
      </body>
    </html>`;
  return { status, headers, body: String(text) };
}
