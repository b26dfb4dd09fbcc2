import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSite } from '../../test/support/default-site.ts';
import { findLocale, localeFor } from '../locales/locale.ts';
import { commaOf, dayElement, minuteElement, type PageLayout, renderLayout } from './citizen-layout.ts';
import { citizenTextsOf } from './citizen-texts.ts';
import { html } from './html.ts';

const words = citizenTextsOf(localeFor('en'));
const layout: PageLayout = { words, site: 'Tax & Co', frame: defaultSite.frame, url: '/me?before=1' };
const pageOf = (more: Partial<PageLayout>, current?: 'record') =>
  String(renderLayout({ ...layout, ...more }, { title: 'x', content: html``, ...(current && { current }) }).body);

test('a signed-in citizen sees the own name and the navigation, in which the current page is marked', () => {
  const page = pageOf({ person: { name: 'ליאה <b>', formOwner: '' } }, 'record');
  assert.match(page, /Signed in as \u2068ליאה &lt;b&gt;\u2069/);
  assert.deepEqual(page.match(/<a [^>]*aria-current="page"[^>]*>/g), ['<a href="/me/record" aria-current="page">']);
  // A page outside the navigation has it too, such as one that does not exist.
  assert.match(pageOf({ person: { name: undefined, formOwner: '' } }), /<nav aria-label="Your pages">/);
});

test('a visitor who is not signed in sees neither a name nor the navigation', () => {
  assert.doesNotMatch(pageOf({}), /Signed in as|Your pages|Sign out/);
});

test('the footer has only the links that the operator has set', () => {
  const links = (page: string) => /<footer>(.*?)<nav/s.exec(page)?.[1]?.match(/<a [^>]*>[^<]*/g) ?? [];
  assert.deepEqual(links(pageOf({})), []);
  const footerLinks = { accessibility: 'https://a.example/?x=1&y', privacy: undefined, help: 'tel:+351' };
  assert.deepEqual(links(pageOf({ frame: { ...defaultSite.frame, footerLinks } })), [
    '<a href="https://a.example/?x=1&amp;y">Accessibility statement',
    '<a href="tel:+351">Help and contact',
  ]);
});

test('the language switch names each language in itself and keeps the page', () => {
  const page = pageOf({});
  assert.match(page, /<a href="\/me\?before=1&amp;lang=de" lang="de" hreflang="de" dir="ltr">Deutsch<\/a>/);
  assert.match(page, /lang="en" hreflang="en" dir="ltr" aria-current="true">English</);
  assert.doesNotMatch(pageOf({ url: undefined }), /hreflang/);
});

test('a page that was opened from a mail has no link to other pages in its header', () => {
  const headerOf = (page: string) => /<header>.*<\/header>/s.exec(page)?.[0] ?? '';
  assert.match(headerOf(pageOf({})), /<a href="\/me">/);
  assert.doesNotMatch(headerOf(pageOf({ isSinglePage: true })), /<a /);
  assert.match(headerOf(pageOf({ isSinglePage: true })), /<bdi>Tax &amp; Co<\/bdi>/);
});

test('a title in another language has that language and its own direction', () => {
  const page = renderLayout(layout, { title: 'تصريح', titleLanguage: 'ar', content: html`` });
  assert.match(String(page.body), /<h1 lang="ar" dir="auto">تصريح<\/h1>/);
});

test('the comma between two values is that of the language', () => {
  const arabic = findLocale('ar');
  assert.ok(arabic !== undefined);
  assert.deepEqual([commaOf(words), commaOf(citizenTextsOf(arabic))], [',', '\u060c']);
});

test('instants are in the time zone of the operator, and in UTC with that word if there is none', () => {
  const locale = findLocale('de');
  assert.ok(locale !== undefined);
  const late = '2026-11-26T23:30:00Z';
  assert.match(String(dayElement(citizenTextsOf(locale, 'Europe/Berlin'), late)), /27\. November 2026/);
  assert.match(
    String(minuteElement(citizenTextsOf(locale, 'Europe/Berlin'), late)),
    /27\. November 2026 um 00:30<\/bdi>/,
  );
  assert.match(String(minuteElement(citizenTextsOf(locale), late)), /26\. November 2026 um 23:30 UTC/);
});
