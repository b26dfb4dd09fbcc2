import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { html } from './html.ts';
import { apiPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

/** Where programs ask: a browser that is led there is shown the problem itself, as they get it. */
const apiPaths = /^\/(v1|oauth2|ledger|\.well-known)(\/|$)/;

/** What a browser shows of an address at which there is no page, besides those of citizens. */
export const browserNotFoundPage: RefusedPage = ({ url, headers }, { slug }) => {
  const isMissing = slug === 'not-found' || slug === 'problem-not-found';
  if (!isMissing || apiPaths.test(requestPath(url)) || !prefersHtml(headers.accept)) return undefined;
  const content = html`<p>There is no page at this address.</p><p><a href="/">All pages</a></p>`;
  const page = apiPage('Nothing here', content);
  return { ...page, status: problems[slug].status, headers: { ...page.headers, vary: 'accept' } };
};
