import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  openBrowser,
  openPage,
  overflowingElements,
} from '../support/browser.ts';
import { readCodeFromOutbox } from '../support/contact-app.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { withShiftedClock } from '../support/shifted-clock.ts';
import { waitUntil } from '../support/wait-until.ts';

// Ten tasks of citizens, by clicks from the messages, in the window of a phone. Each needs three pages at most, and ends with the
// result that the citizen reads. Every page on the way is checked for accessibility.
const skip = browserSkipReason;
const maxPages = 3;
const dayMs = 86_400_000;
let server: ServerFixture;
let browser: Browser;
const today = new Date();
/** Days in UTC, the time zone of the server. */
const lastMonth = {
  first: new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)),
  middle: new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15)),
  last: new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 0)),
};
const dateOf = (day: Date) => day.toISOString().slice(0, 10);
const deadline = new Date(today.getTime() + 60 * dayMs);
const readableDay = (day: Date) =>
  day.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const certificate = Buffer.from('%PDF-1.7\ncertificate');

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  server = await makeServerFixture(thisFile);
  const environment = { ...server.environment };
  Object.assign(server.environment, withShiftedClock(lastMonth.middle.getTime() - today.getTime()));
  const earlier = await server.start();
  const permits = await createPermitClient();
  await verify(await server.fetchAccessToken([], permits), 'parking-permit');
  // An entry of the log has the time of the sequencer.
  const mary = openCookieBrowser(server.url);
  await signInAtDemo(mary, 'demo-mary');
  await waitUntil(async () => String((await mary.get('/me/uses')).body).includes('Parking permit for residents'));
  await earlier.stop('SIGTERM');
  delete server.environment['NODE_OPTIONS'];
  Object.assign(server.environment, environment);
  await server.start();
  browser = await openBrowser(thisFile);
  const token = await server.fetchAccessToken([], permits);
  await verify(token, 'school-place');
  await fill(token);
});

/** A service with texts for its purposes, and with the addresses at which it accepts objections. */
async function createPermitClient() {
  const purposes = 'parking-permit=Parking permit for residents,school-place=Place at a school';
  const scopes = 'identity:verify,notifications:send,documents:write';
  const contact = ['--contact-phone', '+44 20 7946 0000', '--contact-email', 'objections@permits.example'];
  const flags = ['--secret', '--json', '--scopes', scopes, '--purposes', purposes, ...contact];
  const made = await server.runCommand('clients', 'create', 'City Permits', ...flags);
  assert.equal(made.code, 0, made.stderr);
  return JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
}

async function verify(token: string, purpose: string): Promise<void> {
  const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
  const body = { ...claims, purpose, legalBasis: 'Road Act 7' };
  const answer = await createHttpClient(server.url)(postJson(token, '/v1/identity/verify', body));
  assert.equal(answer.status, 200, String(answer.body));
}

async function fill(token: string): Promise<void> {
  const ask = createHttpClient(server.url);
  for (const message of [
    { subject: 'Garden waste', message: 'We collect it on Monday.' },
    { subject: 'Older decision', category: 'decision', respondBy: dateOf(new Date(today.getTime() + 9 * dayMs)) },
    { subject: 'Parking permit refused', category: 'decision', respondBy: dateOf(deadline), reference: 'PP-118' },
    { subject: 'Storm warning', category: 'urgent' },
  ]) {
    const body = { citizenId: 'demo-mary', message: 'Please read this.', ...message };
    assert.equal((await ask(postJson(token, '/v1/notifications/send', body))).status, 202);
  }
  const headers = {
    'content-type': 'application/pdf',
    'citizen-id': 'demo-mary',
    'document-title': 'Birth%20certificate',
  };
  const deposit = { method: 'POST', path: '/v1/documents', headers: bearerHeaders(token, headers), body: certificate };
  assert.equal((await ask(deposit)).status, 201);
}

/**
 * A citizen who is signed in and sees the messages. `pages` has each page once, also if a form leads back to it: a page is an
 * address with the choices in it, or the response to a form that does not redirect.
 */
type CitizenWindow = AsyncDisposable & { readonly page: Page; readonly pages: ReadonlySet<string> } & {
  /** Presses a link or button, waits for the page, and checks it. */
  press(target: Locator): Promise<void>;
  /** Opens a page of the menu. */
  openFromMenu(name: string): Promise<void>;
};

async function signIn(citizenId = 'demo-mary'): Promise<CitizenWindow> {
  const view = { scheme: 'light', widthPx: 360, locale: 'en' } as const;
  const opened = await openPage(browser, `${server.url}/me/sign-in?to=/me`, view);
  const { page, errors } = opened;
  const pages = new Set<string>();
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || response.status() === 303) return;
    const { pathname, searchParams } = new URL(response.url());
    // The report of a form that succeeded is no choice.
    searchParams.delete('done');
    pages.add(`${request.method()} ${pathname}?${searchParams}`);
  });
  const press = async (target: Locator) => {
    await Promise.all([page.waitForEvent('load'), target.click()]);
    const seen = [errors, await overflowingElements(page), await accessibilityViolations(page)];
    assert.deepEqual(seen, [[], [], []], page.url());
  };
  await page.getByText(citizenId).locator('..').locator('a').click();
  await page.waitForURL(`${server.url}/me`);
  pages.clear();
  pages.add('GET /me?');
  return {
    page,
    pages,
    press,
    openFromMenu: async (name) => {
      await page.getByText('Menu').click();
      await press(page.getByRole('navigation').getByRole('link', { name }));
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const button = (page: Page, name: string) => page.getByRole('button', { name });
const link = (page: Page, name: string) => page.getByRole('link', { name });
const mainText = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ');

function assertFewPages({ pages }: CitizenWindow): void {
  assert.ok(pages.size <= maxPages, [...pages].join(', '));
}

test('a citizen finds the newest decision and its deadline', { skip }, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  await page.getByText('Find a message').click();
  await page.getByLabel('Kind of message').selectOption('decision');
  await press(button(page, 'Search'));
  const newest = page.locator('.list > li').first();
  const due = `Needs an answer by ${readableDay(deadline)}`;
  assert.match((await newest.textContent()) ?? '', new RegExp(`Parking permit refused[\\s\\S]*${due}`));
  await press(newest.getByRole('link'));
  assert.match(await mainText(page), new RegExp(`PP-118.*${due}`));
  assertFewPages(seen);
});

test('a citizen finds whom to contact to object to a decision', { skip }, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  await press(link(page, 'Parking permit refused'));
  assert.match(await mainText(page), /Contact City Permits Phone: \+44 20 7946 0000/);
  const mail = link(page, 'objections@permits.example');
  assert.equal(await mail.getAttribute('href'), 'mailto:objections@permits.example');
  assertFewPages(seen);
});

test('a citizen downloads a certificate, whose file has its title', { skip }, async () => {
  await using seen = await signIn();
  const { page, openFromMenu } = seen;
  await openFromMenu('Documents');
  const [file] = await Promise.all([page.waitForEvent('download'), link(page, 'Birth certificate').click()]);
  assert.equal(file.suggestedFilename(), 'Birth certificate.pdf');
  assert.deepEqual(await readFile(await file.path()), certificate);
  assertFewPages(seen);
});

test('a citizen sees who asked for data last month and why', { skip }, async () => {
  await using seen = await signIn();
  const { page, press, openFromMenu } = seen;
  await openFromMenu('Use of your data');
  assert.match(await mainText(page), /Place at a school.*Parking permit for residents/);
  await page.getByLabel('From this day').fill(dateOf(lastMonth.first));
  await page.getByLabel('Up to this day').fill(dateOf(lastMonth.last));
  await press(button(page, 'Show'));
  const text = await mainText(page);
  assert.match(text, /City Permits Checked whether details about you are right Why ?Parking permit for residents/);
  assert.ok(text.includes(readableDay(lastMonth.middle)), text);
  assert.doesNotMatch(text, /Place at a school/);
  assertFewPages(seen);
});

test('a citizen changes the email address', { skip }, async () => {
  await using seen = await signIn();
  const { page, press, openFromMenu } = seen;
  await openFromMenu('How we contact you');
  await press(link(page, 'Change your email address'));
  await page.getByLabel('New email address').fill('mary.new@example.org');
  await press(button(page, 'Send a code by email'));
  const code = page.getByLabel('Code from the email');
  assert.equal(await page.evaluate('document.activeElement.id'), await code.getAttribute('id'));
  await code.fill(await readCodeFromOutbox(server, 'mary.new@example.org'));
  await press(button(page, 'Confirm the email address'));
  assert.match(
    await mainText(page),
    /You confirmed your email address\..*Email address ?mary\.new@example\.org, confirmed/,
  );
  assertFewPages(seen);
});

test('a citizen stops text messages', { skip }, async () => {
  await using seen = await signIn();
  const { page, press, openFromMenu } = seen;
  await openFromMenu('How we contact you');
  await press(link(page, 'Stop text messages'));
  await press(button(page, 'Stop text messages'));
  assert.match(await mainText(page), /We saved your choice\..*Text message: Never/);
  assert.equal(await link(page, 'Stop text messages').count(), 0);
  assertFewPages(seen);
});

test('a citizen finds an archived message, by the archive and by a search', { skip }, async () => {
  await using first = await signIn();
  await first.press(link(first.page, 'Garden waste'));
  await first.press(button(first.page, 'Move to the archive'));
  assert.equal(await link(first.page, 'Garden waste').count(), 0);
  const findings = {
    archive: async ({ page, press }: CitizenWindow) => press(link(page, 'Archive')),
    search: async ({ page, press }: CitizenWindow) => {
      await page.getByText('Find a message').click();
      await page.getByLabel('Words in the message').fill('monday');
      await press(button(page, 'Search'));
    },
  };
  for (const find of Object.values(findings)) {
    await using seen = await signIn();
    await find(seen);
    await seen.press(link(seen.page, 'Garden waste'));
    assert.match(await mainText(seen.page), /We collect it on Monday\./);
    assertFewPages(seen);
  }
});

test('a citizen locks and unlocks the details after a confirmation, and the success is announced', {
  skip,
}, async () => {
  for (const [action, state] of [
    ['Lock my details', 'Your details are locked.'],
    ['Unlock my details', 'Your details are not locked any more.'],
  ] as const) {
    await using seen = await signIn('demo-suharti');
    const { page, press, openFromMenu } = seen;
    await openFromMenu('Your details in the register');
    await press(link(page, action));
    await press(button(page, action));
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'status');
    assert.equal(await page.locator('.banner[role=status]').textContent(), state);
    assertFewPages(seen);
  }
});

test('a citizen switches to Arabic, which is written from right to left', { skip }, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  await press(link(page, 'العربية'));
  assert.match((await page.locator('h1').textContent()) ?? '', /^الرسائل/);
  assert.deepEqual(await page.evaluate('[document.documentElement.lang, getComputedStyle(document.body).direction]'), [
    'ar',
    'rtl',
  ]);
  assertFewPages(seen);
});

test('a citizen signs out, and the browser shows no message any more', { skip }, async () => {
  await using seen = await signIn();
  const { page, press, pages } = seen;
  await page.getByText('Menu').click();
  await press(button(page, 'Sign out'));
  assert.equal(await page.locator('h1').textContent(), 'You are signed out');
  assert.ok(pages.size <= maxPages);
  await page.goto(`${server.url}/me`);
  assert.doesNotMatch(await mainText(page), /Storm warning/);
});
