import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations, overflowingElements } from './browser.ts';
import { type BrowserDemo, startBrowserDemo } from './browser-demo.ts';
import type { ServerFixture } from './server-process.ts';

/** The window of a member of staff at the width of a phone, without scripts. */
export type StaffWindow = AsyncDisposable & {
  readonly page: Page;
  /** The clicks since the first page. */
  clicks(): number;
  /** Clicks a link or button, waits for the page, and checks it. */
  press(target: Locator): Promise<void>;
  /** Opens a page of the menu: two clicks, because the menu of a narrow window is closed. */
  openFromMenu(name: string): Promise<void>;
  /** Checks the page as it is: no error, no horizontal scrolling, and axe finds nothing. */
  check(): Promise<void>;
};

/** A demo of the pages of staff, with a browser for the tests of a file. */
type StaffDemo = {
  readonly server: ServerFixture;
  /** Signs a person of the demo in, in a language, and shows the first page of staff. */
  open(person: string, locale?: string): Promise<StaffWindow>;
};

/** Starts a demo and a browser as `startBrowserDemo` does. */
export function startStaffDemo(options: Parameters<typeof startBrowserDemo>[0] = {}): StaffDemo {
  const demo = startBrowserDemo(options);
  return {
    get server() {
      return demo.server;
    },
    open: (person, locale = 'en') => openStaffWindow(demo, person, locale),
  };
}

async function openStaffWindow(demo: BrowserDemo, person: string, locale: string): Promise<StaffWindow> {
  const view = { scheme: 'light', widthPx: 320, locale, script: 'off' } as const;
  const opened = await demo.open('/staff/sign-in?to=/staff', view);
  const { page, errors } = opened;
  let clicks = 0;
  await page.locator(`a[href*="as=${person}"]`).click();
  await page.waitForURL(`${demo.server.url}/staff`);
  const check = async () => {
    // Chromium reports a download as a page that it did not load.
    const faults = errors.filter((fault) => !/\/(?:results|table|proofs)\S* net::ERR_ABORTED$/.test(fault));
    const seen = [faults, await overflowingElements(page), await accessibilityViolations(page)];
    assert.deepEqual(seen, [[], [], []], page.url());
  };
  const press = async (target: Locator) => {
    clicks += 1;
    await Promise.all([page.waitForEvent('load'), target.click()]);
    await check();
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
    check,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The text of an element of the page. */
export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}

/** The text of the main part, in which each space is one. */
export async function mainText(page: Page): Promise<string> {
  return (await textOf(page.locator('main'))).replaceAll(/\s+/g, ' ');
}
