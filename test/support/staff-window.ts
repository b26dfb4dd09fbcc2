import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityViolations, openPage, overflowingElements } from './browser.ts';

/** The window of a member of staff at the width of a phone. */
export type StaffWindow = AsyncDisposable & {
  readonly page: Page;
  /** The clicks since the first page. */
  clicks(): number;
  /** Clicks a link or button, waits for the page, and checks it. */
  press(target: Locator): Promise<void>;
  /** Opens a page of the menu: two clicks, because the menu of a narrow window is closed. */
  openFromMenu(name: string): Promise<void>;
};

/** Signs a person of the demo in, in a language, and shows the first page of staff. */
export async function openStaffWindow(
  browser: Browser,
  { url, person, locale = 'en' }: { readonly url: string; readonly person: string; readonly locale?: string },
): Promise<StaffWindow> {
  const view = { scheme: 'light', widthPx: 320, locale } as const;
  const opened = await openPage(browser, `${url}/staff/sign-in?to=/staff`, view);
  const { page, errors } = opened;
  let clicks = 0;
  await page.locator(`a[href*="as=${person}"]`).click();
  await page.waitForURL(`${url}/staff`);
  const press = async (target: Locator) => {
    clicks += 1;
    await Promise.all([page.waitForEvent('load'), target.click()]);
    const seen = [errors, await overflowingElements(page), await accessibilityViolations(page)];
    assert.deepEqual(seen, [[], [], []], page.url());
  };
  return {
    page,
    clicks: () => clicks,
    press,
    openFromMenu: async (name) => {
      clicks += 1;
      await page.locator('header nav summary').click();
      await press(page.getByRole('navigation').getByRole('link', { name, exact: true }));
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The text of an element of the page. */
export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}
