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
import { differentCode, readCodeFromOutbox } from '../support/contact-app.ts';
import { waitUntil } from '../support/wait-until.ts';

// The form for contact preferences in a browser.
const skip = browserSkipReason;
const demo = startBrowserDemo();

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

/** Presses the link or button with this name by the keyboard, and waits for the next page. */
async function press(page: Page, name: string): Promise<void> {
  await reach(page, name);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

/** Signs in and opens the overview. */
async function openContact(page: Page, citizenId: string): Promise<void> {
  await page.getByText(citizenId).locator('..').locator('a').click();
  await page.waitForURL(`${demo.server.url}/me/contact`);
}

/** A check of the errors, the layout and the accessibility of the current page. */
function checkOf({ page, errors }: OpenedPage) {
  return async (where: string) =>
    assert.deepEqual(
      [errors, await overflowingElements(page), await accessibilityViolations(page)],
      [[], [], []],
      where,
    );
}

const focusedRole = (page: Page) => page.evaluate<string>(`document.activeElement.getAttribute('role')`);

for (const look of looks) {
  test(`preferences can be set with the keyboard only, and errors are announced first, ${look.scheme}, ${look.widthPx} px wide`, {
    skip,
  }, async () => {
    await using seen = await demo.open('/me/sign-in?to=/me/contact', look);
    const { page } = seen;
    const check = checkOf(seen);
    await openContact(page, 'demo-mary');
    await check('the overview');
    await press(page, 'Choose how we contact you');
    await check('the order');
    await reach(page, 'Email');
    await choose(page, 'Second');
    await reach(page, 'Text message');
    await choose(page, 'Second');
    await press(page, 'Save');
    await check('the order with its error');
    assert.equal(await focusedRole(page), 'alert');
    assert.match(await page.title(), /^Error: Choose how we contact you – /);
    const [fault] = await page.locator('[role=alert] a').allInnerTexts();
    assert.equal(fault, 'Two ways have the same place. Choose a different place for each.');
    await reach(page, fault ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash === '#email');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await choose(page, 'First');
    await press(page, 'Save');
    await check('the saved order');
    assert.equal(page.url(), `${demo.server.url}/me/contact?done=saved`);
    assert.equal(await focusedRole(page), 'status');
    await press(page, 'Choose when we contact you');
    await check('the hours');
    await reach(page, 'Emails only in these hours');
    if (!(await page.locator('#hours-email').isChecked())) await page.keyboard.press('Space');
    await reach(page, 'From');
    await choose(page, '8:00');
    await reach(page, 'Until');
    await choose(page, '18:00');
    await press(page, 'Save');
    await press(page, 'Choose when we contact you');
    const chosen = await page.evaluate<string[]>(`[...document.querySelectorAll('select')].map((one) => one.value)`);
    assert.deepEqual(chosen, ['8', '18', 'UTC']);
    assert.ok(await page.locator('#hours-email').isChecked());
    await page.goto(`${demo.server.url}/me/contact/language`);
    await check('the language');
    await page.goto(`${demo.server.url}/me/contact/channels`);
    await reach(page, 'Text message');
    await choose(page, 'Never');
    await press(page, 'Save');
    await check('the question before text messages stop');
    await press(page, 'Cancel');
    assert.equal(page.url(), `${demo.server.url}/me/contact`);
  });
}

for (const look of looks) {
  test(`an address can be verified with the keyboard only, ${look.scheme}, ${look.widthPx} px wide`, {
    skip,
  }, async () => {
    await using seen = await demo.open('/me/sign-in?to=/me/contact', look);
    const { page } = seen;
    const check = checkOf(seen);
    await openContact(page, 'demo-anh');
    await press(page, 'Change your email address');
    await check('the address');
    await press(page, 'Send a code by email');
    await check('no address');
    const width = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('#address')).borderInlineStartWidth`,
    );
    assert.equal(width, '3px');
    const address = `anh.${'long-'.repeat(8)}${look.widthPx}@example.org`;
    await reach(page, 'New email address');
    await page.keyboard.type(address);
    await press(page, 'Send a code by email');
    await check('the code');
    const code = await readCodeFromOutbox(demo.server, address);
    await reach(page, 'Code from the email');
    await page.keyboard.type(differentCode(code));
    await press(page, 'Confirm the email address');
    await check('the wrong code');
    assert.equal(await focusedRole(page), 'alert');
    await page.locator('#code').fill(code);
    await press(page, 'Confirm the email address');
    await check('the address is confirmed');
    assert.equal(await focusedRole(page), 'status');
    await press(page, 'Remove the email address');
    await check('the question before the address is removed');
    await press(page, 'Remove the email address');
    await check('the address is removed');
    assert.equal(await page.getByText('We removed the email address.').count(), 1);
  });
}

test('a warning appears before the session ends, destroys no typed text, and extends the session in a new tab', {
  skip,
}, async () => {
  await using seen = await demo.open('/me/sign-in?to=/me/contact', looks[0] ?? assert.fail());
  const { page } = seen;
  await openContact(page, 'demo-joao');
  await page.goto(`${demo.server.url}/me/contact/email`);
  await page.locator('#address').fill('typed@example.org');
  const warning = page.locator('.session-warning');
  assert.equal(await warning.isVisible(), false);
  const seconds = await page.evaluate<number>(`document.getAnimations()[0].effect.getTiming().delay / 1000`);
  assert.ok(seconds >= 26 * 60 && seconds <= 28 * 60, String(seconds));
  await page.evaluate(`document.getAnimations()[0].finish()`);
  await warning.waitFor();
  await checkOf(seen)('the warning');
  const [tab] = await Promise.all([page.waitForEvent('popup'), warning.locator('a').click()]);
  await tab.waitForLoadState();
  assert.equal(await tab.locator('h1').textContent(), 'You are still signed in');
  assert.deepEqual(await accessibilityViolations(tab), []);
  assert.equal(await page.locator('#address').inputValue(), 'typed@example.org');
});

const locales = ['de', 'fr', 'es', 'pt', 'it', 'nl', 'nb', 'sv', 'pl', 'uk', 'tr', 'ar'];

for (const [index, locale] of locales.entries()) {
  test(`the contact pages have no errors at the width of a phone, in ${locale}`, {
    skip,
  }, async () => {
    await using seen = await demo.open('/me/sign-in?to=/me/contact', {
      scheme: 'light',
      widthPx: 360,
      locale,
    });
    const { page, errors } = seen;
    // A citizen can request ten codes a day.
    await openContact(page, index < 7 ? 'demo-layla' : 'demo-anh');
    for (const path of ['channels', 'hours', 'language', 'print-size', 'phone', 'email']) {
      await page.goto(`${demo.server.url}/me/contact/${path}`);
      assert.deepEqual([errors, await overflowingElements(page)], [[], []], path);
    }
    await page.locator('#address').fill(`layla.${locale}@example.org`);
    await Promise.all([page.waitForEvent('load'), page.locator('#address').press('Enter')]);
    await page.locator('#code').fill('0');
    await Promise.all([page.waitForEvent('load'), page.locator('#code').press('Enter')]);
    assert.deepEqual([errors, await overflowingElements(page)], [[], []]);
    // The structure of the page is the same in all languages.
    if (locale === 'de') assert.deepEqual(await accessibilityViolations(page), []);
    assert.equal(await page.getByRole('alert').count(), 1);
  });
}
