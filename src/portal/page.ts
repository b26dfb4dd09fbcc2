import { html, raw } from 'hono/html';
import type { PageAnswer } from '../api/server.ts';
import { icon, stylePath } from './style.ts';

/** A piece of HTML whose inserted values were escaped. */
export type Html = ReturnType<typeof html>;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const site = 'citizen-services';

/** A whole page: no script, its style from this server, readable without it; `language` is what its words are in. */
export async function page(
  title: string,
  content: Html | Promise<Html>,
  status = 200,
  language = 'en',
): Promise<PageAnswer> {
  const direction = new Intl.Locale(language).getTextInfo().direction ?? 'ltr';
  const whole = html`${raw('<!doctype html>')}
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title === site ? site : `${title} – ${site}`}</title>
        <link rel="stylesheet" href="${stylePath}" />
        <link rel="icon" type="image/svg+xml" href="${icon.path}" />
      </head>
      <body>
        <header><a href="/">${site}</a></header>
        <main><h1>${title}</h1>${content}</main>
      </body>
    </html>`;
  return { status, headers, body: String(await whole) };
}
