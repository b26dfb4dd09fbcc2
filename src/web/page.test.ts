import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { PageRoute } from '../api/page-route.ts';
import { html } from './html.ts';
import { apiPage, renderHtmlPage } from './page.ts';
import { favicon } from './stylesheet.ts';

const bodyOf = ({ body }: BufferedResponse): string => String(body);
const frame = { header: html``, skip: 'Skip', site: 'Tax & Co', status: 200 };

async function getRoute({ get }: PageRoute): Promise<BufferedResponse> {
  const response = await get({}, new URLSearchParams());
  assert.ok('body' in response);
  return response;
}

test('a page has the text direction of its language', () => {
  const opening = (language: string) =>
    /<html[^>]*>/.exec(bodyOf(renderHtmlPage({ ...frame, title: 'x', content: html``, language })))?.[0] ?? '';
  assert.deepEqual(['de', 'ar', 'he', 'ur'].map(opening), [
    '<html lang="de" dir="ltr">',
    '<html lang="ar" dir="rtl">',
    '<html lang="he" dir="rtl">',
    '<html lang="ur" dir="rtl">',
  ]);
});

test('the first link of a page leads to its main part', () => {
  const [first] = bodyOf(apiPage('x', html``)).match(/<a [^>]*>[^<]*<\/a>/) ?? [];
  assert.equal(first, '<a class="skip-link" href="#main">Skip to main content</a>');
  assert.match(bodyOf(apiPage('x', html``)), /<main id="main" tabindex="-1"><h1>x<\/h1>/);
});

test('a developer page links to the start page and the sections, and marks its own section', () => {
  const header = /<header>[\s\S]*<\/header>/.exec(bodyOf(apiPage('x', html``, { current: '/docs/guide' })))?.[0] ?? '';
  assert.deepEqual([...header.matchAll(/<a [^>]*>/g)].map(String), [
    '<a href="/">',
    '<a href="/docs">',
    '<a href="/docs/guide" aria-current="page">',
    '<a href="/problems">',
  ]);
});

test('the content security policy of a page forbids foreign sources, scripts and frames', () => {
  const page = apiPage('x', html``);
  assert.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('the title of a document names the page and then the site', () => {
  const titleOf = (page: BufferedResponse) => /<title>.*<\/title>/.exec(bodyOf(page))?.[0];
  assert.equal(titleOf(apiPage('Problems', html``)), '<title>Problems – citizen-services</title>');
  assert.equal(titleOf(apiPage('citizen-services', html``)), '<title>citizen-services</title>');
  const notKnown = renderHtmlPage({ ...frame, title: 'Not known', content: html``, language: 'en' });
  assert.equal(titleOf(notKnown), '<title>Not known – Tax &amp; Co</title>');
});

test('a page names its icon, and the icon is an SVG', async () => {
  assert.match(bodyOf(apiPage('x', html``)), /<link rel="icon" type="image\/svg\+xml" href="\/favicon.ico" \/>/);
  const { headers } = await getRoute(favicon);
  assert.equal(headers?.['content-type'], 'image/svg+xml');
});
