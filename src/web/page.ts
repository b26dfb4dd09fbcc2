import { html, raw } from 'hono/html';
import type { BufferedResponse } from '../api/buffered-response.ts';
import { favicon, stylesheetPath } from './stylesheet.ts';

/** A piece of HTML whose inserted values were escaped. */
export type Html = ReturnType<typeof html>;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const program = 'citizen-services';

/** A page for those who use the interface, in English, with a way to all others. */
export function apiPage(title: string, content: HtmlContent): Promise<BufferedResponse> {
  const header = html`<a href="/">${program}</a>`;
  return renderHtmlPage({ header, site: program, title, content, status: 200, language: 'en' });
}

/**
 * A page for citizens; `language` is what its words are in, `sender` the service that it speaks for, where that is known: the
 * name of this program says nothing to them. It leads nowhere: the other pages are not for them.
 */
export function citizenPage({
  sender,
  ...part
}: PagePart & { readonly sender?: string | undefined }): Promise<BufferedResponse> {
  return renderHtmlPage({
    ...part,
    site: sender,
    header: sender === undefined ? undefined : html`<bdi>${sender}</bdi>`,
  });
}

export type HtmlContent = Html | Promise<Html>;

type PagePart = {
  readonly title: string;
  readonly content: HtmlContent;
  readonly status: number;
  readonly language: string;
};

type HtmlPage = PagePart & { readonly header: HtmlContent | undefined; readonly site: string | undefined };

/** A whole page: no script, its style from this server, readable without it. */
export async function renderHtmlPage({
  header,
  site,
  title,
  content,
  status,
  language,
}: HtmlPage): Promise<BufferedResponse> {
  const direction = new Intl.Locale(language).getTextInfo().direction ?? 'ltr';
  const text = html`${raw('<!doctype html>')}
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${site === undefined || title === site ? title : `${title} – ${site}`}</title>
        <link rel="stylesheet" href="${stylesheetPath}" />
        <link rel="icon" type="image/svg+xml" href="${favicon.path}" />
      </head>
      <body>
        ${header === undefined ? '' : html`<header>${header}</header>`}
        <main><h1>${title}</h1>${content}</main>
      </body>
    </html>`;
  return { status, headers, body: String(await text) };
}
