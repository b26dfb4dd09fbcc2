import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { operations } from '../../src/app/operations.ts';
import {
  accessibilityViolations,
  browserSkipReason,
  openBrowser,
  openPage,
  overflowingElements,
  type PageView,
} from '../support/browser.ts';
import { fetchOnce } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const skip = browserSkipReason;
let home: ServerFixture;
let browser: Browser;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  if (skip === false) browser = await openBrowser(thisFile);
});

/** The limit of the longest test, which takes 10 times as long on a busy machine. */
const busyMachineMs = 400_000;

const wide: PageView = { scheme: 'light', widthPx: 1_440, locale: 'en' };
const narrow: PageView = { scheme: 'dark', widthPx: 360, locale: 'en' };
/** OpenAPI 3.1 has no member for QUERY, so that the reference cannot show this operation. */
const shown = operations.filter(({ method }) => method !== 'QUERY');

const openReference = async (view: PageView) => await openPage(browser, `${home.url}/docs`, view);

/**
 * The sample of an operation in the language that is selected. The reference renders an operation when it is near the window, and
 * can miss a change of the hash while it renders others: the hash is changed until the sample appears.
 */
async function sampleOf(page: Page, group: string, name: string): Promise<string> {
  const sample = page.locator(`[id$="/tag/${group}/${name}"] pre`).first();
  let isFirst = true;
  await waitUntil(async () => {
    if (!isFirst) await page.evaluate(`location.hash = '#tag/${group}'`);
    isFirst = false;
    await page.evaluate(`location.hash = '#tag/${group}/${name}'`);
    return await sample.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  }, 120_000);
  return (await sample.textContent()) ?? '';
}

const groupOfPath = (path: string) => path.split('/')[2] ?? 'register';

async function enterCredential(page: Page, label: string, value: string): Promise<void> {
  await page.getByText(label).first().click();
  await page.keyboard.type(value);
}

test('scripts are allowed on the reference only', async () => {
  const policies = new Map<string, string>();
  for (const path of ['/', '/docs', '/problems', '/problems/bad-request', '/outbox', '/me', '/received/x', '/none']) {
    const response = await fetchOnce(`${home.url}${path}`);
    policies.set(path, response.headers.get('content-security-policy') ?? '');
  }
  for (const [path, policy] of policies) {
    assert.ok(policy.startsWith("default-src 'none'; "), `${path}: ${policy}`);
    assert.equal(policy.includes('script-src'), path === '/docs', `${path}: ${policy}`);
    assert.doesNotMatch(policy, /unsafe-eval|https?:/);
  }
});

for (const view of [wide, narrow]) {
  test(`the reference shows every group without a fault or a request to another host, at ${view.widthPx} px`, {
    skip,
  }, async () => {
    await using seen = await openReference(view);
    const { page, errors } = seen;
    await page.getByRole('heading', { level: 1, name: 'citizen-services' }).waitFor();
    for (const group of new Set(shown.map(({ path }) => groupOfPath(path)))) {
      await page.evaluate(`location.hash = '#tag/${group}'`);
      await page.locator(`[id$="/tag/${group}"]`).getByRole('heading', { name: group }).first().waitFor();
    }
    assert.deepEqual([seen.status, errors, await overflowingElements(page)], [200, [], []]);
  });
}

test('the search finds an operation by a word of its summary, and shows its types and limits', { skip }, async () => {
  await using seen = await openReference(wide);
  const { page, errors } = seen;
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.keyboard.type('official notification');
  await page.getByRole('option', { name: 'Send an official notification' }).first().click();
  const section = page.locator('[id$="/tag/notifications/sendNotification"]');
  await section.getByText('min length').first().waitFor();
  assert.match((await section.textContent()) ?? '', /citizenId.*?string.*?max length:\s*200.*?required/s);
  assert.deepEqual(errors, []);
});

test('a reader gets a token with the credential of the demo, and calls an operation', { skip }, async () => {
  const { clientId = '', clientSecret = '' } = home.readDemoFile().clients[0] ?? {};
  await using seen = await openReference(wide);
  const { page, errors } = seen;
  await enterCredential(page, 'Client ID', clientId);
  await enterCredential(page, 'Client Secret', clientSecret);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByText('Access Token').first().waitFor();
  await sampleOf(page, 'notifications', 'sendNotification');
  const section = page.locator('[id$="/tag/notifications/sendNotification"]');
  await section.getByRole('button', { name: 'Test Request' }).click();
  const answered = page.waitForResponse(`${home.url}/v1/notifications/send`);
  await page.getByRole('button', { name: 'Send', exact: false }).last().click();
  assert.equal((await answered).status(), 202);
  const stored = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  assert.ok(!stored.includes(clientSecret) && !stored.includes('eyJ'), 'the browser stores no secret and no token');
  assert.deepEqual(errors, []);
});

test('a reader calls an operation with an access token from elsewhere', { skip }, async () => {
  await using seen = await openReference(wide);
  const { page, errors } = seen;
  await page.getByText('Selected Auth Type').first().click();
  await page.getByRole('option', { name: 'accessToken' }).first().click();
  await page.getByRole('option', { name: 'pastedToken' }).first().click();
  await page.keyboard.press('Escape');
  await enterCredential(page, 'Bearer Token', await home.fetchAccessToken());
  await sampleOf(page, 'notifications', 'listNotifications');
  const section = page.locator('[id$="/tag/notifications/listNotifications"]');
  await section.getByRole('button', { name: 'Test Request' }).click();
  const answered = page.waitForResponse((response) => response.url().startsWith(`${home.url}/v1/notifications?`));
  await page.getByRole('button', { name: 'Send', exact: false }).last().click();
  assert.equal((await answered).status(), 200);
  assert.deepEqual(errors, []);
});

/** Problems of samples whose ids are of another demo. */
const expectedProblems =
  /^(batch|document|notification|presentation|webhook|template|verification|receipt)-not-found$|^bad-request$/;
const forClients = shown.filter(({ callers }) => callers.includes('clients'));

test('every sample for curl of clients is well formed, and fails only because its ids are of another demo', {
  skip,
  timeout: busyMachineMs,
}, async () => {
  const folder = makeTestFolder('cs-samples-');
  thisFile.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'document.pdf'), '%PDF-1.7\n%%EOF\n');
  const token = await home.fetchAccessToken();
  await using seen = await openReference(wide);
  const results = new Map<string, string>();
  for (const { name, path } of forClients) {
    const sample = await sampleOf(seen.page, groupOfPath(path), name);
    const command = sample.replace('YOUR_SECRET_TOKEN', token).replace('curl', 'curl -sS');
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder, timeout: 20_000 });
    const slug = /"type":"http[^"]*\/problems\/([\w-]+)"/.exec(stdout)?.[1] ?? 'done';
    assert.ok(slug === 'done' || expectedProblems.test(slug), `${command}\n${stdout}`);
    results.set(name, slug);
  }
  const done = [...results].filter(([, slug]) => slug === 'done').map(([name]) => name);
  const expected = ['verifyIdentity', 'sendNotification', 'listNotifications', 'depositDocument', 'listDocuments'];
  assert.deepEqual(
    [...expected, 'readEvents', 'createWebhook', 'createTemplate', 'listEndpoints'].filter(
      (name) => !done.includes(name),
    ),
    [],
  );
});

test('the reference lists every operation without scripts, and fits a narrow window', { skip }, async () => {
  await using seen = await openReference({ ...narrow, script: 'off' });
  assert.deepEqual([seen.errors, await overflowingElements(seen.page)], [[], []]);
  const text = await seen.page.locator('main').textContent();
  for (const { method, path } of operations) assert.ok(text?.includes(`${method} ${path}`), `${method} ${path}`);
});

/** Faults in the HTML of Scalar that no setting fixes: fields of the credential, the list of scopes, and the link of the contact. */
const faultsOfScalar = ['aria-required-attr', 'button-name', 'link-name'];

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds only known faults of Scalar in the reference, with ${scheme} colors`, { skip }, async () => {
    await using seen = await openReference({ ...wide, scheme });
    await sampleOf(seen.page, 'documents', 'withdrawDocument');
    const faults = await accessibilityViolations(seen.page);
    assert.deepEqual(
      faults.filter((line) => !faultsOfScalar.includes(line.split(':')[0] ?? '')),
      [],
    );
  });
}
