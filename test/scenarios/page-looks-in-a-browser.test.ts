import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  type OpenedPage,
  openBrowser,
  openPage,
  overflowingElements,
  type PageView,
} from '../support/browser.ts';
import { bearerHeaders, createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// Every page except the API reference with the name, logo, colour and links of an operator, in each way in which people look at it.
const skip = browserSkipReason;
let home: ServerFixture;
let browser: Browser;
let confirmationPath = '';

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  const logo = join(makeTestFolder('cs-logo-'), 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h7v7H1z"/></svg>');
  home = await makeServerFixture(thisFile, {
    settings: {
      CITIZEN_PAGES_NAME: 'City of Porto',
      CITIZEN_PAGES_LOGO: logo,
      CITIZEN_PAGES_COLOUR: '#00693e',
      ACCESSIBILITY_URL: 'https://porto.example/accessibility',
      PRIVACY_URL: 'https://porto.example/privacy',
      HELP_URL: 'https://porto.example/help',
    },
  });
  await home.start();
  browser = await openBrowser(thisFile);
  const [ask, token] = [createHttpClient(home.url), await home.fetchAccessToken()];
  const message = {
    citizenId: 'demo-layla',
    subject: 'Your permit',
    message: 'See [the office](https://porto.example/o).',
  };
  assert.equal((await ask(postJson(token, '/v1/notifications/send', message))).status, 202);
  await waitUntil(async () => {
    const outbox = String((await ask({ path: '/outbox', headers: bearerHeaders(token) })).body);
    confirmationPath = /\/received\/[\w.-]+/.exec(outbox)?.[0] ?? '';
    return confirmationPath !== '';
  });
});

/** Half the width at 200 % shows what a window of 1,280 px shows with text twice as large. */
const looks: Readonly<Record<string, PageView>> = {
  'light, 1280 px': { scheme: 'light', widthPx: 1_280, locale: 'en' },
  'dark, 1280 px': { scheme: 'dark', widthPx: 1_280, locale: 'en' },
  'forced colours': { scheme: 'light', widthPx: 1_280, locale: 'en', forcedColours: true },
  'dark forced colours': { scheme: 'dark', widthPx: 360, locale: 'en', forcedColours: true },
  '320 px': { scheme: 'light', widthPx: 320, locale: 'en' },
  '640 px, as with 200 % zoom': { scheme: 'dark', widthPx: 640, locale: 'en' },
};

const publicPaths = ['/', '/me', '/me/nothing', '/docs/guide', '/problems', '/problems/not-found', '/outbox', '/none'];
const ownPaths = [
  '/me',
  '/me/documents',
  '/me/uses',
  '/me/record',
  '/me/contact',
  '/me/contact/language',
  '/me/contact/print-size',
  '/me/record/lock',
];

async function signIn({ page }: OpenedPage): Promise<void> {
  await page.goto(`${home.url}/me/sign-in`);
  await page.getByText('ليلى الحداد').click();
  await page.waitForURL(`${home.url}/me**`);
}

/** The pages of a visitor, and then those of a signed-in citizen with the message. */
async function visitAll(seen: OpenedPage, check: (where: string) => Promise<void>): Promise<void> {
  const visit = async (path: string) => {
    await seen.page.goto(`${home.url}${path}`);
    await check(path);
  };
  for (const path of [...publicPaths, confirmationPath]) await visit(path);
  await signIn(seen);
  for (const path of ownPaths) await visit(path);
  await seen.page.goto(`${home.url}/me`);
  await seen.page.getByText('Your permit').first().click();
  await check('message');
}

for (const [name, look] of Object.entries(looks)) {
  test(`axe finds nothing on any page, and no page scrolls sideways: ${name}`, { skip }, async () => {
    await using seen = await openPage(browser, `${home.url}/`, look);
    await visitAll(seen, async (where) => {
      // The next navigation ends the load of an icon.
      const errors = seen.errors.filter((error) => !error.endsWith('net::ERR_ABORTED'));
      const found = [await overflowingElements(seen.page), await accessibilityViolations(seen.page), errors];
      assert.deepEqual(found, [[], [], []], where);
    });
  });
}

test('no page scrolls sideways or cuts text with the text spacing of WCAG 1.4.12 at 360 px', { skip }, async () => {
  await using seen = await openPage(browser, `${home.url}/`, { scheme: 'light', widthPx: 360, locale: 'de' });
  await visitAll(seen, async (where) => {
    await seen.page.evaluate(`for (const one of document.querySelectorAll('*')) {
      one.style.lineHeight = '1.5'; one.style.letterSpacing = '0.12em'; one.style.wordSpacing = '0.16em';
    }`);
    assert.deepEqual(await overflowingElements(seen.page), [], where);
  });
});

/** A value of the computed style of the first element that matches. */
const styleOf = async (page: Page, selector: string, property: string) =>
  await page.evaluate<string>(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue(${JSON.stringify(property)})`,
  );

test('the header takes less than a third of the screen of a phone in every language', { skip }, async () => {
  for (const locale of ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'nb', 'sv', 'pl', 'uk', 'tr', 'ar']) {
    await using seen = await openPage(browser, `${home.url}/`, { scheme: 'light', widthPx: 360, locale });
    await signIn(seen);
    const height = await seen.page.evaluate<number>(`document.querySelector('header').offsetHeight`);
    assert.ok(height < 740 / 3, `${locale}: ${height} px`);
  }
});

test('in a wide window the menu is open without a button, and its links can be used', { skip }, async () => {
  await using seen = await openPage(browser, `${home.url}/`, {
    scheme: 'light',
    widthPx: 1_280,
    locale: 'en',
    script: 'off',
  });
  await signIn(seen);
  assert.equal(await seen.page.locator('header summary').isVisible(), false);
  await seen.page.getByRole('link', { name: 'Your details in the register' }).click();
  assert.equal(new URL(seen.page.url()).pathname, '/me/record');
});

test('with forced colours a button has a border, and only the current page is marked in the navigation', {
  skip,
}, async () => {
  const look: PageView = { scheme: 'light', widthPx: 1_280, locale: 'en', forcedColours: true };
  await using seen = await openPage(browser, `${home.url}/me`, look);
  const { page } = seen;
  const paper = await styleOf(page, 'body', 'background-color');
  assert.equal(await styleOf(page, '.action', 'border-block-end-style'), 'solid');
  assert.notEqual(await styleOf(page, '.action', 'border-block-end-color'), paper);
  await signIn(seen);
  assert.notEqual(await styleOf(page, 'nav [aria-current]', 'border-block-end-color'), paper);
  assert.equal(await styleOf(page, 'nav a:not([aria-current])', 'border-block-end-color'), paper);
});

test('on paper a message has no navigation, footer or buttons, and the addresses of its links', { skip }, async () => {
  await using seen = await openPage(browser, `${home.url}/`, { scheme: 'dark', widthPx: 800, locale: 'en' });
  const { page } = seen;
  await signIn(seen);
  await page.getByText('Your permit').first().click();
  await page.emulateMedia({ media: 'print' });
  for (const selector of ['header nav', 'footer', '.skip-link'])
    assert.equal(await styleOf(page, selector, 'display'), 'none', selector);
  const address = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('main a[href^="http"]'), '::after').content`,
  );
  assert.match(address, /https:\/\/porto\.example\/o/);
  assert.equal(await styleOf(page, 'body', 'background-color'), 'rgb(255, 255, 255)');
});

test('the skip link is the first stop of the keyboard and leads to the main part', { skip }, async () => {
  await using seen = await openPage(browser, `${home.url}/me`, { scheme: 'light', widthPx: 360, locale: 'en' });
  const { page } = seen;
  await page.keyboard.press('Tab');
  const stop = await page.evaluate<string>(`document.activeElement.innerText`);
  assert.equal(stop, 'Skip to main content');
  assert.ok(await page.locator('.skip-link').isVisible());
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate<string>(`document.activeElement.id`), 'main');
});
