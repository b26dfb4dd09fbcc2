import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  type OpenedPage,
  openBrowser,
  openPage,
  overflowingElements,
} from '../support/browser.ts';
import { createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

// Tasks of citizens in their inbox, in a real browser. Each needs three pages at most.
const skip = browserSkipReason;
const maxPages = 3;
let server: ServerFixture;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  server = await makeServerFixture(thisFile);
  await server.start();
  browser = await openBrowser(thisFile);
  const [ask, token] = [createHttpClient(server.url), await server.fetchAccessToken()];
  for (const message of [
    { subject: 'Garden waste', message: 'We collect it on Monday.' },
    { subject: 'Older decision', category: 'decision', respondBy: '2027-01-15' },
    { subject: 'Parking permit refused', category: 'decision', respondBy: '2027-03-01', reference: 'PP-2026-118' },
    { subject: 'Storm warning', category: 'urgent' },
  ]) {
    const body = { citizenId: 'demo-layla', message: 'Please read this.', ...message };
    assert.equal((await ask(postJson(token, '/v1/notifications/send', body))).status, 202);
  }
});

/** A window of a signed-in citizen that counts its pages. */
async function signIn(): Promise<OpenedPage & { readonly pages: () => number }> {
  const opened = await openPage(browser, `${server.url}/me/sign-in?to=/me`, {
    scheme: 'light',
    widthPx: 360,
    locale: 'en',
  });
  await opened.page.getByText('ليلى الحداد').click();
  await opened.page.waitForURL(`${server.url}/me`);
  let count = 1;
  opened.page.on('domcontentloaded', () => {
    count += 1;
  });
  return { ...opened, pages: () => count, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

async function checkPage({ page, errors }: OpenedPage, where: string): Promise<void> {
  const seen = [errors, await overflowingElements(page), await accessibilityViolations(page)];
  assert.deepEqual(seen, [[], [], []], where);
}

const press = async (page: Page, name: string) => {
  await page.getByRole('button', { name }).click();
  await page.waitForLoadState('load');
};

test('a citizen finds the newest decision and its deadline within three pages', { skip }, async () => {
  await using seen = await signIn();
  const { page, pages } = seen;
  await checkPage(seen, 'list');
  await page.getByText('Find a message').click();
  await page.getByLabel('Kind of message').selectOption('decision');
  await checkPage(seen, 'list with the form');
  await press(page, 'Search');
  const newest = page.locator('.list > li').first();
  assert.match((await newest.textContent()) ?? '', /Parking permit refused[\s\S]*Needs an answer by 1 March 2027/);
  await checkPage(seen, 'filtered list');
  await newest.getByRole('link').click();
  await page.waitForURL('**/me/messages/*');
  assert.match((await page.locator('main').textContent()) ?? '', /PP-2026-118[\s\S]*Needs an answer by 1 March 2027/);
  await checkPage(seen, 'message');
  assert.ok(pages() <= maxPages, `${pages()} pages`);
});

test('a citizen finds an archived message within three pages, by the archive and by a search', { skip }, async () => {
  await using first = await signIn();
  await first.page.getByRole('link', { name: 'Garden waste' }).click();
  await press(first.page, 'Move to the archive');
  await checkPage(first, 'list after the message was archived');
  assert.equal(await first.page.getByRole('link', { name: 'Garden waste' }).count(), 0);
  const findings = {
    archive: async (page: Page) => await page.getByRole('link', { name: 'Archive' }).click(),
    search: async (page: Page) => {
      await page.getByText('Find a message').click();
      await page.getByLabel('Words in the message').fill('monday');
      await press(page, 'Search');
    },
  };
  for (const [name, find] of Object.entries(findings)) {
    await using seen = await signIn();
    await find(seen.page);
    const link = seen.page.getByRole('link', { name: 'Garden waste' });
    await link.waitFor();
    await checkPage(seen, name);
    await link.click();
    await seen.page.waitForURL('**/me/messages/*');
    assert.match((await seen.page.locator('main').textContent()) ?? '', /We collect it on Monday\./);
    assert.ok(seen.pages() <= maxPages, `${seen.pages()} pages with the ${name}`);
  }
});
