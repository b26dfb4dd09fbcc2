import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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
import { fileCleanupScope, makeServerFixture, type ServerFixture, waitUntilSigned } from '../support/server-process.ts';

// The pages of operators, approvers and auditors, used in a real browser by clicks.
const skip = browserSkipReason;
let demo: ServerFixture;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  demo = await makeServerFixture(thisFile);
  await demo.start('demo');
  browser = await openBrowser(thisFile);
});

/** Signs in as a person of the demo in a narrow window. */
async function signIn(person: string, locale = 'en'): Promise<OpenedPage> {
  const opened = await openPage(browser, `${demo.url}/staff/sign-in`, { scheme: 'light', widthPx: 320, locale });
  await opened.page.goto(`${opened.page.url()}&as=${person}`);
  return opened;
}

async function check({ page, errors }: OpenedPage): Promise<void> {
  const found = [errors, await overflowingElements(page), await accessibilityViolations(page)];
  assert.deepEqual(found, [[], [], []], page.url());
}

async function openSection(page: Page, name: string): Promise<void> {
  await page.locator('header nav summary').click();
  await page.locator('header nav').getByRole('link', { name, exact: true }).click();
}

const heading = async (page: Page) => await page.locator('h1').textContent();
const textOf = async (page: Page) => (await page.locator('main').textContent()) ?? '';

test('an operator pauses a channel with a reason, reads it on the first page, and resumes the channel', {
  skip,
}, async () => {
  await using seen = await signIn('olu');
  const { page } = seen;
  await check(seen);
  await openSection(page, 'Queues');
  await check(seen);
  await page.getByRole('link', { name: 'Pause: Email' }).click();
  await check(seen);
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.equal(await page.title(), 'Error: Email: Pause this channel? – Staff pages');
  assert.match(await textOf(page), /There is a problem.*Enter a reason/s);
  await check(seen);
  await page.getByLabel('Reason').fill('The mail server rejects all messages.');
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.match(await textOf(page), /The channel is paused\..*The mail server rejects all messages\./s);
  await check(seen);
  await openSection(page, 'Start');
  await check(seen);
  await page.getByRole('link', { name: 'Email is paused' }).click();
  await page.getByRole('link', { name: 'Resume: Email' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  assert.match(await textOf(page), /There is a problem.*Enter a reason/s);
  await page.getByLabel('Reason').fill('The mail server works again.');
  await page.getByRole('button', { name: 'Resume' }).click();
  assert.match(await textOf(page), /The channel works again\./);
});

test('an operator proposes a client and other rights for it, cannot approve that, and an approver approves and refuses', {
  skip,
}, async () => {
  await using operator = await signIn('olu');
  const { page } = operator;
  await openSection(page, 'Clients');
  await check(operator);
  await page.getByRole('link', { name: 'Propose a new client' }).click();
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.match(await textOf(page), /Enter a name\..*Choose at least one right\..*Enter a reason/s);
  await check(operator);
  await page.getByLabel('Name').fill('Water Board');
  await page.getByLabel('notifications:send').check();
  await page.getByLabel('Issuer of tokens').fill('https://issuer.example');
  await page.getByLabel('Purposes').fill(`water bill\n${'meter'.repeat(21)}`);
  await page.getByLabel('Reason').fill('The service starts in May.');
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.match(await textOf(page), /There is a problem.*The server says: .*\/purposes/s);
  await check(operator);
  await page.getByLabel('Purposes').fill('water bill\nmeter reading');
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.equal(await heading(page), 'Create a client');
  assert.match(await textOf(page), /We stored your proposal.*You made this proposal/s);
  assert.equal(await page.getByRole('link', { name: 'Approve' }).count(), 0);
  await check(operator);

  await using approver = await signIn('alex');
  await openSection(approver.page, 'Proposals');
  await check(approver);
  await approver.page.getByRole('link', { name: 'Create a client' }).click();
  assert.match(await textOf(approver.page), /water bill, meter reading/);
  await check(approver);
  await approver.page.getByRole('link', { name: 'Approve' }).click();
  await check(approver);
  await approver.page.getByRole('button', { name: 'Approve' }).click();
  assert.match(await textOf(approver.page), /The proposal is approved and has taken effect\./);
  await check(approver);

  await openSection(page, 'Clients');
  await page.getByRole('link', { name: 'Water Board' }).click();
  await check(operator);
  await page.getByRole('link', { name: 'Propose other rights' }).click();
  assert.equal(await page.getByLabel('notifications:send').isChecked(), true);
  await page.getByLabel('notifications:read').check();
  await page.getByLabel('access-log:hide').check();
  await page.getByLabel('Reason').fill('It shows the status.');
  await check(operator);
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  await approver.page.goto(page.url());
  const row = approver.page.getByRole('row', { name: 'Rights' });
  assert.match(
    (await row.textContent()) ?? '',
    /notifications:send\s*notifications:send, notifications:read, access-log:hide/,
  );
  assert.match(await textOf(approver.page), /may hide its uses from the citizen for up to 365 days\./);
  await check(approver);
  await approver.page.getByRole('link', { name: 'Refuse' }).click();
  await approver.page.getByLabel('Reason').fill('Ask the service first.');
  await approver.page.getByRole('button', { name: 'Refuse' }).click();
  assert.match(await textOf(approver.page), /The proposal is refused\..*Ask the service first\./s);
});

test('an operator disables a client', { skip }, async () => {
  await using operator = await signIn('olu');
  const { page } = operator;
  await openSection(page, 'Clients');
  await page.getByRole('link', { name: 'Water Board' }).click();
  await page.getByRole('link', { name: 'Disable this client' }).click();
  await page.getByLabel('Reason').fill('The service has ended.');
  await check(operator);
  await page.getByRole('button', { name: 'Disable this client' }).click();
  assert.match(await textOf(page), /The client is disabled\./);
  await check(operator);
});

/** The text of the file that a link downloads. */
async function download(page: Page, link: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText(link, { exact: true }).click()]);
  return await readFile(await file.path(), 'utf8');
}

test('an auditor filters the staff log by operation and person, and downloads it as a table and with proofs', {
  skip,
}, async () => {
  await waitUntilSigned(demo);
  await using seen = await signIn('ada');
  const { page } = seen;
  await openSection(page, 'Staff log');
  assert.match(await textOf(page), /Olu Operator.*Disable a client.*The service has ended\./s);
  await check(seen);
  await page.getByLabel('Action').selectOption({ label: 'Pause a channel' });
  await page.getByLabel('Account of the person').fill('olu');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.match(await textOf(page), /The mail server rejects all messages\./);
  assert.doesNotMatch(await textOf(page), /The service has ended\./);
  await check(seen);
  const table = await download(page, 'As a table (CSV)');
  assert.match(
    table,
    /^\uFEFF"Time".*\r\n".*","olu","Olu Operator","","Pause a channel","The mail server rejects all messages\.","",/,
  );
  const { items } = JSON.parse(await download(page, 'With proofs (JSON)'));
  assert.equal(items.length, 1);
  assert.match(items[0].events[0].proof, /^c2sp\.org\/tlog-proof@v1/);
  await page.goto(`${demo.url}/staff/audit?subject=somebody`);
  assert.match(await textOf(page), /No entries match your choice\./);
});

test('the pages of an operator and an auditor have no fault in Arabic, and other people cannot open them', {
  skip,
}, async () => {
  const paths = {
    olu: ['', '/queues', '/queues/sms/pause', '/clients', '/clients/propose', '/proposals'],
    ada: ['/audit', '/proposals'],
  };
  for (const [person, shown] of Object.entries(paths)) {
    await using seen = await signIn(person, 'ar');
    for (const path of shown) {
      await seen.page.goto(`${demo.url}/staff${path}`);
      assert.equal(await seen.page.locator('html').getAttribute('dir'), 'rtl');
      await check(seen);
    }
  }
  await using other = await signIn('sam');
  for (const path of ['/queues', '/clients', '/clients/propose', '/audit', '/audit/table']) {
    const response = await other.page.goto(`${demo.url}/staff${path}`);
    assert.deepEqual([response?.status(), await heading(other.page)], [403, 'You cannot do this'], path);
  }
});
