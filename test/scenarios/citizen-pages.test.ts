import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openCitizenBrowser, openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitPastMidnight, waitUntil } from '../support/wait-until.ts';

// The pages for citizens in the demo, which has its own sign-in issuer.
let server: ServerFixture;
let accessToken = '';
let client: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  server = await makeServerFixture(thisFile, {
    settings: { REGISTER_CORRECTIONS_URL: 'https://register.example/corrections?a=1&b=2' },
  });
  await server.start('demo');
  accessToken = await server.fetchAccessToken();
  client = createHttpClient(server.url);
});

const headingOf = (answer: { readonly body: Buffer }) => /<h1[^>]*>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];

const signIn = async (citizenId: string) => await openCitizenBrowser(server.url, citizenId);

async function sendMessage(citizenId: string, json: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await client(postJson(accessToken, '/v1/notifications/send', { citizenId, ...json }));
  assert.equal(answer.status, 202, bodyText(answer));
  return String(parseJsonBody(answer)['id']);
}

const stateOf = async (id: string) =>
  String(
    parseJsonBody(await client({ path: `/v1/notifications/${id}`, headers: bearerHeaders(accessToken) }))['status'],
  );

test('a visitor who is not signed in gets a sign-in link that leads back to the requested page', async () => {
  const browser = openCookieBrowser(server.url);
  const first = await browser.get('/me');
  assert.deepEqual([first.status, headingOf(first)], [200, 'Your official messages and documents']);
  const documents = await browser.get('/me/documents');
  assert.equal(documents.status, 403);
  // The link has the public host, because the sign-in cookie belongs to the host to which the issuer redirects.
  const link = `href="${server.url}/me/sign-in?to=%2Fme%2Fdocuments"`;
  assert.ok(bodyText(documents).includes(link), bodyText(documents));
  const page = await signInAtDemo(browser, 'demo-mary', '/me/documents');
  assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${server.url}/me/documents`, 'Documents']);
});

test('a message becomes read when the citizen opens it, and not when it is listed', async () => {
  const id = await sendMessage('demo-mary', { subject: 'Your <permit>', message: 'Come on **Monday**, to *room 5*.' });
  const mary = await signIn('demo-mary');
  const list = bodyText(await mary.get('/me'));
  assert.match(
    list,
    new RegExp(`href="/me/messages/${id}">Your &lt;permit&gt;</a> <span class="tag tag-new">New</span>`),
  );
  assert.notEqual(await stateOf(id), 'read');
  const page = await mary.get(`/me/messages/${id}`);
  assert.equal(headingOf(page), 'Your &lt;permit&gt;');
  assert.match(bodyText(page), /Come on <strong>Monday<\/strong>/);
  assert.doesNotMatch(bodyText(page), /style="|<hr>|<script/);
  assert.equal(await stateOf(id), 'read');
  assert.doesNotMatch(bodyText(await mary.get('/me')), new RegExp(`class="fresh" href="/me/messages/${id}"`));
});

test('every page shows the number of unread messages, which changes when one is opened', async () => {
  const id = await sendMessage('demo-mary', { subject: 'Count me', message: 'Text.' });
  const mary = await signIn('demo-mary');
  const countOn = async (path: string) =>
    Number(/<a href="\/me"[^>]*>Messages(?: \((\d+) new\))?<\/a>/.exec(bodyText(await mary.get(path)))?.[1] ?? 0);
  const unread = await countOn('/me');
  assert.ok(unread > 0);
  const others = ['/me/documents', '/me/uses', '/me/record', '/me/contact', '/me/messages/unknown'];
  for (const path of others) assert.equal(await countOn(path), unread, path);
  assert.equal(await countOn(`/me/messages/${id}`), unread - 1);
  assert.equal(await countOn('/me/documents'), unread - 1);
});

test('the inbox and the message say when a message counts as served, before and after it is opened', async () => {
  const subject = 'Decision on your permit';
  const id = await sendMessage('demo-mary', { subject, message: 'No.', legalEffect: 'after-14-days' });
  const mary = await signIn('demo-mary');
  const row =
    /Decision on your permit<[\s\S]*?<p>(Counts as delivered when you open it, and from .*? even if you do not)<\/p>/;
  assert.match(bodyText(await mary.get('/me')), row);
  const opened =
    /<p class="notice">This message has counted as delivered since .*?\. Deadlines in the message are counted/;
  assert.match(bodyText(await mary.get(`/me/messages/${id}`)), opened);
  assert.match(bodyText(await mary.get('/me')), /Decision on your permit<[\s\S]*?<p>Has counted as delivered since /);
});

test('a receipt that was confirmed by the link in a mail leaves the message new, and the access log names the link', async () => {
  const id = await sendMessage('demo-mary', { subject: 'Confirm me', message: 'Text.', channels: ['email'] });
  let path = '';
  await waitUntil(async () => {
    const [, after = ''] = bodyText(await client({ path: '/outbox' })).split('Confirm me');
    path = /http:\S+(\/received\/[\w.-]+)/.exec(after)?.[1] ?? '';
    return path !== '';
  });
  assert.equal((await client({ method: 'POST', path })).status, 303);
  assert.equal(await stateOf(id), 'delivered');
  const mary = await signIn('demo-mary');
  assert.match(
    bodyText(await mary.get('/me')),
    new RegExp(`/me/messages/${id}">Confirm me</a> <span class="tag tag-new">New`),
  );
  const confirmed =
    /<bdi>[^<]* \(automatic\)<\/bdi>[\s\S]{0,300}Someone used the link in an email to confirm that a message was received</;
  await waitUntil(async () => confirmed.test(bodyText(await mary.get('/me/uses'))));
});

test('the page of a message has the contact lines of its sender', async () => {
  const flags = ['--scopes', 'notifications:send', '--secret', '--json', '--contact-phone', '+44 20 7946 0000'];
  const made = await server.runCommand(
    'clients',
    'create',
    'Parks',
    ...flags,
    '--contact-url',
    'https://parks.example/',
  );
  const { clientId, clientSecret } = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
  const token = await server.fetchAccessToken([], { clientId, clientSecret });
  const body = { citizenId: 'demo-mary', subject: 'Trees', message: 'Text.' };
  const { id } = parseJsonBody(await client(postJson(token, '/v1/notifications/send', body)));
  const mary = await signIn('demo-mary');
  const page = bodyText(await mary.get(`/me/messages/${String(id)}`));
  assert.match(
    page,
    /<h2>Contact Parks<\/h2>\s*<ul class="list"><li><a href="tel:\+442079460000"><bdi>Phone: \+44 20 7946 0000<\/bdi>/,
  );
  assert.match(
    page,
    /<li><a href="https:\/\/parks\.example\/"><bdi>Website: https:\/\/parks\.example\/<\/bdi><\/a><\/li><\/ul>/,
  );
});

test('the link in the mail of a message leads to its page, which requires sign-in', async () => {
  const id = await sendMessage('demo-mary', { subject: 'With a link', message: 'Look.' });
  let mail = '';
  await waitUntil(async () => {
    mail = bodyText(await client({ path: '/outbox' }));
    return mail.includes('With a link');
  });
  assert.ok(mail.includes(`Read this message in your inbox:\n<a href="${server.url}/me/messages/${id}">`), mail);
  const anonymous = await openCookieBrowser(server.url).get(`/me/messages/${id}`);
  assert.deepEqual([anonymous.status, bodyText(anonymous).includes('Look.')], [403, false]);
  const page = await signInAtDemo(openCookieBrowser(server.url), 'demo-mary', `/me/messages/${id}`);
  assert.deepEqual([page.url, headingOf(page)], [`${server.url}/me/messages/${id}`, 'With a link']);
});

test('a message names the format and size of its document, until the document is withdrawn', async () => {
  const headers = bearerHeaders(accessToken, {
    'content-type': 'text/plain',
    'citizen-id': 'demo-mary',
    'document-title': 'Receipt',
    'document-retain-until': '2099-01-01T00:00:00Z',
  });
  const stored = await client({ method: 'POST', path: '/v1/documents', headers, body: Buffer.alloc(1_500, 'a') });
  const document = String(parseJsonBody(stored)['id']);
  const id = await sendMessage('demo-mary', { message: 'See the receipt.', attachments: [document] });
  const mary = await signIn('demo-mary');
  const link = `<li><a href="/me/documents/${document}"><bdi lang="">Receipt</bdi></a>`;
  const shown = async (after: string) =>
    bodyText(await mary.get(`/me/messages/${id}`)).includes(`${link}${after}</li>`);
  assert.ok(await shown(' (TXT, <bdi>1.5 kB</bdi>)'));
  const path = `/v1/documents/${document}`;
  assert.equal((await client({ method: 'DELETE', path, headers: bearerHeaders(accessToken) })).status, 200);
  assert.ok(await shown(''));
});

test('a document is served unchanged, with ranges and its own file name', async () => {
  const headers = {
    'content-type': 'application/pdf',
    'citizen-id': 'demo-mary',
    'document-title': 'Bescheid%20%C3%BC',
    'document-retain-until': '2099-01-01T00:00:00Z',
  };
  const body = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(70_000, 7)]);
  const stored = await client({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(accessToken, headers),
    body,
  });
  const id = String(parseJsonBody(stored)['id']);
  const mary = await signIn('demo-mary');
  assert.match(
    bodyText(await mary.get('/me/documents')),
    new RegExp(`href="/me/documents/${id}"><bdi lang="">Bescheid ü</bdi></a> \\(PDF, <bdi>70 kB</bdi>\\)`),
  );
  const download = await mary.get(`/me/documents/${id}`);
  assert.deepEqual([download.status, download.body.equals(body)], [200, true]);
  assert.match(
    String(download.headers['content-disposition']),
    /^attachment; .*filename\*=UTF-8''Bescheid%20%C3%BC\.pdf/,
  );
  assert.deepEqual([download.headers.link, download.headers['x-content-type-options']], [undefined, 'nosniff']);
  const part = await mary.get(`/me/documents/${id}`, { range: 'bytes=1-4' });
  assert.deepEqual([part.status, bodyText(part)], [206, 'PDF-']);
  const withdrawn = await client({
    method: 'DELETE',
    path: `/v1/documents/${id}`,
    headers: bearerHeaders(accessToken),
  });
  assert.equal(withdrawn.status, 200, bodyText(withdrawn));
  const refused = await mary.get(`/me/documents/${id}`);
  assert.equal(refused.status, 410);
  assert.match(
    bodyText(refused),
    /<h1>You cannot open this document<\/h1><p>The service that issued it has withdrawn it\./,
  );
  assert.match(bodyText(await mary.get('/me/documents')), /Withdrawn by the service that issued it/);
});

test('a message or document of another citizen gets the same answer as an unknown one', async () => {
  const message = await sendMessage('demo-mary', { message: 'For Mary alone.' });
  const document = server.readDemoFile().documents.find(({ citizenId }) => citizenId === 'demo-mary')?.id;
  const layla = await signIn('demo-layla');
  const pages = [
    `/me/messages/${message}`,
    `/me/messages/${message.slice(0, -4)}0000`,
    `/me/documents/${document}`,
    '/me/documents/doc_x',
  ];
  const answers = await Promise.all(pages.map(async (path) => await layla.get(path)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 404, 404],
  );
  assert.equal(new Set(answers.map(bodyText)).size, 1);
  assert.notEqual(await stateOf(message), 'read');
});

test('[R53] the response to a message of another citizen takes as long as to an unknown one', async () => {
  const document =
    server.readDemoFile().documents.find(({ citizenId }) => citizenId === 'demo-mary')?.id ?? assert.fail();
  const layla = await signIn('demo-layla');
  for (const id of [document, `${document.slice(0, -6)}aaaaaa`]) {
    for (let count = 0; count < 10; count += 1) {
      const from = performance.now();
      assert.equal((await layla.get(`/me/documents/${id}`)).status, 404);
      assert.ok(performance.now() - from >= 5, id);
    }
  }
});

test('a page shows the register record of the citizen unchanged', async () => {
  const anh = await signIn('demo-anh');
  const page = await anh.get('/me/record');
  assert.deepEqual([page.status, headingOf(page)], [200, 'Your details in the register']);
  for (const expected of [
    '<dt>Given names</dt><dd><bdi>Ánh Nguyệt</bdi></dd>',
    '<dt>Place of birth</dt><dd>Not in the register</dd>',
    'href="https://register.example/corrections?a=1&amp;b=2"',
  ])
    assert.ok(bodyText(page).includes(expected), expected);
  const german = bodyText(await anh.get('/me/record', { 'accept-language': 'de' }));
  assert.match(german, /<dt>Vornamen<\/dt><dd><bdi>Ánh Nguyệt<\/bdi>/);
  await waitUntil(async () => bodyText(await anh.get('/me/uses')).includes('Read your details in the register'));
});

test('a citizen can lock and unlock their record, and gets a message for each change', async () => {
  await waitPastMidnight();
  const mary = await signIn('demo-mary');
  const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
  const decision = async () =>
    parseJsonBody(await client(postJson(accessToken, '/v1/identity/verify', claims)))['decision'];
  const press = (path: string, headers: object = {}) =>
    mary.post(`/me/record/${path}`, { ...headers }, new URLSearchParams());
  assert.equal(await decision(), 'match');
  assert.match(bodyText(await mary.get('/me/record')), /<a href="\/me\/record\/lock">Lock my details<\/a>/);
  const question = await mary.get('/me/record/lock');
  assert.equal(headingOf(question), 'Lock my details');
  assert.match(bodyText(question), /class="warning">Lock my details<\/button> <a href="\/me\/record">Cancel<\/a>/);
  const crossSite = await press('lock', { 'sec-fetch-site': 'same-site' });
  assert.deepEqual([crossSite.status, await decision()], [403, 'match']);
  const done = await press('lock');
  assert.deepEqual([done.status, done.headers.location], [303, '/me/record?done=locked']);
  assert.equal(await decision(), 'no_match');
  const page = bodyText(await mary.get('/me/record?done=locked'));
  assert.match(page, /role="status"[^>]*><p>Your details are locked\.<\/p>/);
  assert.match(page, /class="note">You have locked your details\./);
  assert.match(page, /<a href="\/me\/record\/unlock">Unlock my details<\/a>/);
  assert.doesNotMatch(bodyText(await mary.get('/me/record?done=unlocked')), /role="status"[^>]*><p>Your details/);
  assert.match(bodyText(await mary.get('/me')), />Your details are locked</);
  // A repeated form of an older page changes nothing.
  assert.equal((await press('lock')).status, 303);
  assert.equal(bodyText(await mary.get('/me')).split('>Your details are locked<').length, 2);
  assert.equal((await press('unlock')).status, 303);
  assert.equal(await decision(), 'match');
  await waitUntil(async () => {
    const uses = bodyText(await mary.get('/me/uses'));
    return ['Locked your details', 'Unlocked your details', 'Your details are locked. So nothing was confirmed.'].every(
      (expected) => uses.includes(expected),
    );
  });
  await waitUntil(async () =>
    bodyText(await client({ path: '/outbox' })).includes('Your details are no longer locked'),
  );
  const presses = [...new Array(4).fill(['lock', 'unlock']).flat(), 'lock'];
  for (const path of presses) assert.equal((await press(path)).status, 303);
  const refused = await press('unlock');
  assert.deepEqual([refused.status, bodyText(refused).includes('unlocked your details too often today')], [429, true]);
  assert.match(bodyText(refused), /<title>Error: Unlock my details/);
  const lift = async (...args: readonly string[]) =>
    await runCommandInProcess(server, 'citizens', 'unlock', 'demo-mary', ...args);
  assert.deepEqual([(await lift('--own')).code, (await lift('--reason', 'x')).code], [2, 2]);
  assert.match((await lift()).stderr, /The lock that the citizen set remains/);
  assert.equal(await decision(), 'no_match');
  assert.equal((await lift('--own', '--reason', 'Mary came in person.')).code, 0);
  assert.equal(await decision(), 'match');
  assert.equal((await lift('--own', '--reason', 'again')).code, 1);
  await waitUntil(async () =>
    bodyText(await client({ path: '/outbox' })).includes('Their reason: Mary came in person.'),
  );
});

test('a sign-out ends the session everywhere, including older cookies', async () => {
  const mary = await signIn('demo-mary');
  const before = new Map(mary.cookies);
  const page = await mary.post('/me/sign-out');
  assert.deepEqual([page.status, headingOf(page)], [200, 'You are signed out']);
  assert.equal(mary.cookies.get('citizen-session'), undefined);
  assert.equal(page.headers['clear-site-data'], '"cache"');
  for (const [name, value] of before) mary.cookies.set(name, value);
  assert.equal(headingOf(await mary.get('/me')), 'Your official messages and documents');
});

test('a cancelled sign-in shows a page and creates no session', async () => {
  const browser = openCookieBrowser(server.url);
  const page = await signInAtDemo(browser, 'nobody');
  assert.deepEqual([page.status, headingOf(page)], [403, 'You are not signed in']);
  // The cookie of attempts stays, for other tabs.
  assert.deepEqual([...browser.cookies.keys()], ['citizen-sign-in']);
});

test('an erasure of the citizen deletes the session', async () => {
  const joao = await signIn('demo-joao');
  const other = await signIn('demo-layla');
  assert.equal((await joao.get('/me/documents')).status, 200);
  assert.equal((await runCommandInProcess(server, 'citizens', 'erase', 'demo-joao', '--yes')).code, 0);
  const over = await joao.get('/me/documents');
  assert.deepEqual([over.status, headingOf(over)], [403, 'Your official messages and documents']);
  assert.equal((await other.get('/me/documents')).status, 200);
});
