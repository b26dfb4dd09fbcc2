import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  accessibilityViolations,
  browserSkipReason,
  openBrowser,
  openPage,
  overflowingElements,
} from '../support/browser.ts';
import { openCookieBrowser } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// A caseworker uploads, corrects and sends batches, and looks at the client of the service, by clicks in the window of a phone.
const skip = browserSkipReason;
let server: ServerFixture;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  server = await makeServerFixture(thisFile, { settings: { STAFF_BATCH_LIMIT: '25' } });
  await server.start('demo');
  browser = await openBrowser(thisFile);
});

type StaffWindow = AsyncDisposable & {
  readonly page: Page;
  /** Presses a link or button, waits for the page, and checks it. */
  press(target: Locator): Promise<void>;
  /** Checks the page as it is. */
  check(): Promise<void>;
};

async function signIn(locale = 'en', widthPx = 320): Promise<StaffWindow> {
  const opened = await openPage(browser, `${server.url}/staff/sign-in?to=/staff`, { scheme: 'light', widthPx, locale });
  const { page, errors } = opened;
  await page.getByText('chris', { exact: true }).locator('..').locator('a').click();
  await page.waitForURL(`${server.url}/staff`);
  const check = async () => {
    // Chromium reports a download as a page that it did not load.
    const faults = errors.filter((fault) => !/\/results\S* net::ERR_ABORTED$/.test(fault));
    const seen = [faults, await overflowingElements(page), await accessibilityViolations(page)];
    assert.deepEqual(seen, [[], [], []], page.url());
  };
  const press = async (target: Locator) => {
    await Promise.all([page.waitForEvent('load'), target.click()]);
    await check();
  };
  return { page, press, check, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

const button = (page: Page, name: string) => page.getByRole('button', { name });
const link = (page: Page, name: string) => page.getByRole('link', { name });
const mainText = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ');
const csvFile = (name: string, csv: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });

async function openSection({ page, press }: StaffWindow, name: string): Promise<void> {
  await page.goto(`${server.url}/staff`);
  await page.getByText('Menu').click();
  await press(page.getByRole('navigation').getByRole('link', { name }));
}

/** Uploads a file from the list of batches, and waits until the server has checked it. */
async function upload(seen: StaffWindow, name: string, csv: string): Promise<void> {
  const { page, press } = seen;
  await openSection(seen, 'Batches');
  await press(link(page, 'Upload a file'));
  await page.getByLabel('Name of the batch').fill(name);
  await page.getByLabel('File', { exact: true }).setInputFiles(csvFile('messages.csv', csv));
  await press(button(page, 'Upload and check'));
  await reloadUntil(page, /Ready to send/);
  await seen.check();
}

async function reloadUntil(page: Page, text: RegExp): Promise<void> {
  await waitUntil(async () => {
    await page.reload();
    return text.test(await mainText(page));
  });
}

const columns = [
  'citizenId',
  'subject',
  'message',
  'category',
  'language',
  'sendAt',
  'deliverBy',
  'channels',
  'reference',
];
type Cells = Readonly<Record<string, string>>;
const good: Cells = { citizenId: 'demo-mary', subject: 'Waste', message: 'We collect it on Monday.' };
const wrong: readonly Cells[] = [
  { message: '' },
  { citizenId: '' },
  { citizenId: 'nobody' },
  { citizenId: 'x'.repeat(300) },
  { message: 'x'.repeat(20_001) },
  { subject: 'x'.repeat(300) },
  { category: 'news' },
  { language: 'english!' },
  { sendAt: 'tomorrow' },
  { sendAt: '2026-02-30T10:00:00Z' },
  { sendAt: '2999-01-01T00:00:00Z' },
  { deliverBy: 'soon' },
  { deliverBy: '2001-01-01T00:00:00Z' },
  { sendAt: '2030-01-02T00:00:00Z', deliverBy: '2030-01-01T00:00:00Z' },
  { channels: 'pigeon' },
  { channels: 'email email' },
  { reference: 'x'.repeat(300) },
  { message: 'Dear ((name))', reference: 'one', citizenId: '' },
  { reference: 'first' },
  { message: 'The same twice' },
];

const csvOf = (names: readonly string[], rows: readonly Cells[]) =>
  [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`)
    .join('');

test('a caseworker corrects 20 wrong rows with the results file, and all messages are sent once', {
  skip,
}, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  const originals = [
    { ...good, reference: 'first' },
    { ...good, message: 'The same twice' },
  ];
  await upload(seen, 'Waste', csvOf(columns, [...originals, ...wrong.map((row) => ({ ...good, ...row }))]));
  const checked = await mainText(page);
  assert.match(checked, /Rows in the file ?22 ?Messages to send ?2 ?Rows with a fault ?20/);
  assert.match(checked, /Rows with a fault: 20/);
  assert.equal(await page.locator('table').first().locator('tbody tr').count(), 20);
  assert.match(checked, /Text messages: \d+ ?Letters: \d+/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    link(page, 'Download the rows with a fault').click(),
  ]);
  const [head = '', ...lines] = (await readFile(await file.path(), 'utf8')).split('\r\n').filter((line) => line !== '');
  assert.equal(lines.length, 20);
  await press(link(page, 'Send this batch'));
  await press(button(page, 'Send'));
  assert.match(await page.title(), /^Error: /);
  await page.getByLabel('Why you send these messages').fill('The bins change.');
  await press(button(page, 'Send'));
  await reloadUntil(page, /Done/);
  const names = head.split(',').map((name) => name.replaceAll(/["\uFEFF]/g, ''));
  const corrected = lines.map((_, at) => ({
    ...good,
    message: `We collect it on Monday, round ${at}.`,
    row: String(at + 3),
    state: 'refused',
  }));
  await upload(seen, 'Waste, corrected', csvOf(names, corrected));
  assert.match(await mainText(page), /Messages to send ?20 ?Rows with a fault ?0/);
  await press(link(page, 'Send this batch'));
  await page.getByLabel('Why you send these messages').fill('The bins change.');
  await press(button(page, 'Send'));
  await reloadUntil(page, /Done/);
  await seen.check();
  assert.match(await mainText(page), /Rows in the file ?20 ?Rows with a fault ?0/);
  await press(link(page, 'All batches'));
  assert.match(await mainText(page), /Waste, corrected ?Done Rows: 20.*Waste ?Done Rows: 22/);
});

test('a batch over the limit of one person waits for another person, and can be cancelled', { skip }, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  const rows = Array.from({ length: 26 }, (_, at) => ({ ...good, message: `Street ${at} is closed.` }));
  await upload(seen, 'Streets', csvOf(columns, rows));
  await press(link(page, 'Send this batch'));
  await page.getByLabel('Why you send these messages').fill('Road works.');
  await press(button(page, 'Send'));
  assert.match(
    await mainText(page),
    /Nothing has been sent yet\. Another person must approve this batch\. .*Another person can approve it until/,
  );
  assert.equal(await link(page, 'Send this batch').count(), 0);
  await press(link(page, 'Cancel this batch'));
  await press(button(page, 'Cancel the batch'));
  assert.match(await mainText(page), /Cancelled/);
});

test('a file without its columns, and a form without a file, are explained', { skip }, async () => {
  await using seen = await signIn();
  const { page, press } = seen;
  await page.goto(`${server.url}/staff/batches/new`);
  await page.getByLabel('Name of the batch').fill('Kept');
  await press(button(page, 'Upload and check'));
  assert.match(await page.title(), /^Error: /);
  assert.equal(await page.getByLabel('Name of the batch').inputValue(), 'Kept');
  await page.getByLabel('File', { exact: true }).setInputFiles(csvFile('a.csv', 'name,text\r\nMary,Hello\r\n'));
  await press(button(page, 'Upload and check'));
  assert.match(await mainText(page), /Nothing was sent ?The file has a column that we do not know\./);
  await press(link(page, 'Upload the corrected file'));
  const workbook = { name: 'a.xlsx', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004\u0014') };
  await page.getByLabel('File', { exact: true }).setInputFiles(workbook);
  await press(button(page, 'Upload and check'));
  assert.match(await mainText(page), /We cannot read this file\. In Excel, save it as .CSV UTF-8/);
  await page.goto(`${server.url}/staff/batches/new?templateId=tpl_unknown`);
  assert.match(await mainText(page), /There is a problem ?This template no longer exists\. Choose another one\./);
  await press(button(page, 'Continue'));
  assert.match(await mainText(page), /citizenId: Number in the register ?message: Message/);
});

test('a caseworker sees the rights, use and keys of the service, tests a webhook and sends failed calls again', {
  skip,
}, async () => {
  const token = await server.fetchAccessToken();
  const ask = createHttpClient(server.url);
  assert.equal((await ask(postJson(token, '/v1/webhooks', { url: 'http://127.0.0.1:1/calls' }))).status, 201);
  await ask({ path: '/v1/client', headers: bearerHeaders(token) });
  await using seen = await signIn();
  const { page, press } = seen;
  await openSection(seen, 'Your service');
  assert.match(await mainText(page), /Demo Permit Service.*notifications:send.*Keys and certificates.*127\.0\.0\.1:1/);
  await press(link(page, 'http://127.0.0.1:1/calls'));
  await press(button(page, 'Send a test event'));
  assert.match(await mainText(page), /The test has ended: The receiver could not be reached/);
  await page.goto(`${page.url().split('?')[0]}/redeliver`);
  await press(button(page, 'Send the failed calls again'));
  assert.match(await mainText(page), /We are sending the failed calls again\./);
});

test('an upload that the browser interrupts is cancelled at once', { skip }, async () => {
  const client = openCookieBrowser(server.url);
  const choice = await client.follow('/staff/sign-in');
  await client.follow(`${choice.url}&as=chris`);
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, origin: server.url, 'content-type': 'multipart/form-data; boundary=end' };
  const upload = request(`${server.url}/staff/batches/new`, { method: 'POST', headers }).on('error', () => undefined);
  const part = (name: string) => `--end\r\nContent-Disposition: form-data; name=${name}`;
  upload.write(`${part('name')}\r\n\r\nInterrupted\r\n${part('file; filename=a.csv')}\r\n\r\ncitizenId,message\r\n`);
  const list = async () => (await client.get('/staff/batches')).body.toString('utf8').replaceAll(/<[^>]*>|\s+/g, ' ');
  await waitUntil(async () => /Interrupted +The upload is not complete/.test(await list()));
  upload.destroy();
  await waitUntil(async () => /Interrupted +Cancelled/.test(await list()));
});

test('the pages of batches and of the service are accessible from right to left', { skip }, async () => {
  await using seen = await signIn('ar');
  const { page, check } = seen;
  for (const path of ['/staff/batches', '/staff/batches/new', '/staff/service']) {
    await page.goto(`${server.url}${path}`);
    await check();
    assert.equal(await page.evaluate('document.documentElement.dir'), 'rtl');
  }
  await page.goto(`${server.url}/staff/batches`);
  const batches = await page.evaluate<string[]>(`[...document.querySelectorAll('.list a')].map((one) => one.href)`);
  assert.ok(batches.length > 0);
  for (const url of batches) {
    await page.goto(url);
    await check();
  }
});
