import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BufferedResponse } from '../api/buffered-response.ts';
import type { PageRoute } from '../api/page-route.ts';
import { html } from './html.ts';
import { apiPage, citizenPage } from './page.ts';
import { startPage } from './start-page.ts';
import { favicon, stylesheet } from './stylesheet.ts';

const bodyOf = ({ body }: BufferedResponse): string => String(body);

async function getRoute({ get }: PageRoute): Promise<BufferedResponse> {
  const response = await get({}, new URLSearchParams());
  assert.ok('body' in response);
  return response;
}

test('a page has the text direction of its language', async () => {
  const opening = (language: string) =>
    /<html[^>]*>/.exec(bodyOf(citizenPage({ title: 'x', content: html``, status: 200, language })))?.[0] ?? '';
  assert.deepEqual(['de', 'ar', 'he', 'ur'].map(opening), [
    '<html lang="de" dir="ltr">',
    '<html lang="ar" dir="rtl">',
    '<html lang="he" dir="rtl">',
    '<html lang="ur" dir="rtl">',
  ]);
});

test('a page for citizens has no link to the developer pages', async () => {
  const links = (page: BufferedResponse) => [...bodyOf(page).matchAll(/<a [^>]*>/g)].map(String);
  assert.deepEqual(links(apiPage('x', html``)), ['<a href="/">']);
  assert.deepEqual(links(citizenPage({ title: 'x', content: html``, status: 200, language: 'en', sender: 'Tax' })), []);
});

test('the content security policy of a page forbids foreign sources, scripts and frames', async () => {
  const page = apiPage('x', html``);
  assert.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('a page for citizens has a header with the name of the sender, and no header if the sender is unknown', async () => {
  const part = { title: 'x', content: html``, status: 200, language: 'ar' };
  const headed = bodyOf(citizenPage({ ...part, sender: 'Tax & Co' }));
  assert.match(headed, /<header><bdi>Tax &amp; Co<\/bdi><\/header>/);
  assert.doesNotMatch(bodyOf(citizenPage(part)), /<header>/);
  assert.match(bodyOf(apiPage('x', html``)), /<html lang="en" dir="ltr">[\s\S]*<header><a href="\/">/);
});

test('the title of a page names the page and then the site', async () => {
  const titleOf = (page: BufferedResponse) => /<title>.*<\/title>/.exec(bodyOf(page))?.[0];
  assert.equal(titleOf(apiPage('Problems', html``)), '<title>Problems – citizen-services</title>');
  const ofCitizens = { title: 'Not known', content: html``, status: 404, language: 'en' };
  assert.equal(titleOf(citizenPage(ofCitizens)), '<title>Not known</title>');
  assert.equal(titleOf(citizenPage({ ...ofCitizens, sender: 'Tax & Co' })), '<title>Not known – Tax &amp; Co</title>');
  const start = await getRoute(startPage({}));
  assert.equal(titleOf(start), '<title>citizen-services</title>');
});

test('the start page links to each page with its escaped label', async () => {
  const page = await getRoute(startPage({ '/docs': 'The reference', '/outbox': 'Mail & more' }));
  const body = bodyOf(page);
  assert.deepEqual(body.match(/<li>.*?<\/li>/g), [
    '<li><a href="/docs">The reference</a></li>',
    '<li><a href="/outbox">Mail &amp; more</a></li>',
  ]);
  assert.equal(startPage({}).path, '/');
});

test('a page names its icon, and the icon is an SVG', async () => {
  assert.match(bodyOf(apiPage('x', html``)), /<link rel="icon" type="image\/svg\+xml" href="\/favicon.ico" \/>/);
  const { headers } = await getRoute(favicon);
  assert.equal(headers?.['content-type'], 'image/svg+xml');
});

/** WCAG 2.2, 1.4.3: relative luminance, and the ratio of two colours. */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/gi, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

test('text, links and borders have enough contrast in the light and in the dark scheme', async () => {
  const css = bodyOf(await getRoute(stylesheet));
  const schemes = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, inner = '']) =>
    Object.fromEntries([...inner.matchAll(/--(\w+): (#\w+)/g)].map(([, name, colour]) => [name, colour])),
  );
  assert.equal(schemes.length, 2);
  for (const { ink = '', paper = '', line = '', link = '' } of schemes) {
    for (const [colour, least] of [[ink, 7] as const, [link, 4.5] as const, [line, 3] as const]) {
      assert.ok(contrast(colour, paper) >= least, `${colour} on ${paper}`);
    }
  }
});

test('a button has the font of the text, is at least 24 pixels high, and shows its focus', async () => {
  const css = bodyOf(await getRoute(stylesheet));
  const rule = /(?:^|\n)button \{([^}]*)\}/.exec(css)?.[1] ?? '';
  assert.match(rule, /font: inherit/);
  assert.match(rule, /min-block-size: (?:[2-9]|\d\d)(?:\.\d+)?rem/);
  assert.match(css, /(?:^|[\s,}]):focus-visible \{ outline: 3px solid/);
});
