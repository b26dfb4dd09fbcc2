import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { differentCode, readCodeFromOutbox } from '../support/contact-app.ts';
import { type CookieBrowser, openCookieBrowser, readHtmlForm, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitPastMidnight, waitUntil } from '../support/wait-until.ts';

// The page for contact preferences.
let home: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start('demo');
});

const saved = 'We saved your choice.';
const channels = '/me/contact/channels';

async function signedIn(citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(home.url);
  const page = await signInAtDemo(browser, citizenId, '/me/contact');
  assert.equal(page.url, `${home.url}/me/contact`, bodyText(page));
  return browser;
}

/** The fields of the form on that page. */
const formAt = async ({ get }: CookieBrowser, path: string) =>
  readHtmlForm(bodyText(await get(path)), `action="${path}"`);

/** The form of the page with these fields changed. */
async function changed(browser: CookieBrowser, path: string, change: Readonly<Record<string, string>>) {
  const form = await formAt(browser, path);
  for (const [name, value] of Object.entries(change)) form.set(name, value);
  return form;
}

test('the contact pages save the preferences of a citizen, and later messages follow them', async () => {
  const mary = await signedIn('demo-mary');
  await mary.get('/me?lang=en');
  const form = await changed(mary, channels, { email: 'never', letter: '1' });
  const question = await mary.post(channels, {}, form);
  assert.equal(question.status, 200);
  assert.match(bodyText(question), /<h1>Stop emails<\/h1>.*class="warning">Stop emails<\/button>.*>Cancel</s);
  assert.notEqual((await formAt(mary, channels)).get('email'), 'never', 'nothing is saved before the confirmation');
  const sent = await mary.post(channels, {}, readHtmlForm(bodyText(question), 'name="sure"'));
  assert.deepEqual([sent.status, sent.headers.location], [303, '/me/contact?done=saved'], bodyText(sent));
  const language = await changed(mary, '/me/contact/language', { language: 'nb' });
  assert.equal((await mary.post('/me/contact/language', {}, language)).status, 303);
  const page = bodyText(await mary.get('/me/contact?done=saved'));
  assert.match(page, new RegExp(`role="status" tabindex="-1" autofocus><p>${saved}`));
  for (const expected of ['<li>Letter</li>', '<p>Email: Never</p>', 'Norwegian Bokmål'])
    assert.ok(page.includes(expected), expected);
  assert.deepEqual([...(await formAt(mary, channels))], [...form], 'the other forms keep what was saved');
  assert.equal(bodyText(await mary.get('/me/contact')).includes(saved), false);
  // A channel that is off already needs no confirmation.
  assert.equal((await mary.post(channels, {}, form)).status, 303);
  const [ask, token] = [createHttpClient(home.url), await home.fetchAccessToken()];
  const message = { citizenId: 'demo-mary', message: 'Your permit is ready.' };
  const id = String(parseJsonBody(await ask(postJson(token, '/v1/notifications/send', message)))['id']);
  await waitUntil(async () => {
    const seen = bodyText(await ask({ path: `/v1/notifications/${id}`, headers: bearerHeaders(token) }));
    return /"channel":"email","status":"skipped".*"declined"/.test(seen);
  });
  await waitUntil(async () => bodyText(await mary.get('/me/uses')).includes('Saved how to contact you'));
});

test('a citizen who chooses letters in large print sees that choice until they choose normal print', async () => {
  const juergen = await signedIn('demo-juergen');
  await juergen.get('/me?lang=en');
  assert.match(bodyText(await juergen.get('/me/contact')), /<p>Letters in normal print<\/p>/);
  const path = '/me/contact/print-size';
  const form = await changed(juergen, path, { printSize: 'large' });
  assert.equal((await juergen.post(path, {}, form)).headers.location, '/me/contact?done=saved');
  const language = await changed(juergen, '/me/contact/language', { language: 'nb' });
  assert.equal((await juergen.post('/me/contact/language', {}, language)).status, 303);
  assert.match(bodyText(await juergen.get('/me/contact')), /<p>Letters in large print<\/p>/);
  const back = await changed(juergen, path, { printSize: 'normal' });
  assert.equal((await juergen.post(path, {}, back)).status, 303);
  assert.match(bodyText(await juergen.get('/me/contact')), /<p>Letters in normal print<\/p>/);
});

test('invalid preferences are shown again with their errors, and the saved preferences do not change', async () => {
  const layla = await signedIn('demo-layla');
  assert.equal((await layla.post(channels, {}, await changed(layla, channels, { sms: '1' }))).status, 303);
  const readAll = async () =>
    (
      await Promise.all([channels, '/me/contact/hours', '/me/contact/language'].map((path) => formAt(layla, path)))
    ).join();
  const before = await readAll();
  for (const [page, change, message] of [
    ['channels', { email: '1', sms: '1' }, 'Two ways have the same place.'],
    ['hours', { hoursFor: 'email', from: '8', until: '8', timeZone: 'UTC' }, 'Choose two different hours'],
    ['hours', { hoursFor: 'email', from: '8', until: '', timeZone: 'UTC' }, 'Choose from when and until when'],
    ['hours', { hoursFor: 'email', from: '8', until: '18', timeZone: '' }, 'Choose a time zone.'],
    // Only the operation detects this fault.
    ['hours', { hoursFor: 'email', from: '8', until: '18', timeZone: 'Oslo' }, 'We could not read the form.'],
    ['channels', { letter: 'never' }, 'We could not read the form.'],
    ['language', { language: '<b>' }, 'We could not read the form.'],
    ['print-size', { printSize: 'huge' }, 'We could not read the form.'],
  ] as const) {
    const path = `/me/contact/${page}`;
    const form = await changed(layla, path, change);
    const answer = await layla.post(path, {}, form);
    assert.equal(answer.status, 400, message);
    assert.ok(bodyText(answer).includes(message), message);
    assert.match(bodyText(answer), /<title>Error: .*role="alert"[^>]*><h2>There is a problem</s);
    assert.deepEqual([...readHtmlForm(bodyText(answer), `action="${path}"`)].sort(), [...form].sort());
  }
  assert.equal(await readAll(), before);
});

test('the contact page shows the confirmed addresses, and no address from the register', async () => {
  const anh = await signedIn('demo-anh');
  const registered =
    home.readDemoFile().citizens.find(({ citizenId }) => citizenId === 'demo-anh')?.email ?? assert.fail();
  const before = bodyText(await anh.get('/me/contact'));
  assert.equal(before.match(/You have not confirmed/g)?.length, 2);
  assert.ok(!before.includes(registered));
  const path = join(home.dataDir, 'contacts.jsonl');
  const email = { address: 'anh+new@example.org', verifiedAt: '2026-01-02T00:00:00Z' };
  writeFileSync(path, JSON.stringify({ citizenId: 'demo-anh', email }));
  const ran = await home.runCommand('contacts', 'import', path);
  assert.equal(ran.code, 0, ran.stderr);
  const page = bodyText(await anh.get('/me/contact'));
  assert.match(page, /<bdi>anh\+new@example\.org<\/bdi>, confirmed on\s*<time datetime="2026-01-02T00:00:00Z">/);
  assert.equal(page.match(/You have not confirmed/g)?.length, 1);
  // New preferences keep the address.
  assert.equal((await anh.post(channels, {}, await formAt(anh, channels))).status, 303);
  assert.match(bodyText(await anh.get('/me/contact')), /anh\+new@example\.org/);
});

test('a citizen can verify an address with a code and remove it after a confirmation', async () => {
  const joao = await signedIn('demo-joao');
  const address = 'joao.new@example.org';
  const form = await formAt(joao, '/me/contact/email');
  assert.deepEqual([...form.keys(), form.get('address')], ['formOwner', 'address', '']);
  form.set('address', ` ${address} `);
  const asked = await joao.post('/me/contact/email', {}, form);
  assert.deepEqual([asked.status, asked.headers.location], [303, '/me/contact?done=code-sent'], bodyText(asked));
  const overview = bodyText(await joao.get('/me/contact'));
  assert.equal(overview.match(/You have not confirmed/g)?.length, 2);
  for (const page of [overview, bodyText(await joao.get('/me/contact/email/code'))]) {
    assert.match(page, /We sent a code to \u2068joao\.new@example\.org\u2069\. It works for 15 minutes\./);
    assert.equal(readHtmlForm(page, 'action="/me/contact/email/code"').get('code'), '');
  }
  const code = await readCodeFromOutbox(home, address);
  // The code with spaces, as people write it.
  const entering = new URLSearchParams({ code: ` ${code.slice(0, 3)} ${code.slice(3)}` });
  const confirmed = await joao.post('/me/contact/email/code', {}, entering);
  assert.equal(confirmed.headers.location, '/me/contact?done=confirmed-email', bodyText(confirmed));
  const after = bodyText(await joao.get('/me/contact?done=confirmed-email'));
  assert.match(after, /role="status".*You confirmed your email address\..*<bdi>joao\.new@example\.org<\/bdi>/s);
  assert.equal(after.includes('/me/contact/email/code'), false);
  const question = bodyText(await joao.get('/me/contact/email/remove'));
  assert.match(
    question,
    /<bdi>joao\.new@example\.org<\/bdi>.*class="warning">Remove the email address<\/button> <a href="\/me\/contact">Cancel/s,
  );
  for (const location of ['/me/contact?done=removed-email', '/me/contact']) {
    const removed = await joao.post('/me/contact/email/remove', {}, new URLSearchParams());
    assert.deepEqual([removed.status, removed.headers.location], [303, location]);
  }
  assert.equal((await joao.get('/me/contact/email/remove')).headers.location, '/me/contact');
  assert.doesNotMatch(bodyText(await joao.get('/me/contact')), /joao\.new/);
  assert.match(bodyText(await joao.get('/me')), /O seu endereço de e-mail para mensagens oficiais foi alterado/);
  await waitUntil(async () => {
    const uses = bodyText(await joao.get('/me/uses'));
    return ['Sent a code to confirm', 'Confirmed your email', 'Removed your confirmed email'].every((kind) =>
      uses.includes(kind),
    );
  });
});

test('an invalid address or code shows its error next to the field', async () => {
  const suharti = await signedIn('demo-suharti');
  const [email, codes] = ['/me/contact/email', '/me/contact/email/code'];
  await suharti.get(email);
  const errorsOf = async (path: string, change: Readonly<Record<string, string>>) => {
    const answer = await suharti.post(path, {}, new URLSearchParams(change));
    const page = bodyText(answer);
    const [, field = '', text = ''] = /role="alert".*?<a href="#([\w-]+)">(.*?)<\/a>/s.exec(page) ?? [];
    assert.match(
      page,
      new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-hint fault-${field}"`),
    );
    return [answer.status, field, text, new RegExp(`id="${field}"[^>]* value="([^"]*)"`).exec(page)?.[1]];
  };
  const noAt = 'Enter the email address again: there is no @.';
  assert.deepEqual(await errorsOf(email, { address: 'a"b' }), [400, 'address', noAt, 'a&quot;b']);
  const [, field, text] = await errorsOf(codes, { code: '012345' });
  assert.deepEqual([field, text?.toString().slice(0, 19)], ['address', 'Ask for a new code.']);
  assert.equal((await suharti.post(email, {}, new URLSearchParams({ address: 'su@example.org' }))).status, 303);
  assert.deepEqual((await errorsOf(codes, { code: ' ' }))[2], 'Enter the code that we sent you.');
  for (const code of ['12', 'x'.repeat(6), differentCode(await readCodeFromOutbox(home, 'su@example.org'))])
    assert.deepEqual(await errorsOf(codes, { code }), [
      ...[400, 'code', 'This is not the code that we sent last. Check it and enter it again.', code],
    ]);
  await waitPastMidnight();
  await waitUntil(async () => {
    const answer = await suharti.post(email, {}, new URLSearchParams({ address: 'su@example.org' }));
    return answer.status !== 303;
  });
  assert.deepEqual(await errorsOf(email, { address: 'su@example.org' }), [
    ...[400, 'address', 'We cannot send you more codes today. Try again tomorrow.', 'su@example.org'],
  ]);
  for (const path of ['/me/contact', '/me/contact/letter', '/me/contact/email/erase'])
    assert.ok([404, 405].includes((await suharti.post(path, {}, new URLSearchParams())).status), path);
});
