import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { differentCode, readCodeFromOutbox } from '../support/contact-app.ts';
import { type CookieBrowser, openCookieBrowser, readHtmlForm, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitPastMidnight, waitUntil } from '../support/wait-until.ts';

// The page for contact preferences.
let home: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
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

/** The form of the page with these fields changed. */
async function changed(browser: CookieBrowser, change: Readonly<Record<string, string>>): Promise<URLSearchParams> {
  const form = readHtmlForm(textOf(await browser.get('/me/contact')));
  for (const [name, value] of Object.entries(change)) form.set(name, value);
  return form;
}

test('the contact page shows the saved preferences of a citizen, and later messages follow them', async () => {
  const mary = await signedIn('demo-mary');
  const form = await changed(mary, { email: 'never', letter: '1', language: 'nn' });
  const sent = await mary.post('/me/contact', {}, form);
  assert.deepEqual([sent.status, sent.headers.location], [303, '/me/contact?done=wishes'], textOf(sent));
  const page = textOf(await mary.get('/me/contact?done=wishes'));
  assert.ok(page.includes(kept));
  assert.deepEqual([...readHtmlForm(page)], [...form]);
  const again = textOf(await mary.get('/me/contact'));
  assert.deepEqual([again.includes(kept), [...readHtmlForm(again)]], [false, [...form]]);
  const [ask, token] = [createHttpClient(home.url), await home.fetchAccessToken()];
  const message = { citizenId: 'demo-mary', message: 'Your permit is ready.' };
  const id = String(parseJsonBody(await ask(postJson(token, '/v1/notifications/send', message)))['id']);
  await waitUntil(async () => {
    const seen = textOf(await ask({ path: `/v1/notifications/${id}`, headers: bearerHeaders(token) }));
    return /"channel":"email","status":"skipped".*"declined"/.test(seen);
  });
  await waitUntil(async () => textOf(await mary.get('/me/uses')).includes('Saved how to contact you'));
});

test('invalid preferences are shown again with their errors, and the saved preferences do not change', async () => {
  const layla = await signedIn('demo-layla');
  assert.equal((await layla.post('/me/contact', {}, await changed(layla, { sms: '1' }))).status, 303);
  const before = [...readHtmlForm(textOf(await layla.get('/me/contact')))];
  for (const [change, message] of [
    [{ email: '1', sms: '1' }, 'Two ways have the same place in the order.'],
    [{ hoursFor: 'email', from: '8', until: '8', timeZone: 'UTC' }, 'Choose two different hours'],
    [{ hoursFor: 'email', from: '8', until: '18' }, 'Choose a time zone.'],
    // Only the operation detects this fault.
    [{ hoursFor: 'email', from: '8', until: '18', timeZone: 'Oslo' }, 'The form could not be read.'],
    [{ letter: 'never' }, 'The form could not be read.'],
    [{ language: '<b>' }, 'The form could not be read.'],
  ] as const) {
    const form = await changed(layla, change);
    const answer = await layla.post('/me/contact', {}, form);
    assert.equal(answer.status, 400, message);
    assert.ok(textOf(answer).includes(message), message);
    assert.match(textOf(answer), /role="alert"/);
    assert.deepEqual([...readHtmlForm(textOf(answer))].sort(), [...form].sort());
  }
  assert.deepEqual([...readHtmlForm(textOf(await layla.get('/me/contact')))], before);
});

test('the contact page shows the confirmed addresses, and no address from the register', async () => {
  const anh = await signedIn('demo-anh');
  const registered =
    home.readDemoFile().citizens.find(({ citizenId }) => citizenId === 'demo-anh')?.email ?? assert.fail();
  const before = textOf(await anh.get('/me/contact'));
  assert.equal(before.match(/None is confirmed/g)?.length, 2);
  assert.ok(!before.includes(registered));
  const path = join(home.dataDir, 'contacts.jsonl');
  const email = { address: 'anh+new@example.org', verifiedAt: '2026-01-02T00:00:00Z' };
  writeFileSync(path, JSON.stringify({ citizenId: 'demo-anh', email }));
  const ran = await home.runCommand('contacts', 'import', path);
  assert.equal(ran.code, 0, ran.stderr);
  const page = textOf(await anh.get('/me/contact'));
  assert.match(page, /<bdi>anh\+new@example\.org<\/bdi>, confirmed on\s*<time datetime="2026-01-02T00:00:00Z">/);
  assert.equal(page.match(/None is confirmed/g)?.length, 1);
  // New preferences keep the address.
  assert.equal((await anh.post('/me/contact', {}, readHtmlForm(page))).status, 303);
  assert.match(textOf(await anh.get('/me/contact')), /anh\+new@example\.org/);
});

test('a citizen can verify an address with a code and remove it', async () => {
  const joao = await signedIn('demo-joao');
  const address = 'joao.new@example.org';
  const form = readHtmlForm(textOf(await joao.get('/me/contact')), 'value="ask"');
  form.set('address', ` ${address} `);
  assert.deepEqual(
    [...form],
    [
      ['what', 'ask'],
      ['channel', 'email'],
      ['address', ` ${address} `],
    ],
  );
  const asked = await joao.post('/me/contact', {}, form);
  assert.deepEqual([asked.status, asked.headers.location], [303, '/me/contact?done=asked'], textOf(asked));
  const page = textOf(await joao.get('/me/contact?done=asked'));
  assert.match(page, /A code is on its way\..*<bdi>joao\.new@example\.org<\/bdi>: A code was sent there/s);
  assert.equal(page.match(/None is confirmed/g)?.length, 2);
  const entering = readHtmlForm(page, 'value="confirm"');
  const code = await readCodeFromOutbox(home, address);
  // The code with spaces, as people write it.
  entering.set('code', ` ${code.slice(0, 3)} ${code.slice(3)}`);
  const confirmed = await joao.post('/me/contact', {}, entering);
  assert.equal(confirmed.headers.location, '/me/contact?done=confirmed', textOf(confirmed));
  const after = textOf(await joao.get('/me/contact?done=confirmed'));
  assert.match(after, /<bdi>joao\.new@example\.org<\/bdi>, confirmed on/);
  assert.equal(after.includes('value="confirm"'), false);
  const removing = readHtmlForm(after, 'value="remove"');
  for (const _ of ['once', 'and again, by a second press']) {
    const removed = await joao.post('/me/contact', {}, removing);
    assert.ok(removed.status === 303 || removed.status === 200, textOf(removed));
  }
  assert.doesNotMatch(textOf(await joao.get('/me/contact')), /joao\.new/);
  assert.match(textOf(await joao.get('/me')), /O seu correio eletrónico para mensagens oficiais foi alterado/);
  await waitUntil(async () => {
    const uses = textOf(await joao.get('/me/uses'));
    return ['Sent a code to your address', 'Confirmed your address', 'Removed your confirmed address'].every((kind) =>
      uses.includes(kind),
    );
  });
});

test('an invalid address or code shows its error next to the field', async () => {
  const suharti = await signedIn('demo-suharti');
  const errorsOf = async (change: Readonly<Record<string, string>>) => {
    const answer = await suharti.post('/me/contact', {}, new URLSearchParams(change));
    const page = textOf(answer);
    const [, field = '', text = ''] = /role="alert".*?<a href="#([\w-]+)">(.*?)<\/a>/s.exec(page) ?? [];
    assert.match(page, new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="fault-${field}"`));
    return [answer.status, field, text, new RegExp(`id="${field}"[^>]* value="([^"]*)"`).exec(page)?.[1]];
  };
  const ask = { what: 'ask', channel: 'email' };
  const confirm = { what: 'confirm', channel: 'email' };
  const noAddress = 'This is no email address to which a code can go.';
  assert.deepEqual(await errorsOf({ ...ask, address: 'a"b' }), [400, 'address-email', noAddress, 'a&quot;b']);
  const [, field, text] = await errorsOf({ ...confirm, code: '012345' });
  assert.deepEqual([field, text?.toString().slice(0, 21)], ['address-email', 'A new code is needed:']);
  assert.equal(
    (await suharti.post('/me/contact', {}, new URLSearchParams({ ...ask, address: 'su@example.org' }))).status,
    303,
  );
  for (const code of ['12', 'x'.repeat(6), differentCode(await readCodeFromOutbox(home, 'su@example.org'))])
    assert.deepEqual((await errorsOf({ ...confirm, code })).slice(0, 3), [
      ...[400, 'code-email', 'This is not the code that was sent last.'],
    ]);
  await waitPastMidnight();
  await waitUntil(async () => {
    const answer = await suharti.post('/me/contact', {}, new URLSearchParams({ ...ask, address: 'su@example.org' }));
    return answer.status !== 303;
  });
  assert.deepEqual(await errorsOf({ ...ask, address: 'su@example.org' }), [
    ...[400, 'address-email', 'No more codes can be sent today. Try again tomorrow.', 'su@example.org'],
  ]);
  for (const wrong of [
    { what: 'ask', channel: 'letter' },
    { what: 'erase', channel: 'email' },
    { what: '', channel: 'email' },
  ])
    assert.equal((await suharti.post('/me/contact', {}, new URLSearchParams({ ...wrong }))).status, 400);
});
