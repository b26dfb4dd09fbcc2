import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, signInAtDemo } from '../cookie-browser.ts';
import { createExchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { formOf } from '../page-form.ts';
import { until } from '../until.ts';
import { afterThisFile, makeHome, type ServerHome } from '../whole-server.ts';

// The page on which citizens say how they wish to be reached.
let home: ServerHome;

const thisFile = afterThisFile();
before(async () => {
  home = await makeHome(thisFile);
  await home.start('demo');
});

const textOf = ({ body }: { readonly body: Buffer }) => body.toString('utf8');
const kept = 'Your wishes are kept.';

async function signedIn(citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(home.url);
  const page = await signInAtDemo(browser, citizenId, '/me/contact');
  assert.equal(page.url, `${home.url}/me/contact`, textOf(page));
  return browser;
}

/** The form of the page with these fields changed, as it is sent. */
async function changed(browser: CookieBrowser, change: Readonly<Record<string, string>>): Promise<URLSearchParams> {
  const form = formOf(textOf(await browser.get('/me/contact')));
  for (const [name, value] of Object.entries(change)) form.set(name, value);
  return form;
}

test('a citizen states wishes, comes back to a page that has them, and later messages go by them', async () => {
  const mary = await signedIn('demo-mary');
  const form = await changed(mary, { email: 'never', letter: '1', language: 'nn' });
  const sent = await mary.post('/me/contact', {}, form);
  assert.deepEqual([sent.status, sent.headers.location], [303, '/me/contact?kept=1'], textOf(sent));
  const page = textOf(await mary.get('/me/contact?kept=1'));
  assert.ok(page.includes(kept));
  assert.deepEqual([...formOf(page)], [...form]);
  const again = textOf(await mary.get('/me/contact'));
  assert.deepEqual([again.includes(kept), [...formOf(again)]], [false, [...form]]);
  const [ask, token] = [createExchange(home.url), await home.token()];
  const message = { citizenId: 'demo-mary', message: 'Your permit is ready.' };
  const id = String(jsonOf(await ask(sendJson(token, '/v1/notifications/send', message)))['id']);
  await until(async () => {
    const seen = textOf(await ask({ path: `/v1/notifications/${id}`, headers: withToken(token) }));
    return /"channel":"email","status":"skipped".*"declined"/.test(seen);
  });
  assert.match(textOf(await mary.get('/me/uses')), /How you want to be reached was stated/);
});

test('what cannot be kept comes back with what is wrong, and leaves all as it was', async () => {
  const layla = await signedIn('demo-layla');
  assert.equal((await layla.post('/me/contact', {}, await changed(layla, { sms: '1' }))).status, 303);
  const before = [...formOf(textOf(await layla.get('/me/contact')))];
  for (const [change, told] of [
    [{ email: '1', sms: '1' }, 'Two ways have the same place in the order.'],
    [{ hoursFor: 'email', from: '8', until: '8', timeZone: 'UTC' }, 'Choose two different hours'],
    [{ hoursFor: 'email', from: '8', until: '18' }, 'Choose a time zone.'],
    // What only the operation knows to be wrong.
    [{ hoursFor: 'email', from: '8', until: '18', timeZone: 'Oslo' }, 'The form could not be read.'],
    [{ letter: 'never' }, 'The form could not be read.'],
    [{ language: '<b>' }, 'The form could not be read.'],
  ] as const) {
    const form = await changed(layla, change);
    const answer = await layla.post('/me/contact', {}, form);
    assert.equal(answer.status, 400, told);
    assert.ok(textOf(answer).includes(told), told);
    assert.match(textOf(answer), /role="alert"/);
    assert.deepEqual([...formOf(textOf(answer))].sort(), [...form].sort());
  }
  assert.deepEqual([...formOf(textOf(await layla.get('/me/contact')))], before);
});

test('the page shows the addresses that were confirmed, and none of the register', async () => {
  const anh = await signedIn('demo-anh');
  const registered = home.demo().citizens.find(({ citizenId }) => citizenId === 'demo-anh')?.email ?? assert.fail();
  const before = textOf(await anh.get('/me/contact'));
  assert.equal(before.match(/None is confirmed/g)?.length, 2);
  assert.ok(!before.includes(registered));
  const path = join(home.dataDir, 'contacts.jsonl');
  const email = { address: 'anh+new@example.org', verifiedAt: '2026-01-02T00:00:00Z' };
  writeFileSync(path, JSON.stringify({ citizenId: 'demo-anh', email }));
  const ran = await home.run('contacts', 'import', path);
  assert.equal(ran.code, 0, ran.stderr);
  const page = textOf(await anh.get('/me/contact'));
  assert.match(page, /<bdi>anh\+new@example\.org<\/bdi>, confirmed on\s*<time datetime="2026-01-02T00:00:00Z">/);
  assert.equal(page.match(/None is confirmed/g)?.length, 1);
  // To state wishes leaves it in place.
  assert.equal((await anh.post('/me/contact', {}, formOf(page))).status, 303);
  assert.match(textOf(await anh.get('/me/contact')), /anh\+new@example\.org/);
});
