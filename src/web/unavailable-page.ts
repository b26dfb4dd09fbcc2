import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { renderLayout } from './citizen-layout.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { html } from './html.ts';
import { apiPaths } from './not-found-page.ts';
import { chooseLocale } from './page-language.ts';
import { prefersHtml } from './prefers-html.ts';
import type { MailPageSite } from './receipt-page.ts';

/** Creates the page for browsers at every page that has no such page of its own, when the server is overloaded or stops. */
export function createUnavailablePage({ frame, cookies }: MailPageSite): RefusedPage {
  return (request, refusal) => {
    const { url = '', headers } = request;
    const { retryable, status } = problems[refusal.slug];
    if (retryable !== true || apiPaths.test(requestPath(url)) || !prefersHtml(headers.accept)) return undefined;
    const words = citizenTextsOf(chooseLocale(cookies, request), frame.timeZone);
    const { title, text } = words.unavailable;
    const layout = { words, site: frame.name, frame, url: undefined, isSinglePage: true };
    const page = renderLayout(layout, { title, content: html`<p>${text}</p>`, status });
    return { ...page, headers: { ...refusal.headers, ...page.headers, vary: 'accept, accept-language, cookie' } };
  };
}
