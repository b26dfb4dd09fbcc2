import type { OutgoingHttpHeaders } from 'node:http';
import { formOwnerField } from '../../src/web/form-owner.ts';
import { createHttpClient, type HttpResponse } from './http-client.ts';

/** A simple browser with cookies and redirects. It runs no scripts and loads no resources. */
export type CookieBrowser = {
  /** The present cookies by name; a test may change them. */
  readonly cookies: Map<string, string>;
  get(url: string, headers?: OutgoingHttpHeaders): Promise<HttpResponse>;
  /**
   * Sends a form; without a form, an empty body without a content type. A form that does not name its citizen gets the hidden field of
   * the last page that had one.
   */
  post(url: string, headers?: OutgoingHttpHeaders, form?: URLSearchParams): Promise<HttpResponse>;
  /** Like `get`, but follows up to ten redirects; returns the last response with its address. */
  follow(url: string, headers?: OutgoingHttpHeaders): Promise<HttpResponse & { readonly url: string }>;
};

const ownerTag = `name="${formOwnerField}"`;
const formContentType = { 'content-type': 'application/x-www-form-urlencoded' };

/** A new browser without cookies. Like real browsers, it sends the cookies of a host to all ports of that host. */
export function openCookieBrowser(baseUrl: string): CookieBrowser {
  const cookies = new Map<string, string>();
  let formOwner = '';

  async function send(method: string, url: string, headers: OutgoingHttpHeaders, body = ''): Promise<HttpResponse> {
    const { origin, pathname, search } = new URL(url, baseUrl);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const allHeaders = { 'accept-language': 'en', ...(cookie === '' ? {} : { cookie }), ...headers };
    const answer = await createHttpClient(origin)({ method, path: `${pathname}${search}`, headers: allHeaders, body });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    formOwner = readHtmlForm(answer.body.toString('utf8'), ownerTag).get(formOwnerField) ?? formOwner;
    return answer;
  }

  async function follow(url: string, headers: OutgoingHttpHeaders = {}) {
    let at = new URL(url, baseUrl).href;
    let answer = await send('GET', at, headers);
    for (let left = 10; left > 0 && answer.headers.location !== undefined; left -= 1) {
      at = new URL(answer.headers.location, at).href;
      answer = await send('GET', at, headers);
    }
    return { ...answer, url: at };
  }

  return {
    cookies,
    get: (url, headers = {}) => send('GET', url, headers),
    post: (url, headers = {}, form = undefined) =>
      form === undefined
        ? send('POST', url, headers)
        : send('POST', url, { ...formContentType, ...headers }, withOwner(form, formOwner).toString()),
    follow,
  };
}

function withOwner(form: URLSearchParams, owner: string): URLSearchParams {
  return form.has(formOwnerField) ? form : new URLSearchParams([...form, [formOwnerField, owner]]);
}

/** Signs in as that citizen at the issuer of the demo, and returns the page that was first requested. */
export async function signInAtDemo(browser: CookieBrowser, citizenId: string, to = '/me') {
  const choice = await browser.follow(`/me/sign-in?to=${encodeURIComponent(to)}`);
  return await browser.follow(`${choice.url}&as=${citizenId}`);
}

/** A browser in which that citizen has signed in at the demo. */
export async function openCitizenBrowser(baseUrl: string, citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(baseUrl);
  const { url, body } = await signInAtDemo(browser, citizenId);
  if (url !== `${baseUrl}/me`) throw new Error(`expected the first page of citizens, received ${url}: ${body}`);
  return browser;
}

/**
 * The values that a browser submits for an unchanged form: its inputs, selected options and ticked boxes. Reads the last
 * form of the page that contains `text`.
 */
export function readHtmlForm(page: string, text = ''): URLSearchParams {
  const form = new URLSearchParams();
  const html = page.split('<form ').findLast((part) => part.includes(text)) ?? '';
  for (const [tag] of html.matchAll(/<input[^>]*>|<select[\s\S]*?<\/select>/g)) {
    const name = htmlAttribute(tag, 'name');
    if (tag.startsWith('<input')) {
      const isUnchecked = /type="checkbox"/.test(tag) && !/ checked/.test(tag);
      if (!isUnchecked) form.append(name, htmlAttribute(tag, 'value'));
      continue;
    }
    const options = [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => option);
    const selected = options.filter((option) => / selected/.test(option));
    if (selected.length > 1) throw new Error(`expected one selected option of ${name}, received ${selected.length}`);
    form.append(name, htmlAttribute(selected[0] ?? options[0] ?? '', 'value'));
  }
  return form;
}

function htmlAttribute(tag: string, name: string): string {
  const text = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const letters = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return Object.entries(letters).reduce((all, [escaped, letter]) => all.replaceAll(escaped, letter), text);
}
