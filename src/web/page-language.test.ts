import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCookies } from './browser-cookies.ts';
import { chooseLocale, languageLink, switchLanguage } from './page-language.ts';

const cookies = createCookies('https://services.example.gov');
const languageOf = (headers: Readonly<Record<string, string>>, stated?: string) =>
  chooseLocale(cookies, { headers }, stated).language;

test('the choice on a page takes precedence over the stated language, and that over the languages of the browser', () => {
  const browser = { 'accept-language': 'fr, en' };
  const chosen = { ...browser, cookie: '__Host-language=de' };
  assert.deepEqual([languageOf(chosen, 'nn'), languageOf(browser, 'nn'), languageOf(browser)], ['de', 'nb', 'fr']);
});

test('a language without a catalogue is ignored in the cookie and in the stated preference', () => {
  const headers = { 'accept-language': 'it', cookie: '__Host-language=xx' };
  assert.deepEqual([languageOf(headers, 'sma'), languageOf({}, 'zh')], ['it', 'en']);
});

test('the link of a language sets a cookie and leads to the same page without the parameter', () => {
  const url = languageLink('/me?before=x%26y', 'pt');
  assert.equal(url, '/me?before=x%26y&lang=pt');
  const answer = switchLanguage(cookies, { method: 'GET', url });
  assert.deepEqual([answer?.status, answer?.headers['location']], [303, '/me?before=x%26y']);
  assert.match(
    String(answer?.headers['set-cookie']),
    /^__Host-language=pt; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
  );
});

test('an unknown language sets no cookie, and a page without the parameter is not redirected', () => {
  const unknown = switchLanguage(cookies, { method: 'GET', url: '/me?lang=%0d%0ax' });
  assert.deepEqual([unknown?.headers['location'], unknown?.headers['set-cookie']], ['/me', []]);
  assert.equal(switchLanguage(cookies, { method: 'GET', url: '/me?language=de' }), undefined);
  assert.equal(switchLanguage(cookies, { method: 'POST', url: '/me?lang=de' }), undefined);
});

test('the switch never leads to another host', () => {
  for (const url of ['//evil.example/?lang=de', '///evil.example?lang=de']) {
    const location = String(switchLanguage(cookies, { method: 'GET', url })?.headers['location']);
    assert.equal(new URL(location, 'https://services.example.gov').host, 'services.example.gov', location);
  }
});
