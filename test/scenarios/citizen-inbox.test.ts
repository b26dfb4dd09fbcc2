import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openCitizenBrowser, openCookieBrowser } from '../support/cookie-browser.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

// The inbox of citizens on the pages: archive, search, filters, deadlines and downloads.
let server: ServerFixture;
let accessToken = '';
let client: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  server = await makeServerFixture(thisFile);
  await server.start('demo');
  accessToken = await server.fetchAccessToken();
  client = createHttpClient(server.url);
});

const titlesIn = (page: string) =>
  [...page.matchAll(/href="\/me\/messages\/ntf_\w+">(.*?)<\/a>/g)].map(([, one]) => one);

const signIn = async (citizenId: string) => await openCitizenBrowser(server.url, citizenId);

async function send(citizenId: string, json: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await client(
    postJson(accessToken, '/v1/notifications/send', { citizenId, message: 'Text.', ...json }),
  );
  assert.equal(answer.status, 202, bodyText(answer));
  return String(parseJsonBody(answer)['id']);
}

async function senderView(id: string): Promise<unknown> {
  return parseJsonBody(await client({ path: `/v1/notifications/${id}`, headers: bearerHeaders(accessToken) }))[
    'status'
  ];
}

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields);

test('a message shows its reference, urgency and deadline in the list and on its page', async () => {
  const id = await send('demo-anh', {
    subject: 'Send the form',
    category: 'urgent',
    reference: 'TA-2025-118',
    respondBy: '2027-03-01',
  });
  await send('demo-anh', { subject: 'Call us', category: 'decision', respondBy: '2027-03-01T11:30:00+01:00' });
  const anh = await signIn('demo-anh');
  const list = bodyText(await anh.get('/me'));
  assert.match(list, /<title>Messages \(\d new\) – /);
  assert.match(list, /aria-current="page">Messages \(\d new\)<\/a>/);
  for (const expected of [
    '<span class="tag tag-urgent">Urgent</span>',
    '<span class="tag">Decision</span>',
    'Reference: <bdi class="reference">TA-2025-118</bdi>',
    '<span class="tag tag-due">Needs an answer by 1 March 2027</span>',
    '<span class="tag tag-due">Needs an answer by 1 March 2027 at 10:30 am UTC</span>',
  ])
    assert.ok(list.includes(expected), `${expected} in ${list}`);
  const page = bodyText(await anh.get(`/me/messages/${id}`));
  for (const expected of [
    '<dt>From</dt><dd><bdi>Demo Permit Service</bdi></dd>',
    '<dt>Reference</dt><dd><bdi class="reference">TA-2025-118</bdi></dd>',
    '<span class="tag tag-due">Needs an answer by 1 March 2027</span>',
    'use the print command of your browser',
  ])
    assert.ok(page.includes(expected), `${expected} in ${page}`);
});

test('a citizen archives, restores and marks a message as unread by forms, which another site cannot send', async () => {
  const id = await send('demo-suharti', { subject: 'About your garden' });
  const suharti = await signIn('demo-suharti');
  const path = `/me/messages/${id}`;
  await suharti.get(path);
  const press = (what: string, headers: object = {}) => suharti.post(path, { ...headers }, form({ what }));
  const shown = async (list: string) => titlesIn(bodyText(await suharti.get(list))).includes('About your garden');
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://other.example' }]) {
    assert.equal((await press('archive', headers)).status, 403);
  }
  assert.deepEqual([await shown('/me'), await shown('/me?where=archive')], [true, false]);
  const archived = await press('archive');
  assert.deepEqual([archived.status, archived.headers.location], [303, '/me?done=archived']);
  assert.match(
    bodyText(await suharti.get('/me?done=archived')),
    /role="status"[^>]*><p>The message is now in the archive\.</,
  );
  assert.deepEqual(
    [await shown('/me'), await shown('/me?where=archive'), await shown('/me?where=all')],
    [false, true, true],
  );
  assert.match(
    bodyText(await suharti.get(path)),
    /value="restore"[^>]*\/><button type="submit">Move back to the inbox</,
  );
  assert.equal((await press('restore')).headers.location, '/me?done=restored');
  assert.equal((await press('unread')).headers.location, '/me?done=unread');
  assert.match(
    bodyText(await suharti.get('/me')),
    /class="fresh" href="[^"]*">About your garden<\/a> <span class="tag tag-new">/,
  );
  assert.equal(await senderView(id), 'read');
  assert.equal((await press('anything')).headers.location, '/me');
  const foreign = await send('demo-mary', { subject: 'For Mary' });
  assert.equal((await suharti.post(`/me/messages/${foreign}`, {}, form({ what: 'archive' }))).status, 404);
});

test('the filters are in the address of each page, and the words of a search are not', async () => {
  for (let count = 0; count < 101; count += 1) await send('demo-layla', { subject: 'Bus pass', category: 'reminder' });
  await send('demo-layla', { subject: 'Garden waste', category: 'decision' });
  const layla = await signIn('demo-layla');
  const filtered = await layla.post(
    '/me',
    {},
    form({ text: ' ', where: 'all', category: 'reminder', state: 'unread' }),
  );
  assert.deepEqual([filtered.status, filtered.headers.location], [303, '/me?where=all&category=reminder&state=unread']);
  const first = bodyText(await layla.get(String(filtered.headers.location)));
  assert.deepEqual(new Set(titlesIn(first)), new Set(['Bus pass']));
  assert.match(first, /<details [^>]*open>[\s\S]*<option value="reminder" selected>/);
  const [, older = ''] = /href="([^"]*)">Older messages</.exec(first) ?? [];
  assert.match(older, /^\/me\?where=all&amp;category=reminder&amp;state=unread&amp;before=ntf_/);
  const second = bodyText(await layla.get(older.replaceAll('&amp;', '&')));
  assert.deepEqual(titlesIn(second), ['Bus pass']);
  assert.match(second, /href="\/me\?where=all&amp;category=reminder&amp;state=unread">Newest messages</);
  const found = await layla.post('/me', {}, form({ text: 'GARDEN', where: 'all' }));
  assert.deepEqual([found.status, titlesIn(bodyText(found))], [200, ['Garden waste']]);
  assert.doesNotMatch(bodyText(found), /(?:href|action)="[^"]*GARDEN/);
});

test('the result of a search or filter has the focus and says how many messages it shows', async () => {
  const layla = await signIn('demo-layla');
  const resultOf = (page: string) => /<p role="status" tabindex="-1" autofocus>([^<]*)<\/p>/.exec(page)?.[1];
  const search = async (text: string) => resultOf(bodyText(await layla.post('/me', {}, form({ text, where: 'all' }))));
  assert.deepEqual(
    [await search('garden'), await search('zebra')],
    ['We found one message.', 'We found no messages that match.'],
  );
  assert.equal(resultOf(bodyText(await layla.get('/me?category=decision'))), 'We found one message.');
  assert.equal(resultOf(bodyText(await layla.get('/me'))), undefined);
});

test('the text of a message has the direction of its language, not that of the page', async () => {
  const id = await send('demo-anh', { message: '**نص** الرسالة', language: 'ar' });
  const page = bodyText(await (await signIn('demo-anh')).get(`/me/messages/${id}`));
  assert.match(page, /<html lang="en" dir="ltr">[\s\S]*<div lang="ar" dir="rtl"><p dir="auto">/);
});

test('a search that has not looked at all messages says so, and the button continues it', async () => {
  const layla = await signIn('demo-layla');
  const first = bodyText(await layla.post('/me', {}, form({ text: 'bus', where: 'inbox' })));
  assert.equal(titlesIn(first).length, 100);
  assert.match(
    first,
    /autofocus>We have searched 10\d messages so far\. We have not searched your older messages yet\.<\/p>\s*<ul class="list">/,
  );
  const hidden = [...first.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const rest = form(Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])));
  const second = bodyText(await layla.post('/me', {}, rest));
  assert.deepEqual(titlesIn(second), ['Bus pass']);
  assert.match(second, /autofocus>We found one message\.</);
  assert.doesNotMatch(second, /Search older messages/);
  rest.set('text', 'a word of no message');
  assert.match(bodyText(await layla.post('/me', {}, rest)), /autofocus>We found no more messages that match\.</);
});

test('a citizen downloads one message, and the whole inbox without opening a message', async () => {
  const read = await send('demo-joao', {
    subject: 'Read <me>',
    message: 'Come on **Monday**.',
    respondBy: '2027-03-01',
    legalEffect: 'after-14-days',
  });
  const unread = await send('demo-joao', { subject: 'Later', message: 'This text is still unread.' });
  const joao = await signIn('demo-joao');
  const one = await joao.get(`/me/messages/${read}/download`);
  assert.match(String(one.headers['content-disposition']), /^attachment; filename="message\.html"/);
  assert.match(
    bodyText(one),
    /<h2[^>]*>Read &lt;me&gt;<\/h2>[\s\S]*Needs an answer by 1 March 2027[\s\S]*This message has counted as delivered since [\s\S]*<strong>Monday<\/strong>[\s\S]*<\/html>/,
  );
  assert.equal(await senderView(read), 'read');
  const all = bodyText(await joao.get('/me/download'));
  assert.match(all, /<strong>Monday<\/strong>/);
  assert.match(all, />Later<\/h2>[\s\S]*You have not opened this message yet/);
  assert.doesNotMatch(all, /This text is still unread|<script|<link/);
  assert.match(all, /<\/html>\s*$/);
  assert.notEqual(await senderView(unread), 'read');
  assert.equal((await joao.get('/me/download', { 'sec-purpose': 'prefetch' })).status, 503);
  assert.equal((await openCookieBrowser(server.url).get('/me/download')).status, 403);
});
