import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityViolations, browserSkipReason, openBrowser, openPage, overflowingElements } from './browser.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

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

/** A demo with a browser for the tests of a file. */
type StaffDemo = {
  readonly server: ServerFixture;
  /** Signs a person of the demo in, in a language, and shows the first page of staff. */
  open(person: string, locale?: string): Promise<StaffWindow>;
};

/** Starts a demo and a browser before the tests of the calling file, and stops them after the tests. */
export function startStaffDemo({
  settings = {},
  prepare,
}: {
  readonly settings?: Readonly<Record<string, string>>;
  readonly prepare?: (server: ServerFixture) => Promise<void>;
} = {}): StaffDemo {
  const thisFile = fileCleanupScope();
  let started: { readonly server: ServerFixture; readonly browser: Browser } | undefined;
  const running = () => started ?? assert.fail('the demo starts before the tests, only with a browser');
  before(async () => {
    if (browserSkipReason !== false) return;
    const server = await makeServerFixture(thisFile, { settings });
    await server.start('demo');
    started = { server, browser: await openBrowser(thisFile) };
    await prepare?.(server);
  });
  return {
    get server() {
      return running().server;
    },
    open: (person, locale = 'en') => openStaffWindow(running().browser, { url: running().server.url, person, locale }),
  };
}

async function openStaffWindow(
  browser: Browser,
  { url, person, locale }: { readonly url: string; readonly person: string; readonly locale: string },
): Promise<StaffWindow> {
  const view = { scheme: 'light', widthPx: 320, locale, script: 'off' } as const;
  const opened = await openPage(browser, `${url}/staff/sign-in?to=/staff`, view);
  const { page, errors } = opened;
  let clicks = 0;
  await page.locator(`a[href*="as=${person}"]`).click();
  await page.waitForURL(`${url}/staff`);
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
