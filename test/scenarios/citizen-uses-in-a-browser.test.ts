import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, browserSkipReason, overflowingElements } from '../support/browser.ts';
import { startBrowserDemo } from '../support/browser-demo.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { printPage } from '../support/printed-page.ts';
import type { ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// "Use of your data" in a real browser: a use by a service stays on the first page, whatever the citizen did after it.
const skip = browserSkipReason;
const demo = startBrowserDemo({ prepare: useDetails });

/** One service verifies Layla, and reads the status of a message to Haruka until the reads are one group. */
async function useDetails(server: ServerFixture): Promise<void> {
  const [ask, token] = [createHttpClient(server.url), await server.fetchAccessToken()];
  const message = { citizenId: 'demo-haruka', message: 'Hello' };
  const { id } = parseJsonBody(await ask(postJson(token, '/v1/notifications/send', message)));
  const read = async () =>
    bodyText(await ask({ path: `/v1/notifications/${String(id)}`, headers: bearerHeaders(token) }));
  // The deliveries are entries too. After their end, nothing is between the reads.
  await waitUntil(async () => !/"status":"(?:queued|sending)"/.test(await read()));
  for (let times = 0; times < 3; times += 1) await read();
  const claims = { citizenId: 'demo-layla', givenName: 'Nobody', familyName: 'Nowhere', birthDate: '1901-01-01' };
  const body = { ...claims, purpose: 'parking permit', legalBasis: 'Road Act 7' };
  assert.equal((await ask(postJson(token, '/v1/identity/verify', body))).status, 200);
}

async function signIn(page: Page, citizenId: string): Promise<void> {
  await page.locator(`a[href$="as=${citizenId}"]`).click();
  await page.waitForURL(`${demo.server.url}/me**`);
}

const textIn = async (page: Page, selector: string) => (await page.locator(selector).textContent()) ?? '';

/** The text of the file that a link downloads. */
async function download(page: Page, link: string): Promise<{ readonly name: string; readonly text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText(link, { exact: true }).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test('after 120 page views of the citizen, the use by a service is on page 1, and can be filtered and downloaded', {
  skip,
}, async () => {
  await using seen = await demo.open('/me/sign-in?to=/me', {
    scheme: 'light',
    widthPx: 360,
    locale: 'en',
  });
  const { page, errors } = seen;
  await signIn(page, 'demo-layla');
  for (let view = 0; view < 40; view += 1)
    // A thread answers at most 100 requests of a citizen in ten seconds.
    for (const path of ['/me', '/me/documents', '/me/record'])
      await waitUntil(async () => (await page.request.get(`${demo.server.url}${path}`)).status() === 200);
  await waitUntil(async () => {
    await page.goto(`${demo.server.url}/me/uses`);
    return /1[2-9]\d entries/.test(await textIn(page, 'main'));
  });
  const check = async (where: string) => {
    assert.deepEqual(
      [errors, await overflowingElements(page), await accessibilityViolations(page)],
      [[], [], []],
      where,
    );
  };
  await check('folded');
  const use = 'Checked whether details about you are right';
  assert.match(await textIn(page, 'main > .list'), new RegExp(`Demo Permit Service\\s+${use}`));
  // Own actions are folded, so their text is not visible.
  assert.equal(await page.getByText('Looked at the list of your messages').first().isVisible(), false);
  await page.getByText('Show your own actions').click();
  assert.equal(await page.getByText('Looked at the list of your messages').first().isVisible(), true);
  await check('unfolded');

  await page.getByLabel('Organisation').selectOption({ label: 'Population register' });
  await page.getByRole('button', { name: 'Show' }).click();
  assert.doesNotMatch(await textIn(page, 'main'), new RegExp(use));
  await page.getByLabel('Organisation').selectOption({ label: 'Demo Permit Service' });
  await page.getByLabel('From this day').fill('2020-01-01');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.match(await textIn(page, 'main > .list'), new RegExp(use));
  assert.doesNotMatch(await textIn(page, 'main'), /Show your own actions/);
  await check('filtered');

  await page.getByLabel('From this day').fill('2099-01-01');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.match(await textIn(page, 'main'), /No entries match your choice\./);
  await page.goto(`${demo.server.url}/me/uses?from=yesterday`);
  await check('wrong date');

  // The browser reports a navigation that becomes a download as not loaded, so no check of the page follows.
  await page.goto(`${demo.server.url}/me/uses`);
  await page.getByLabel('Organisation').selectOption({ label: 'Demo Permit Service' });
  await page.getByRole('button', { name: 'Show' }).click();
  const table = await download(page, 'As a table (CSV)');
  assert.equal(table.name, 'use-of-your-data.csv');
  const [, ...lines] = table.text.trimEnd().split('\r\n');
  assert.ok(lines.every((line) => line.includes('"Demo Permit Service"')));
  assert.match(
    table.text,
    new RegExp(`^\uFEFF"Number".*"Demo Permit Service","${use}".*"parking permit","Road Act 7"`, 's'),
  );
  const proofs = await download(page, 'With proofs (JSON)');
  assert.equal(proofs.name, 'use-of-your-data.json');
  const { usages } = JSON.parse(proofs.text);
  assert.equal(usages.length, lines.length);
  for (const { proof } of usages) assert.match(proof, /^c2sp\.org\/tlog-proof@v1/);
});

test('on paper, the entries of a folded group are there, and folded own actions are not', { skip }, async () => {
  await using seen = await demo.open('/me/sign-in?to=/me/uses', { scheme: 'light', widthPx: 800, locale: 'en' });
  const { page } = seen;
  await signIn(page, 'demo-haruka');
  const group = page.locator('main > .list details', { hasText: 'Checked whether a message reached you (' });
  await waitUntil(async () => {
    await page.goto(`${demo.server.url}/me/uses`);
    return (await group.locator('li').count()) >= 3 && (await page.locator('.own-actions').count()) === 1;
  });
  assert.equal(await group.locator('li').first().isVisible(), false);
  const folded = await printPage(page);
  assert.deepEqual(folded.missing, []);
  assert.doesNotMatch(folded.text, /what you did yourself|Looked at the list/i);
  await page.getByText('Show your own actions').click();
  const open = await printPage(page);
  assert.deepEqual(open.missing, []);
  assert.match(open.text, /Looked/);
});
