import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openCookieBrowser, readHtmlForm, signInAtDemo } from '../support/cookie-browser.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

// The language of the pages for citizens, and the name in their header.
let home: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start('demo');
});

const languageOf = ({ body }: { readonly body: Buffer }) => /<html lang="(\w+)"/.exec(body.toString('utf8'))?.[1];

test('the language that a visitor chooses applies to all pages, also before the sign-in and after the sign-out', async () => {
  const browser = openCookieBrowser(home.url);
  const paths = ['/', '/me', '/me/nothing', '/received/dlv_x.mark'];
  const shown = async () =>
    await Promise.all(paths.map(async (path) => languageOf(await browser.get(path, { accept: 'text/html' }))));
  assert.deepEqual(await shown(), ['en', 'en', 'en', 'en']);
  const chosen = await browser.follow('/me/documents?lang=nl');
  assert.deepEqual([chosen.url, languageOf(chosen)], [`${home.url}/me/documents`, 'nl']);
  assert.deepEqual(await shown(), ['nl', 'nl', 'nl', 'nl']);
  assert.equal(languageOf(await signInAtDemo(browser, 'demo-mary', '/me/record')), 'nl');
  assert.equal(languageOf(await browser.post('/me/sign-out')), 'nl');
});

test('the language that a citizen has stated for messages applies to the pages, unless the citizen has chosen another one', async () => {
  const layla = openCookieBrowser(home.url);
  assert.equal(languageOf(await signInAtDemo(layla, 'demo-layla', '/me/contact')), 'en');
  const form = readHtmlForm((await layla.get('/me/contact/language')).body.toString('utf8'), 'name="language"');
  form.set('language', 'de');
  assert.equal((await layla.post('/me/contact/language', {}, form)).status, 303);
  for (const path of ['/me', '/me/documents', '/me/record', '/me/messages/none'])
    assert.equal(languageOf(await layla.get(path)), 'de', path);
  await layla.get('/me?lang=fr');
  assert.equal(languageOf(await layla.get('/me')), 'fr');
});

test('the header names the signed-in citizen', async () => {
  const mary = openCookieBrowser(home.url);
  const page = (await signInAtDemo(mary, 'demo-mary')).body.toString('utf8');
  assert.match(page, /<p class="person">Signed in as \u2068Mary Smith\u2069<\/p>/);
  assert.doesNotMatch((await mary.post('/me/sign-out')).body.toString('utf8'), /class="person"/);
});
