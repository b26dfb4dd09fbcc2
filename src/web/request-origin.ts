import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** With `no-referrer`, browsers send `Origin: null` for the forms of a page. No other site gets a referrer. */
export const formHeaders = { 'referrer-policy': 'same-origin' };

/** Whether a person follows a link, in contrast to a form, or a page that the browser prefetches or embeds. */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && [undefined, 'navigate'].includes(headers['sec-fetch-mode']) && !isPrefetch(headers);
}

/**
 * A request that another page makes, also one of another host of the same domain, for which browsers send the cookie (cross-site
 * request forgery). It counts as a request without a cookie (test/attacks/citizen-pages.test.ts, test/attacks/citizen-form-origins.test.ts). Origin of a form must be this site in
 * any case. `null` can be a page of any site, so it is accepted only from a browser that also says `same-origin`. Another page may
 * link here, but not embed: an image of the address of a message would prove that the citizen has read it.
 */
export function isCrossOrigin({ method, headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']?.toString();
  const isOther = !['same-origin', 'none', undefined].includes(site);
  if (method !== 'POST') return isOther && !isTopLevelNavigation(headers);
  const isOwnOrigin = [new URL(publicUrl).origin, undefined].includes(headers.origin);
  return isOther || !(isOwnOrigin || (headers.origin === 'null' && site === 'same-origin'));
}

function isTopLevelNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** The headers with which browsers mark a page that nobody reads yet; the last two are of older browsers. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Nobody reads a page that a browser prefetches (test/attacks/citizen-mail-links.test.ts). */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return purposeHeaders.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')));
}
