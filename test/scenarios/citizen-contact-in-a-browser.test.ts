import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  openBrowser,
  openPage,
  overflowingElements,
  type PageView,
} from '../support/browser.ts';
import { differentCode, readCodeFromOutbox } from '../support/contact-app.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// The form for contact preferences in a browser.
const skip = browserSkipReason;
let home: ServerFixture;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  home = await makeServerFixture(thisFile);
  await home.start();
  browser = await openBrowser(thisFile);
});

/** Each color scheme and each width once: contrast depends on the scheme, and layout on the width. */
const looks: readonly PageView[] = [
  { scheme: 'light', widthPx: 360, locale: 'en' },
  { scheme: 'dark', widthPx: 1000, locale: 'en' },
];

/** Presses Tab until the field with this accessible name has the focus, and returns it. */
async function reach(page: Page, label: string): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab');
    const named = await page.evaluate<string>(`(() => {
      const one = document.activeElement;
      return (one.labels?.[0] ?? one).innerText.trim();
    })()`);
    if (named === label) return;
  }
  assert.fail(`no way by the keyboard to ${label}`);
}

/** Selects an option of the focused list by typing. Repeats it, because the browser treats slow letters as separate words. */
async function choose(page: Page, option: string): Promise<void> {
  await waitUntil(async () => {
    await page.keyboard.type(option);
    if ((await page.evaluate<string>('document.activeElement.selectedOptions[0].text')) === option) return true;
    // After this time the browser ignores the earlier letters.
    await page.waitForTimeout(1_500);
    return false;
  });
}

async function send(page: Page): Promise<void> {
  await reach(page, 'Save');
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

for (const look of looks) {
  test(`preferences can be set with the keyboard only, and errors are announced first, ${look.scheme}, ${look.widthPx} px wide`, {
    skip,
  }, async () => {
    await using seen = await openPage(browser, `${home.url}/me/sign-in?to=/me/contact`, look);
    const { page, errors } = seen;
    await page.getByText('demo-mary').locator('..').locator('a').click();
    await page.waitForURL(`${home.url}/me/contact`);
    const check = async (where: string) =>
      assert.deepEqual(
        [errors, await overflowingElements(page), await accessibilityViolations(page)],
        [[], [], []],
        where,
      );
    await check('the form');
    await reach(page, 'Email');
    await choose(page, 'Second');
    await reach(page, 'Text message');
    await choose(page, 'Second');
    await send(page);
    await check('the form with what is wrong');
    const focused = await page.evaluate<string>(`document.activeElement.getAttribute('role')`);
    assert.equal(focused, 'alert');
    const [fault] = await page.locator('[role=alert] a').allInnerTexts();
    assert.equal(fault, 'Two ways have the same place in the order. Give each its own.');
    await reach(page, fault ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash === '#email');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await choose(page, 'First');
    await reach(page, 'Emails only in these hours');
    if (!(await page.locator('#hours-email').isChecked())) await page.keyboard.press('Space');
    await reach(page, 'From');
    await choose(page, '8:00');
    await reach(page, 'Until');
    await choose(page, '18:00');
    await reach(page, 'Time zone');
    await choose(page, 'Europe/Lisbon');
    await send(page);
    await check('the form that was kept');
    assert.equal(page.url(), `${home.url}/me/contact?done=wishes`);
    assert.match((await page.locator('[role=status]').textContent()) ?? '', /^Your wishes are kept\./);
    const chosen = await page.evaluate<string[]>(`[...document.querySelectorAll('select')].map((one) => one.value)`);
    assert.deepEqual(chosen, ['1', '2', '', '8', '18', 'Europe/Lisbon', '']);
    assert.ok(await page.locator('#hours-email').isChecked());
  });
}

/** Presses the button with this name by the keyboard, and waits for the next page. */
async function press(page: Page, name: string): Promise<void> {
  await reach(page, name);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

for (const look of looks) {
  test(`an address can be verified with the keyboard only, ${look.scheme}, ${look.widthPx} px wide`, {
    skip,
  }, async () => {
    await using seen = await openPage(browser, `${home.url}/me/sign-in?to=/me/contact`, look);
    const { page, errors } = seen;
    await page.getByText('demo-anh').locator('..').locator('a').click();
    await page.waitForURL(`${home.url}/me/contact`);
    const check = async (where: string) =>
      assert.deepEqual(
        [errors, await overflowingElements(page), await accessibilityViolations(page)],
        [[], [], []],
        where,
      );
    const frameOf = (field: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${field}')).borderInlineStartWidth`);
    await press(page, 'Send a code by email');
    await check('no address');
    assert.deepEqual([await frameOf('#address-email'), await frameOf('#language')], ['3px', '2px']);
    const address = `anh.${'long-'.repeat(8)}${look.widthPx}@example.org`;
    await reach(page, 'New email address');
    await page.keyboard.type(address);
    await press(page, 'Send a code by email');
    await check('a code is on its way');
    const code = await readCodeFromOutbox(home, address);
    await reach(page, 'Code from the email');
    await page.keyboard.type(differentCode(code));
    await press(page, 'Confirm the email address');
    await check('the wrong code');
    assert.equal(await page.evaluate<string>(`document.activeElement.getAttribute('role')`), 'alert');
    await reach(page, 'Code from the email');
    await page.keyboard.type(code);
    await press(page, 'Confirm the email address');
    await check('the address is confirmed');
    assert.ok((await page.getByRole('status').textContent())?.startsWith('The address is confirmed'));
    await press(page, 'Remove the email address');
    await check('the address is removed');
    assert.ok((await page.getByRole('status').textContent())?.startsWith('The address was removed.'));
  });
}

for (const locale of ['de', 'fr', 'es', 'pt', 'it', 'nl', 'nb']) {
  test(`the contact page has no errors in any state at the width of a phone, in ${locale}`, {
    skip,
  }, async () => {
    await using seen = await openPage(browser, `${home.url}/me/sign-in?to=/me/contact`, {
      scheme: 'light',
      widthPx: 360,
      locale,
    });
    const { page, errors } = seen;
    await page.getByText('demo-layla').locator('..').locator('a').click();
    await page.waitForURL(`${home.url}/me/contact`);
    await page.locator('#address-email').fill(`layla.${locale}@example.org`);
    await Promise.all([page.waitForEvent('load'), page.locator('#address-email').press('Enter')]);
    await page.locator('#code-email').fill('0');
    await Promise.all([page.waitForEvent('load'), page.locator('#code-email').press('Enter')]);
    assert.deepEqual([errors, await overflowingElements(page)], [[], []]);
    // The structure of the page is the same in all languages.
    if (locale === 'de') assert.deepEqual(await accessibilityViolations(page), []);
    assert.equal(await page.getByRole('alert').count(), 1);
  });
}
