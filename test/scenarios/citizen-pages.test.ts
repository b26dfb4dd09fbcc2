import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { waitPastMidnight } from '../support/avoid-midnight.ts';
import { type CookieBrowser, openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// The pages of citizens in the demo, whose own issuer signs them in.
let home: ServerFixture;
let service = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile, {
    settings: { REGISTER_CORRECTIONS_URL: 'https://register.example/corrections?a=1&b=2' },
  });
  await home.start('demo');
  service = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

const textOf = ({ body }: { readonly body: Buffer }) => body.toString('utf8');
const headingOf = (answer: { readonly body: Buffer }) => /<h1>(.*?)<\/h1>/.exec(textOf(answer))?.[1];

async function signedIn(citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(home.url);
  const page = await signInAtDemo(browser, citizenId);
  assert.equal(page.url, `${home.url}/me`, textOf(page));
  return browser;
}

async function written(citizenId: string, json: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await ask(postJson(service, '/v1/notifications/send', { citizenId, ...json }));
  assert.equal(answer.status, 202, textOf(answer));
  return String(parseJsonBody(answer)['id']);
}

const stateOf = async (id: string) =>
  String(parseJsonBody(await ask({ path: `/v1/notifications/${id}`, headers: bearerHeaders(service) }))['status']);

test('who is not signed in finds the way in, and comes back to the page that was wanted', async () => {
  const browser = openCookieBrowser(home.url);
  const first = await browser.get('/me');
  assert.deepEqual([first.status, headingOf(first)], [200, 'Your official messages and documents']);
  const documents = await browser.get('/me/documents');
  assert.equal(documents.status, 403);
  // By whichever name somebody came: the cookie of the way in is one of the host to which the issuer comes back.
  const way = `href="${home.url}/me/sign-in?to=%2Fme%2Fdocuments"`;
  assert.ok(textOf(documents).includes(way), textOf(documents));
  const page = await signInAtDemo(browser, 'demo-mary', '/me/documents');
  assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${home.url}/me/documents`, 'Documents']);
});

test('a citizen reads a message, and its sender learns that it was read; the list alone opens nothing', async () => {
  const id = await written('demo-mary', { subject: 'Your <permit>', message: 'Come on **Monday**, to *room 5*.' });
  const mary = await signedIn('demo-mary');
  const list = textOf(await mary.get('/me'));
  assert.match(list, new RegExp(`href="/me/messages/${id}">Your &lt;permit&gt;</a> <span class="badge">New</span>`));
  assert.notEqual(await stateOf(id), 'read');
  const page = await mary.get(`/me/messages/${id}`);
  assert.equal(headingOf(page), 'Your &lt;permit&gt;');
  assert.match(textOf(page), /Come on <strong>Monday<\/strong>/);
  assert.doesNotMatch(textOf(page), /style="|<hr>|<script/);
  assert.equal(await stateOf(id), 'read');
  assert.doesNotMatch(textOf(await mary.get('/me')), new RegExp(`class="fresh" href="/me/messages/${id}"`));
});

test('the mail of a message leads to its page, which asks who one is', async () => {
  const id = await written('demo-mary', { subject: 'With a link', message: 'Look.' });
  let mail = '';
  await waitUntil(async () => {
    mail = textOf(await ask({ path: '/outbox' }));
    return mail.includes('With a link');
  });
  assert.ok(mail.includes(`Read this message in your inbox:\n${home.url}/me/messages/${id}`), mail);
  const strange = await openCookieBrowser(home.url).get(`/me/messages/${id}`);
  assert.deepEqual([strange.status, textOf(strange).includes('Look.')], [403, false]);
  const page = await signInAtDemo(openCookieBrowser(home.url), 'demo-mary', `/me/messages/${id}`);
  assert.deepEqual([page.url, headingOf(page)], [`${home.url}/me/messages/${id}`, 'With a link']);
});

test('HEAD, and a browser that loads ahead, open no message', async () => {
  const id = await written('demo-mary', { message: 'Unread.' });
  const mary = await signedIn('demo-mary');
  for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
    assert.equal((await mary.get(`/me/messages/${id}`, headers)).status, 503);
  }
  const cookie = [...mary.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  assert.equal((await ask({ method: 'HEAD', path: `/me/messages/${id}`, headers: { cookie } })).status, 405);
  assert.notEqual(await stateOf(id), 'read');
});

test('a document comes byte for byte, also a part of it, under its own name', async () => {
  const headers = {
    'content-type': 'application/pdf',
    'citizen-id': 'demo-mary',
    'document-title': 'Bescheid%20%C3%BC',
    'document-retain-until': '2099-01-01T00:00:00Z',
  };
  const body = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(70_000, 7)]);
  const stored = await ask({ method: 'POST', path: '/v1/documents', headers: bearerHeaders(service, headers), body });
  const id = String(parseJsonBody(stored)['id']);
  const mary = await signedIn('demo-mary');
  assert.match(
    textOf(await mary.get('/me/documents')),
    new RegExp(`href="/me/documents/${id}"><bdi>Bescheid ü</bdi></a> \\(PDF, <bdi>70 kB</bdi>\\)`),
  );
  const got = await mary.get(`/me/documents/${id}`);
  assert.deepEqual([got.status, got.body.equals(body)], [200, true]);
  assert.match(String(got.headers['content-disposition']), /^attachment; .*filename\*=UTF-8''Bescheid%20%C3%BC\.pdf/);
  assert.deepEqual([got.headers.link, got.headers['x-content-type-options']], [undefined, 'nosniff']);
  const part = await mary.get(`/me/documents/${id}`, { range: 'bytes=1-4' });
  assert.deepEqual([part.status, textOf(part)], [206, 'PDF-']);
  const withdrawn = await ask({ method: 'DELETE', path: `/v1/documents/${id}`, headers: bearerHeaders(service) });
  assert.equal(withdrawn.status, 200, textOf(withdrawn));
  assert.equal((await mary.get(`/me/documents/${id}`)).status, 410);
  assert.match(textOf(await mary.get('/me/documents')), /Withdrawn by the service that issued it/);
});

test('what is another citizen’s is answered as what is nowhere', async () => {
  const message = await written('demo-mary', { message: 'For Mary alone.' });
  const document = home.readDemoFile().documents.find(({ citizenId }) => citizenId === 'demo-mary')?.id;
  const layla = await signedIn('demo-layla');
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
  assert.equal(new Set(answers.map(textOf)).size, 1);
  assert.notEqual(await stateOf(message), 'read');
});

test('[R53] nor does the time tell them apart: both leave at a whole quantum', async () => {
  const document =
    home.readDemoFile().documents.find(({ citizenId }) => citizenId === 'demo-mary')?.id ?? assert.fail();
  const layla = await signedIn('demo-layla');
  for (const id of [document, `${document.slice(0, -6)}aaaaaa`]) {
    for (let times = 0; times < 10; times += 1) {
      const from = performance.now();
      assert.equal((await layla.get(`/me/documents/${id}`)).status, 404);
      assert.ok(performance.now() - from >= 5, id);
    }
  }
});

test('a check of details is told to the citizen: who asked, about what, for what, and what was answered', async () => {
  const claims = { citizenId: 'demo-anh', givenName: 'Ánh Nguyệt', familyName: 'Nguyễn', birthDate: '1901-01-01' };
  const asked = { ...claims, purpose: 'parking <permit>', legalBasis: 'Road Act 7' };
  assert.equal((await ask(postJson(service, '/v1/identity/verify', asked))).status, 200);
  const anh = await signedIn('demo-anh');
  let page = '';
  await waitUntil(async () => {
    page = textOf(await anh.get('/me/uses'));
    return page.includes('Asked whether details are yours');
  });
  for (const told of [
    'Demo Permit Service',
    'As in the register: number in the register, given names, and family name',
    'Otherwise in the register: date of birth',
    'Answer: the details were not confirmed',
    'The details did not fit what the register has about you.',
    '<a href="/me/record">Your details in the register</a>',
    '<a href="https://register.example/corrections?a=1&amp;b=2">How to have the register put right</a>',
    'Purpose: <bdi>parking &lt;permit&gt;</bdi>',
    'Legal basis: <bdi>Road Act 7</bdi>',
    'ask the service for another way',
  ])
    assert.ok(page.includes(told), told);
});

test('what the register has about a citizen stands on a page of its own, letter for letter', async () => {
  const anh = await signedIn('demo-anh');
  const page = await anh.get('/me/record');
  assert.deepEqual([page.status, headingOf(page)], [200, 'Your details in the register']);
  for (const told of [
    '<dt>Given names</dt><dd><bdi>Ánh Nguyệt</bdi></dd>',
    '<dt>Place of birth</dt><dd>Not in the register</dd>',
    'href="https://register.example/corrections?a=1&amp;b=2"',
  ])
    assert.ok(textOf(page).includes(told), told);
  const german = textOf(await anh.get('/me/record', { 'accept-language': 'de' }));
  assert.match(german, /<dt>Vornamen<\/dt><dd><bdi>Ánh Nguyệt<\/bdi>/);
  await waitUntil(async () => textOf(await anh.get('/me/uses')).includes('Read what the register has about you'));
});

test('a citizen locks and unlocks the own details on that page, and is told of each by a message', async () => {
  await waitPastMidnight();
  const mary = await signedIn('demo-mary');
  const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
  const decision = async () => parseJsonBody(await ask(postJson(service, '/v1/identity/verify', claims)))['decision'];
  const press = (locked: string, headers: object = {}) =>
    mary.post('/me/record', { ...headers }, new URLSearchParams({ locked }));
  assert.equal(await decision(), 'match');
  assert.match(textOf(await mary.get('/me/record')), /name="locked" value="true"[\s\S]*Lock my details/);
  const strange = await press('true', { 'sec-fetch-site': 'same-site' });
  assert.deepEqual([strange.status, await decision()], [403, 'match']);
  const done = await press('true');
  assert.deepEqual([done.status, done.headers.location], [303, '/me/record#lock']);
  assert.equal(await decision(), 'no_match');
  const page = textOf(await mary.get('/me/record'));
  assert.match(page, /class="note">You have locked your details\./);
  assert.match(page, /name="locked" value="false"[\s\S]*Lift the lock/);
  assert.match(textOf(await mary.get('/me')), />Your details are locked</);
  // Pressed once more on an older page, and a form of something else: nothing changes.
  assert.equal((await press('true')).status, 303);
  assert.equal((await press('perhaps')).status, 200);
  assert.equal(textOf(await mary.get('/me')).split('>Your details are locked<').length, 2);
  assert.equal((await press('false')).status, 303);
  assert.equal(await decision(), 'match');
  await waitUntil(async () => {
    const uses = textOf(await mary.get('/me/uses'));
    return [
      'Your details were locked',
      'The lock of your details was lifted',
      'It was your wish that no details',
    ].every((told) => uses.includes(told));
  });
  await waitUntil(async () => textOf(await ask({ path: '/outbox' })).includes('Your details are not locked any more'));
  const often = [...new Array(4).fill(['true', 'false']).flat(), 'true'];
  for (const locked of often) assert.equal((await press(locked)).status, 303);
  const refused = await press('false');
  assert.deepEqual([refused.status, textOf(refused).includes('cannot be lifted again before tomorrow')], [429, true]);
  const lift = async (...args: readonly string[]) =>
    await runCommandInProcess(home, 'citizens', 'unlock', 'demo-mary', ...args);
  assert.deepEqual([(await lift('--own')).code, (await lift('--reason', 'x')).code], [2, 2]);
  assert.match((await lift()).stderr, /The lock that the citizen set remains/);
  assert.equal(await decision(), 'no_match');
  assert.equal((await lift('--own', '--reason', 'Mary came in person.')).code, 0);
  assert.equal(await decision(), 'match');
  assert.equal((await lift('--own', '--reason', 'again')).code, 1);
  await waitUntil(async () => textOf(await ask({ path: '/outbox' })).includes('Their reason: Mary came in person.'));
});

test('a long log is read page by page, the newest first, each entry once', async () => {
  const suharti = await signedIn('demo-suharti');
  for (let times = 0; times < 60; times += 1) await suharti.get('/me');
  const numbersIn = (page: string) => [...page.matchAll(/<bdi>#(\d+)<\/bdi>/g)].map(([, number]) => Number(number));
  await waitUntil(async () => /[6-9]\d entries/.test(textOf(await suharti.get('/me/uses'))));
  const first = textOf(await suharti.get('/me/uses'));
  const newest = numbersIn(first);
  assert.equal(newest.length, 50);
  assert.deepEqual(
    newest,
    newest.toSorted((one, other) => other - one),
  );
  const older = /href="(\/me\/uses\?before=\d+)">Older entries/.exec(first)?.[1] ?? assert.fail(first);
  const second = textOf(await suharti.get(older));
  assert.deepEqual(numbersIn(second), Array.from({ length: (newest.at(-1) ?? 1) - 1 }, (_, at) => at + 1).toReversed());
  assert.doesNotMatch(second, /Older entries/);
  assert.match(second, /Newer entries/);
});

test('looks of one service behind each other are folded up, and hide nothing', async () => {
  const sent = await ask(postJson(service, '/v1/notifications/send', { citizenId: 'demo-joao', message: 'Hello' }));
  const { id } = parseJsonBody(sent) as { id: string };
  const look = async () => textOf(await ask({ path: `/v1/notifications/${id}`, headers: bearerHeaders(service) }));
  // Its deliveries are uses as well, and stand between the looks until they have ended.
  await waitUntil(async () => !/"status":"(?:queued|sending)"/.test(await look()));
  for (let times = 0; times < 3; times += 1) await look();
  const joao = await signedIn('demo-joao');
  const looked =
    /^(<time .*<bdi>Demo Permit Service<\/bdi>: Looked at what became of a message to you) \((\d+)\)<\/summary>/s;
  let run: string[] = [];
  const folded = () => run.find((inner) => Number(looked.exec(inner)?.[2]) >= 3);
  await waitUntil(async () => {
    const page = textOf(await joao.get('/me/uses'));
    run = [...page.matchAll(/<details><summary>(.*?)<\/details>/gs)].map(([, inner = '']) => inner);
    return folded() !== undefined;
  });
  const [summary, entries = ''] = folded()?.split('</summary>') ?? [];
  assert.equal(`(${[...entries.matchAll(/<bdi>#\d+<\/bdi>/g)].length})`, summary?.split(' ').at(-1));
  assert.doesNotMatch(entries, /Sent you a message/);
});

test('who signs out is out everywhere, also with the cookie of before', async () => {
  const mary = await signedIn('demo-mary');
  const before = new Map(mary.cookies);
  const page = await mary.post('/me/sign-out');
  assert.deepEqual([page.status, headingOf(page)], [200, 'You are signed out']);
  assert.equal(mary.cookies.get('citizen-session'), undefined);
  assert.equal(page.headers['clear-site-data'], '"cache"');
  for (const [name, value] of before) mary.cookies.set(name, value);
  assert.equal(headingOf(await mary.get('/me')), 'Your official messages and documents');
});

test('who breaks the sign-in off is told so, and is nobody', async () => {
  const browser = openCookieBrowser(home.url);
  const page = await signInAtDemo(browser, 'nobody');
  assert.deepEqual([page.status, headingOf(page)], [403, 'You are not signed in']);
  assert.equal(browser.cookies.size, 0);
});
