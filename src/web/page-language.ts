import type { IncomingMessage } from 'node:http';
import type { BufferedResponse } from '../api/buffered-response.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { findLocale, type Locale, localeForHeader } from '../locales/locale.ts';
import type { Cookies } from './browser-cookies.ts';

const languageCookie = 'language';
const languageSeconds = 365 * 86_400;
const languageParameter = 'lang';

type RequestLine = Pick<IncomingMessage, 'url' | 'method'>;

/**
 * The texts for a request: in the language that the visitor chose on a page, else in the one that the citizen has stated for messages,
 * else in the first language of the browser that has a catalogue.
 */
export function chooseLocale(
  cookies: Pick<Cookies, 'read'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  statedLanguage?: string,
): Locale {
  const chosen = findLocale(cookies.read(headers.cookie, languageCookie));
  return chosen ?? findLocale(statedLanguage) ?? localeForHeader(headers['accept-language']);
}

/**
 * The response to the link of the language switch: it sets the cookie and leads to the same page without the parameter, so that the
 * address which the visitor stores or sends has no language. Undefined for any other request.
 */
export function switchLanguage(cookies: Pick<Cookies, 'write'>, request: RequestLine): BufferedResponse | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const query = new URLSearchParams(requestQuery(request.url));
  const wanted = query.get(languageParameter);
  if (wanted === null) return undefined;
  query.delete(languageParameter);
  const { language } = findLocale(wanted) ?? {};
  const location = targetOf(requestPath(request.url), query);
  const cookie = language === undefined ? [] : [cookies.write(languageCookie, language, languageSeconds)];
  return { status: 303, headers: { location, 'cache-control': 'no-store', 'set-cookie': cookie }, body: '' };
}

/** The address of this page in another language, for a page that GET serves. */
export function languageLink(url: string | undefined, language: string): string {
  const query = new URLSearchParams(requestQuery(url));
  query.set(languageParameter, language);
  return targetOf(requestPath(url), query);
}

/** More than one slash at the start would be the address of another host. */
function targetOf(path: string, query: URLSearchParams): string {
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return `${path.replace(/^\/+/, '/')}${search}`;
}
