import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  type OpenedPage,
  overflowingElements,
  type PageView,
} from '../support/browser.ts';
import { startBrowserDemo } from '../support/browser-demo.ts';
import { bearerHeaders, createHttpClient, fetchOnce, postJson } from '../support/http-client.ts';
import type { ServerFixture } from '../support/server-process.ts';

// The pages for citizens in a real browser.
const skip = browserSkipReason;
const demo = startBrowserDemo({ prepare: fill });

/** Messages and documents that are hard to render: right to left, without spaces, with every kind of block. */
async function fill(server: ServerFixture): Promise<void> {
  const [ask, token] = [createHttpClient(server.url), await server.fetchAccessToken()];
  const citizenId = 'demo-layla';
  for (const message of [
    {
      citizenId,
      subject: 'تصريح الوقوف رقم 119',
      message: 'صدر تصريح الوقوف رقم 2026/119 في 20 November 2026.',
      language: 'ar',
    },
    {
      citizenId,
      subject: 'x'.repeat(120),
      message: `# Renewal\n\nRenew it at https://permits.example/${'renewal-'.repeat(30)}\n\n1. by Friday\n2. **in person**`,
    },
    { citizenId, message: 'Without a subject.', legalEffect: 'after-14-days' },
  ])
    assert.equal((await ask(postJson(token, '/v1/notifications/send', message))).status, 202);
  const headers = {
    'content-type': 'text/plain',
    'citizen-id': citizenId,
    'document-title': encodeURIComponent('إشعار 2026/7 '.repeat(9)),
  };
  const stored = await ask({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(token, headers),
    body: 'Nothing is owed.',
  });
  assert.equal(stored.status, 201, String(stored.body));
  const claims = {
    citizenId,
    givenName: 'Nobody',
    familyName: 'Nowhere',
    birthDate: '1901-01-01',
    purpose: 'parking permit',
  };
  assert.equal((await ask(postJson(token, '/v1/identity/verify', claims))).status, 200);
}

const outline = `({
  lang: document.documentElement.lang,
  heading: document.querySelector('h1').innerText,
  headings: document.querySelectorAll('h1').length,
  title: document.title,
})`;

type Outline = { readonly lang: string; readonly heading: string; readonly headings: number; readonly title: string };

/** Checks the heading and language of the current page, and that it has no errors and no overflow. */
async function checkLayout({ page, errors }: OpenedPage, lang: string, where: string): Promise<Outline> {
  const shown = await page.evaluate<Outline>(outline);
  assert.deepEqual([errors, await overflowingElements(page)], [[], []], where);
  assert.deepEqual([shown.lang, shown.headings, shown.title.startsWith(`${shown.heading} – `)], [lang, 1, true], where);
  return shown;
}

/** Checks the layout and the accessibility of the current page. */
async function checkPage(seen: OpenedPage, lang: string, where: string): Promise<Outline> {
  const shown = await checkLayout(seen, lang, where);
  assert.deepEqual(await accessibilityViolations(seen.page), [], where);
  return shown;
}

/** Moves to a link or button with the Tab key and presses Enter. */
async function press(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ text: string; outline: string } | null>(`(() => {
      const one = document.activeElement;
      return one === document.body ? null : { text: one.innerText.trim(), outline: getComputedStyle(one).outlineStyle };
    })()`);
    if (focused?.text !== name) continue;
    assert.equal(focused.outline, 'solid', `the focus on ${name} is visible`);
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

/** In a narrow window the links are in a menu. */
async function pressInMenu(page: Page, name: string): Promise<void> {
  const menu = page.locator('header summary');
  if (await menu.isVisible()) {
    await menu.focus();
    await page.keyboard.press('Enter');
  }
  await press(page, name);
}

/** Signs in and waits for the requested page, because another navigation would cancel the sign-in. */
async function chooseLayla(page: Page): Promise<void> {
  await page.getByText('ليلى الحداد').click();
  await page.waitForURL(`${demo.server.url}/me**`);
}

/** Each color scheme and each width once: contrast depends on the scheme, and layout on the width. */
const looks: readonly PageView[] = [
  { scheme: 'light', widthPx: 360, locale: 'en' },
  { scheme: 'dark', widthPx: 1000, locale: 'en' },
];

for (const look of looks) {
  test(`a citizen signs in, reads and signs out with the keyboard only, ${look.scheme}, ${look.widthPx} px wide`, {
    skip,
  }, async () => {
    await using seen = await demo.open('/me', look);
    const { page } = seen;
    const check = async (heading: string) => {
      const shown = await checkPage(seen, 'en', `${heading}, ${look.scheme}, ${look.widthPx} px`);
      // The heading of the messages has the number of unread ones.
      assert.equal(shown.heading.replace(/ \(\d+ new\)$/, ''), heading);
    };
    await check('Your official messages and documents');
    await press(page, 'Sign in');
    assert.deepEqual([await overflowingElements(page), await accessibilityViolations(page)], [[], []]);
    await press(page, 'ليلى الحداد');
    await check('Messages');
    await press(page, 'x'.repeat(120));
    await check('x'.repeat(120));
    await page.goBack();
    await press(page, 'تصريح الوقوف رقم 119');
    await check('تصريح الوقوف رقم 119');
    await press(page, 'All messages');
    await pressInMenu(page, 'Documents');
    await check('Documents');
    await pressInMenu(page, 'Use of your data');
    await check('Use of your data');
    await pressInMenu(page, 'How we contact you');
    await check('How we contact you');
    await pressInMenu(page, 'Sign out');
    await check('You are signed out');
    await page.goBack();
    await page.reload();
    await check('Your official messages and documents');
  });
}

test('a citizen confirms a mail with the button of the linked page', { skip }, async () => {
  const outbox = await (await fetchOnce(`${demo.server.url}/outbox`)).text();
  const [link = ''] = /http:[^\s"<]+\/received\/[\w.-]+/.exec(outbox) ?? [];
  await using seen = await demo.open(link, { scheme: 'light', widthPx: 360, locale: 'en' });
  await checkPage(seen, 'en', 'question');
  await press(seen.page, 'I have received the message');
  assert.equal((await checkPage(seen, 'en', 'answer')).heading, 'You confirmed that you received the message');
});

test('a citizen can use the pages without scripts in a window of 320 px', { skip }, async () => {
  await using seen = await demo.open('/me/sign-in?to=/me/uses', {
    scheme: 'light',
    widthPx: 320,
    locale: 'en',
    script: 'off',
  });
  const { page } = seen;
  await chooseLayla(page);
  for (const path of ['/me/uses', '/me', '/me/documents', '/me/record', '/me/record/wallet', '/me/contact']) {
    await page.goto(`${demo.server.url}${path}`);
    assert.deepEqual([await overflowingElements(page), seen.errors], [[], []], path);
  }
});

// The structure of a page is the same in all languages, so axe checks one translation of each direction, and the layout is checked in all.
for (const locale of ['de', 'fr', 'es', 'pt', 'it', 'nl', 'nb', 'sv', 'pl', 'uk', 'tr', 'ar']) {
  const check = ['de', 'ar'].includes(locale) ? checkPage : checkLayout;
  test(`the pages in ${locale} have no errors at the width of a phone`, { skip }, async () => {
    await using seen = await demo.open('/me', { scheme: 'light', widthPx: 360, locale });
    const { page } = seen;
    await check(seen, locale, 'sign-in page');
    await page.locator('a.action').click();
    await chooseLayla(page);
    for (const path of ['/me', '/me/documents', '/me/uses', '/me/record', '/me/record/wallet', '/me/contact']) {
      await page.goto(`${demo.server.url}${path}`);
      await check(seen, locale, path);
    }
  });
}
