import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { html } from './html.ts';
import { apiPage, type DemoMark } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

/** At the paths of the API a browser sees the same problem as a program. */
export const apiPaths = /^\/(v1|oauth2|ledger|\.well-known)(\/|$)/;

/** Creates the page for browsers at an unknown path of the developer pages, and at all others if there are no citizen pages. */
export function createBrowserNotFoundPage(demo?: DemoMark): RefusedPage {
  return ({ url, headers }, { slug }) => {
    const isMissing = slug === 'not-found' || slug === 'problem-not-found';
    if (!isMissing || apiPaths.test(requestPath(url)) || !prefersHtml(headers.accept)) return undefined;
    const content = html`<p>There is no page at this address.</p><p><a href="/">All pages</a></p>`;
    const page = apiPage('Nothing here', content, { demo });
    return { ...page, status: problems[slug].status, headers: { ...page.headers, vary: 'accept' } };
  };
}
