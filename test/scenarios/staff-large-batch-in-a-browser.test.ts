import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { browserSkipReason, openBrowser, openPage } from '../support/browser.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { waitUntil } from '../support/wait-until.ts';

// A caseworker and an approver send a batch above the limit of one person, in browsers without script.
const skip = browserSkipReason;
let server: ServerFixture;
let smtp: TestSmtpServer;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  if (skip !== false) return;
  smtp = await startTestSmtpServer(thisFile);
  server = await makeServerFixture(thisFile, { settings: { SMTP_URL: smtp.url } });
  await server.start('demo');
  browser = await openBrowser(thisFile);
});

const rowCount = 600;
/** The rows that are wrong at first: every 50th. */
const isWrong = (at: number) => at % 50 === 0;
const [goodCount, wrongCount] = [588, 12];

type Window = AsyncDisposable & { readonly page: Page; press(target: Locator): Promise<void>; text(): Promise<string> };

async function openWindow(person: string): Promise<Window> {
  const view = { scheme: 'light', widthPx: 768, locale: 'en', script: 'off' } as const;
  const opened = await openPage(browser, `${server.url}/staff/sign-in?to=/staff`, view);
  const { page } = opened;
  await page.locator(`a[href*="as=${person}"]`).click();
  await page.waitForURL(`${server.url}/staff`);
  return {
    page,
    press: async (target) => {
      await Promise.all([page.waitForEvent('load'), target.click()]);
    },
    text: async () => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' '),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });

async function createTemplate(name: string, message: string): Promise<void> {
  const body = { name, defaultLanguage: 'en', texts: [{ language: 'en', subject: 'Bins of ((street))', message }] };
  const created = await createHttpClient(server.url)(postJson(await server.fetchAccessToken(), '/v1/templates', body));
  assert.equal(created.status, 201, String(created.body));
}

async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), link(page, name).click()]);
  return await readFile(await file.path(), 'utf8');
}

async function upload({ page, press }: Window, name: string, csv: string): Promise<void> {
  await page.getByLabel('Name of the batch').fill(name);
  const file = { name: 'bins.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await press(button(page, 'Upload and check'));
}

/** The page loads again by itself, because of its `refresh` header. */
async function waitForText(seen: Window, text: RegExp): Promise<void> {
  await waitUntil(async () => text.test(await seen.text()), 60_000).catch(async () =>
    assert.match(await seen.text(), text),
  );
}

/** The caseworker proposes the batch, and cannot approve it. Returns the address of the proposal. */
async function proposeBatch(chris: Window): Promise<string> {
  const { page, press, text } = chris;
  await press(link(page, 'Send this batch'));
  await page.getByLabel('Why you send these messages').fill('The days of the bins change.');
  await press(button(page, 'Send'));
  assert.match(await text(), /Nothing has been sent yet\. Another person must approve this batch\./);
  await press(link(page, 'See the proposal'));
  assert.match(await text(), /You made this proposal\. Another person must decide it\./);
  const own = page.url();
  await page.goto(`${own}/approve`);
  assert.equal(page.url(), own);
  await press(link(page, 'See the batch'));
  return own;
}

test('a batch above the limit is proposed, approved, sent and corrected without script, and each message is sent once', {
  skip,
}, async () => {
  await createTemplate('Bins', 'Dear ((name)), we collect the bins of ((street)) on Monday.');
  await createTemplate('Bins', 'Dear ((name)), we collect the bins of ((street)) on Tuesday.');
  await using chris = await openWindow('chris');
  const { page, press, text } = chris;
  await page.goto(`${server.url}/staff/batches`);
  await press(link(page, 'Upload a file'));
  const options = await page.getByLabel('Template').locator('option').allInnerTexts();
  assert.match(options[1] ?? '', /^\u2068Bins\u2069 \(version of .*\d{1,2}:\d\d.*\)$/);
  await page.getByLabel('Template').selectOption({ index: 1 });
  await press(button(page, 'Continue'));
  assert.match(await text(), /Your file needs these: ?citizenId: Number in the register ?name ?street/);
  const example = await download(page, 'Download an example file');
  assert.match(example, /^\uFEFF"citizenId","name","street"\r\n"Number in the register","name","street"\r\n$/);

  // Excel in a country with a decimal comma.
  const rows = Array.from({ length: rowCount }, (_, at) =>
    ['demo-mary', `Street ${at}`, isWrong(at) ? '' : 'Mary', 'email'].join(';'),
  );
  await upload(chris, 'Bins', `\uFEFF${['citizenId;street;name;channels', ...rows, ';;;', ''].join('\r\n')}`);
  await waitForText(chris, /Ready to send/);
  const checked = await text();
  assert.match(checked, /Rows in the file ?600 ?Messages to send ?588 ?Rows with a fault ?12/);
  assert.match(
    checked,
    /What we expect it to cost ?Text messages: 0 ?Letters: 0 ?We estimated this from \d+ of 588 rows\. It can be more\./,
  );
  assert.match(checked, /1 ?A value is missing: name/);
  assert.match(checked, /The first rows of the file.*Street 0.*Street 9/);
  const proposal = await proposeBatch(chris);

  await using alex = await openWindow('alex');
  assert.match(await alex.text(), /What needs attention ?One proposal waits for a decision/);
  await alex.press(link(alex.page, 'One proposal waits for a decision'));
  await alex.press(link(alex.page, 'Start a large batch of messages'));
  assert.equal(alex.page.url(), proposal);
  assert.match(await alex.text(), /The days of the bins change\..*Name ?Bins ?Template ?Bins ?Messages to send ?588/);
  await alex.press(link(alex.page, 'Approve'));
  await alex.press(button(alex.page, 'Approve'));
  assert.match(await alex.text(), /The proposal is approved and has taken effect\./);

  await press(link(page, 'Load this page again'));
  await waitForText(chris, /Done/);
  const results = await download(page, 'Download the rows with a fault');
  assert.match(
    results,
    /^\uFEFF"citizenId";"street";"name";"channels";"row";"state";"code";"detail";"notificationId"\r\n/,
  );
  const corrected = results.replaceAll(/;"";"email"/g, ';"Mary";"email"');
  await press(link(page, 'Upload the corrected file'));
  await upload(chris, 'Bins, corrected', corrected);
  await waitForText(chris, new RegExp(`Messages to send ?${wrongCount} ?Rows with a fault ?0`));
  await press(link(page, 'Send this batch'));
  await page.getByLabel('Why you send these messages').fill('The days of the bins change.');
  await press(button(page, 'Send'));
  await waitForText(chris, /Done/);

  // The demo sends mails of its own too.
  const streets = () => smtp.mails.flatMap(({ raw }) => /Street \d+/.exec(raw) ?? []);
  await waitUntil(async () => streets().length >= rowCount, 120_000);
  assert.deepEqual(streets().sort(), Array.from({ length: rowCount }, (_, at) => `Street ${at}`).sort());
  const headers = bearerHeaders(await server.fetchAccessToken());
  const list = parseJsonBody(await createHttpClient(server.url)({ path: '/v1/notification-batches', headers }));
  const accepted = (list['items'] as readonly { readonly accepted: number }[]).map((one) => one.accepted);
  assert.deepEqual(accepted, [wrongCount, goodCount]);
});
