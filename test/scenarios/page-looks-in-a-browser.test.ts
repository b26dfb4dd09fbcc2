import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { APIResponse, Browser, Page, Request } from 'playwright-core';
import { pageLanguages } from '../../src/locales/locale.ts';
import {
  type AxeRules,
  accessibilityViolations,
  browserSkipReason,
  type OpenedPage,
  openBrowser,
  openPage,
  overflowingElements,
  type PageView,
  turnScriptsOff,
} from '../support/browser.ts';
import { type PageTour, prepareTour, readNewestMail, type TourPage } from '../support/page-tour.ts';
import { printPage } from '../support/printed-page.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { openSignInSite, signInBriefly } from '../support/sign-in-site.ts';
import { startWithLateForms } from '../support/staff-late-forms-tour.ts';
import { prepareStaffTour } from '../support/staff-page-tour.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// Every page except the API reference with the name, logo, colour and links of an operator, in each way in which people look at it.
const skip = browserSkipReason;
let home: ServerFixture;
let browser: Browser;
let tour: PageTour;

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
      REGISTER_CORRECTIONS_URL: 'https://porto.example/corrections',
      STAFF_BATCH_LIMIT: '1',
    },
  });
  browser = await openBrowser(thisFile);
  const late = await startWithLateForms(home, browser);
  const tours = [late, await prepareTour(home, browser), await prepareStaffTour(home, browser)];
  tour = {
    pages: tours.flatMap(({ pages }) => pages),
    cookiesOf: new Map(tours.flatMap(({ cookiesOf }) => [...cookiesOf])),
  };
});

/** The limit of the longest tests, which take 10 times as long on a busy machine. */
const busyMachineMs = 400_000;

/** One person may send 100 requests in ten seconds. */
const [longestWaitS, intervalMs] = [15, 120];

type Look = Omit<PageView, 'locale' | 'script'> & { readonly rules: AxeRules };

/** Half the width at 200 % shows what a window of 1,280 px shows with text twice as large. */
const looks: Readonly<Record<string, Look>> = {
  'light, 1440 px': { scheme: 'light', widthPx: 1_440, rules: 'all' },
  'light, 768 px': { scheme: 'light', widthPx: 768, rules: 'width' },
  'light, 320 px': { scheme: 'light', widthPx: 320, rules: 'colours and width' },
  'dark, 640 px, as with 200 % zoom': { scheme: 'dark', widthPx: 640, rules: 'colours and width' },
  'dark forced colours': { scheme: 'dark', widthPx: 360, forcedColours: true, rules: 'colours and width' },
  'forced colours': { scheme: 'light', widthPx: 1_440, forcedColours: true, rules: 'colours and width' },
};

/** `request` is the request for the page. */
type Check = (page: Page, where: string, request: Request) => Promise<void>;

/** Opens each page for these readers in this language without scripts, and calls `check` at it. */
async function visitAll(readers: readonly TourPage['readers'][], locale: string, check: Check): Promise<void> {
  const shown = Map.groupBy(
    tour.pages.filter((one) => readers.includes(one.readers)),
    ({ visitor }) => visitor,
  );
  const visit = async (visitor: string, pages: readonly TourPage[]) => {
    const cookies = tour.cookiesOf.get(visitor);
    const storageState = cookies === undefined ? {} : { storageState: cookies };
    const context = await browser.newContext({ locale, viewport: { width: 320, height: 800 }, ...storageState });
    try {
      const page = await context.newPage();
      await turnScriptsOff(page);
      const requests: Request[] = [];
      page.on('request', (request) => {
        if (request.isNavigationRequest()) requests.unshift(request);
      });
      for (const { name, open } of pages) {
        await open(page);
        const [last] = requests;
        assert.ok(last !== undefined);
        await check(page, `${name} in ${locale}`, last);
      }
      // The session may have been renewed.
      if (cookies !== undefined) tour.cookiesOf.set(visitor, await context.storageState());
    } finally {
      await context.close();
    }
  };
  await Promise.all([...shown].map(([visitor, pages]) => visit(visitor, pages)));
}

async function setLook(page: Page, { scheme, widthPx, forcedColours = false }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, forcedColors: forcedColours ? 'active' : 'none' });
  await page.setViewportSize({ width: widthPx, height: 800 });
}

/** Focuses each link, button and field, and returns those that show no ring of 3 pixels. */
const elementsWithoutFocusRing = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')]
  .filter((one) => {
    if (!one.checkVisibility({ visibilityProperty: true })) return false;
    one.focus();
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'solid' || outlineWidth !== '3px';
  })
  .map((one) => one.outerHTML)`;

/** The text spacing of WCAG 1.4.12. */
const spaceText = `for (const one of document.querySelectorAll('*')) {
  one.style.lineHeight = '1.5'; one.style.letterSpacing = '0.12em'; one.style.wordSpacing = '0.16em';
}`;

// One language of each direction of writing is checked in all looks, and the others in the narrowest window. The structure of a page
// is the same in all looks, and its colours are the same in all languages.
for (const [readers, locale] of [
  ['citizens', 'en'],
  ['citizens', 'ar'],
  ['staff', 'en'],
  ['staff', 'ar'],
  ['developers', 'en'],
] as const) {
  const isPrinted = readers === 'citizens' && locale === 'en';
  const onPaper = isPrinted ? ', and its heading, texts and folded entries are on paper' : '';
  const title = `axe finds nothing on a page for ${readers} in any look, and no page scrolls sideways${onPaper}, in ${locale}`;
  test(title, { skip, timeout: busyMachineMs }, async () => {
    await visitAll([readers], locale, async (page, where) => {
      for (const [name, look] of Object.entries(looks)) {
        await setLook(page, look);
        const found = [await overflowingElements(page), await accessibilityViolations(page, look.rules)];
        assert.deepEqual(found, [[], []], `${where}, ${name}`);
      }
      if (isPrinted) assert.deepEqual((await printPage(page)).missing, [], `${where}, on paper`);
      // After a click, Chromium shows no ring until the keyboard is used.
      await page.keyboard.press('Tab');
      assert.deepEqual(await page.evaluate<string[]>(elementsWithoutFocusRing), [], where);
    });
  });
}

/** The response to a request that waits while its person has sent too many, or the server has too much work. */
async function withinQuota(send: () => Promise<APIResponse>): Promise<APIResponse> {
  await pause(intervalMs);
  const response = await send();
  const seconds = Number(response.headers()['retry-after'] ?? 0);
  if (![429, 503].includes(response.status()) || seconds === 0 || seconds > longestWaitS) return response;
  await pause(1_000 * seconds);
  return await withinQuota(send);
}

/**
 * Shows the page in another language: the body of the response to the same request, in the same document. This takes a quarter of the
 * time of a new document, which needs its stylesheet and axe again. Everything that can be opened is open.
 */
async function showInLanguage(page: Page, request: Request, locale: string): Promise<void> {
  const hasCookies = (await page.context().cookies()).length > 0;
  // The cookie of an ended session is no longer there.
  const { cookie = '' } = hasCookies ? {} : await request.allHeaders();
  const headers = {
    ...request.headers(),
    origin: home.url,
    accept: 'text/html',
    'accept-language': locale,
    ...(cookie === '' ? {} : { cookie }),
  };
  const response = await withinQuota(() => page.request.fetch(request, { headers }));
  await page.evaluate(`(() => {
    const shown = new DOMParser().parseFromString(${JSON.stringify(await response.text())}, 'text/html');
    const { documentElement } = document;
    documentElement.removeAttribute('style');
    documentElement.lang = shown.documentElement.lang;
    documentElement.dir = shown.documentElement.dir;
    document.title = shown.title;
    document.body = shown.body;
    for (const one of document.querySelectorAll('details')) one.open = true;
    for (const one of document.getAnimations()) one.finish();
  })()`);
}

const [firstLanguage = '', ...otherLanguages] = pageLanguages.filter((one) => one !== 'en' && one !== 'ar');
for (const readers of ['citizens', 'staff'] as const) {
  const title = `axe finds nothing at 320 px on a page for ${readers}, and no page scrolls sideways even with spaced text, in the other languages`;
  test(title, { skip, timeout: busyMachineMs }, async () => {
    await visitAll([readers], firstLanguage, async (page, where, request) => {
      const checkLanguage = async (locale: string) => {
        assert.equal(await page.evaluate<string>('document.documentElement.lang'), locale, where);
        const found = [await overflowingElements(page), await accessibilityViolations(page, 'texts and width')];
        await page.evaluate(spaceText);
        assert.deepEqual([...found, await overflowingElements(page)], [[], [], []], `${where}, ${locale}`);
      };
      await checkLanguage(firstLanguage);
      const heading = await page.evaluate<string>(`document.querySelector('h1').textContent`);
      for (const locale of otherLanguages) {
        await showInLanguage(page, request, locale);
        await checkLanguage(locale);
      }
      // The same request has led to the same page.
      await showInLanguage(page, request, firstLanguage);
      assert.equal(await page.evaluate<string>(`document.querySelector('h1').textContent`), heading, where);
    });
  });
}

test('axe finds nothing in a mail, and a mail does not scroll sideways in a narrow window', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 320, height: 800 } });
  // A mail program shows a mail inside of a page of its own.
  await page.setContent((await readNewestMail(home.url)).replace(/<body[^>]*>/, '$&<main>'));
  assert.deepEqual([await overflowingElements(page), await accessibilityViolations(page)], [[], []]);
  await page.context().close();
});

test('axe finds nothing on a form that was kept while the session ended, in any look', { skip }, async (t) => {
  const { provider, site } = await openSignInSite(t);
  const citizen = await signInBriefly(provider, site);
  const path = '/me/contact/email';
  const send = () => citizen.post(path, {}, new URLSearchParams({ address: 'mary at home' }));
  let answer = await send();
  await waitUntil(async () => {
    if (answer.status === 400) answer = await send();
    return answer.status !== 400;
  });
  await citizen.follow(answer.headers.location ?? assert.fail());
  const context = await browser.newContext({ locale: 'en' });
  await context.addCookies([...citizen.cookies].map(([name, value]) => ({ name, value, url: site.url })));
  const page = await context.newPage();
  await page.goto(`${site.url}${path}`);
  assert.equal(await page.locator('#address').inputValue(), 'mary at home');
  for (const [name, look] of Object.entries(looks)) {
    await setLook(page, look);
    assert.deepEqual(
      [await overflowingElements(page), await accessibilityViolations(page, look.rules)],
      [[], []],
      name,
    );
  }
  await context.close();
});

async function signIn({ page }: OpenedPage): Promise<void> {
  await page.goto(`${home.url}/me/sign-in`);
  await page.getByText('ليلى الحداد').click();
  await page.waitForURL(`${home.url}/me**`);
}

/** A value of the computed style of the first element that matches. */
const styleOf = async (page: Page, selector: string, property: string) =>
  await page.evaluate<string>(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue(${JSON.stringify(property)})`,
  );

test('the header takes less than a third of the screen of a phone in every language', { skip }, async () => {
  for (const locale of pageLanguages) {
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
  await page.getByText('Decision about your permit').first().click();
  await page.waitForURL('**/me/messages/*');
  await page.emulateMedia({ media: 'print' });
  for (const selector of ['header nav', 'footer', '.skip-link', '.screen-only'])
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
