import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from 'hono/html';
import { apiPage, citizenPage } from './page.ts';
import { startPage } from './start-page.ts';
import { favicon, stylesheet } from './stylesheet.ts';

async function bodyOf(answer: ReturnType<typeof apiPage>): Promise<string> {
  const made = await answer;
  assert.ok('body' in made);
  return String(made.body);
}

test('a page runs in the direction of its language', async () => {
  const opening = async (language: string) =>
    /<html[^>]*>/.exec(await bodyOf(citizenPage({ title: 'x', content: html``, status: 200, language })))?.[0] ?? '';
  assert.deepEqual(await Promise.all(['de', 'ar', 'he', 'ur'].map(opening)), [
    '<html lang="de" dir="ltr">',
    '<html lang="ar" dir="rtl">',
    '<html lang="he" dir="rtl">',
    '<html lang="ur" dir="rtl">',
  ]);
});

test('a page for citizens does not lead them to the pages of the interface', async () => {
  const links = async (answer: ReturnType<typeof apiPage>) =>
    [...(await bodyOf(answer)).matchAll(/<a [^>]*>/g)].map(String);
  assert.deepEqual(await links(apiPage('x', html``)), ['<a href="/">']);
  assert.deepEqual(
    await links(citizenPage({ title: 'x', content: html``, status: 200, language: 'en', sender: 'Tax' })),
    [],
  );
});

test('a page loads nothing from elsewhere, runs nothing, and is framed by nobody', async () => {
  const made = await apiPage('x', html``);
  assert.equal(
    made.headers['content-security-policy'],
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('a page for citizens is headed by the service that it speaks for, and where none is known by nothing', async () => {
  const part = { title: 'x', content: html``, status: 200, language: 'ar' };
  const headed = await bodyOf(citizenPage({ ...part, sender: 'Tax & Co' }));
  assert.match(headed, /<header><bdi>Tax &amp; Co<\/bdi><\/header>/);
  assert.doesNotMatch(await bodyOf(citizenPage(part)), /<header>/);
  assert.match(await bodyOf(apiPage('x', html``)), /<html lang="en" dir="ltr">[\s\S]*<header><a href="\/">/);
});

test('the title of a page says what it is, and where', async () => {
  const titleOf = async (answer: ReturnType<typeof apiPage>) => /<title>.*<\/title>/.exec(await bodyOf(answer))?.[0];
  assert.equal(await titleOf(apiPage('Problems', html``)), '<title>Problems – citizen-services</title>');
  const ofCitizens = { title: 'Not known', content: html``, status: 404, language: 'en' };
  assert.equal(await titleOf(citizenPage(ofCitizens)), '<title>Not known</title>');
  assert.equal(
    await titleOf(citizenPage({ ...ofCitizens, sender: 'Tax & Co' })),
    '<title>Not known – Tax &amp; Co</title>',
  );
  const start = startPage({}).get({}, new URLSearchParams());
  assert.equal(await titleOf(start as ReturnType<typeof apiPage>), '<title>citizen-services</title>');
});

test('the page at the root leads to each place, by its words', async () => {
  const made = startPage({ '/docs': 'The reference', '/outbox': 'Mail & more' }).get({}, new URLSearchParams());
  const body = await bodyOf(made as ReturnType<typeof apiPage>);
  assert.deepEqual(body.match(/<li>.*?<\/li>/g), [
    '<li><a href="/docs">The reference</a></li>',
    '<li><a href="/outbox">Mail &amp; more</a></li>',
  ]);
  assert.equal(startPage({}).path, '/');
});

test('a page names the picture that stands beside its title, and lets the browser show it', async () => {
  assert.match(await bodyOf(apiPage('x', html``)), /<link rel="icon" type="image\/svg\+xml" href="\/favicon.ico" \/>/);
  const { headers } = (await favicon.get({}, new URLSearchParams())) as Awaited<ReturnType<typeof apiPage>>;
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

test('text stands out from its ground in light and in dark, and so do the lines of what can be pressed', async () => {
  const css = await bodyOf(stylesheet.get({}, new URLSearchParams()) as ReturnType<typeof apiPage>);
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

test('a button is written as large as the text, is 24 pixels high at least, and shows that it is focused', async () => {
  const css = await bodyOf(stylesheet.get({}, new URLSearchParams()) as ReturnType<typeof apiPage>);
  const rule = /(?:^|\n)button \{([^}]*)\}/.exec(css)?.[1] ?? '';
  assert.match(rule, /font: inherit/);
  assert.match(rule, /min-block-size: (?:[2-9]|\d\d)(?:\.\d+)?rem/);
  assert.match(css, /(?:^|[\s,}]):focus-visible \{ outline: 3px solid/);
});
