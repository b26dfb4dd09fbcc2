import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { Browser } from 'playwright-core';
import { browserSkipReason, type OpenedPage, openBrowser, openPage, type PageView } from './browser.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

/** A demo with a browser for the tests of a file. */
export type BrowserDemo = {
  readonly server: ServerFixture;
  /** Opens an address, such as a path of the demo, in a new window. */
  open(address: string, view: PageView): Promise<OpenedPage>;
};

/**
 * Starts a demo and a browser before the tests of the calling file, and stops them after the tests. Starts nothing on a machine
 * without a browser.
 */
export function startBrowserDemo({
  settings = {},
  prepare,
}: {
  readonly settings?: Readonly<Record<string, string>>;
  readonly prepare?: (server: ServerFixture) => Promise<void>;
} = {}): BrowserDemo {
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
    open: async (address, view) => await openPage(running().browser, new URL(address, running().server.url).href, view),
  };
}
