import { html } from 'hono/html';
import type { RefusedPage } from '../api/problem-answer.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { pathOf } from '../kernel/request-target.ts';
import { page } from './page.ts';
import { wantsPage } from './wants-page.ts';

/** Where programs ask: a browser that is led there is shown the problem itself, as they get it. */
const ofPrograms = /^\/(v1|oauth2|ledger|\.well-known)(\/|$)/;

/** What a browser shows of an address at which there is no page, besides those of citizens. */
export const missingPage: RefusedPage = ({ url, headers }, { slug }) => {
  const isMissing = slug === 'not-found' || slug === 'problem-not-found';
  if (!isMissing || ofPrograms.test(pathOf(url)) || !wantsPage(headers.accept)) return undefined;
  const content = html`<p>There is no page at this address.</p><p><a href="/">All pages</a></p>`;
  return page('Nothing here', content).then((shown) => ({
    ...shown,
    status: problems[slug].status,
    headers: { ...shown.headers, vary: 'accept' },
  }));
};
