import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { localDateAt } from '../../src/kernel/local-date.ts';
import { type CookieBrowser, openCitizenBrowser, openCookieBrowser } from '../support/cookie-browser.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// The page "Use of your data" in the demo, which has its own sign-in issuer.
// Its date is another one than in UTC.
const timeZone = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
let server: ServerFixture;
let accessToken = '';
let client: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  server = await makeServerFixture(thisFile, {
    settings: {
      REGISTER_CORRECTIONS_URL: 'https://register.example/corrections?a=1&b=2',
      TIME_ZONE: timeZone,
    },
  });
  await server.start('demo');
  accessToken = await server.fetchAccessToken();
  client = createHttpClient(server.url);
});

const signIn = async (citizenId: string) => await openCitizenBrowser(server.url, citizenId);

async function sendMessage(citizenId: string, json: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await client(postJson(accessToken, '/v1/notifications/send', { citizenId, ...json }));
  assert.equal(answer.status, 202, bodyText(answer));
  return String(parseJsonBody(answer)['id']);
}

test('the citizen sees each verification: the service, the claims, the purpose and the answer', async () => {
  const claims = { citizenId: 'demo-anh', givenName: 'Ánh Nguyệt', familyName: 'Nguyễn', birthDate: '1901-01-01' };
  const body = { ...claims, purpose: 'parking <permit>', legalBasis: 'Road Act 7' };
  assert.equal((await client(postJson(accessToken, '/v1/identity/verify', body))).status, 200);
  const anh = await signIn('demo-anh');
  let page = '';
  await waitUntil(async () => {
    page = bodyText(await anh.get('/me/uses'));
    return page.includes('Checked whether details about you are right');
  });
  for (const expected of [
    'Demo Permit Service',
    '<dt>Same as in the register</dt><dd><bdi>number in the register, given names, and family name</bdi>',
    '<dt>Different from the register</dt><dd><bdi>date of birth</bdi>',
    '<dt>Answer</dt><dd><bdi>The details were not confirmed</bdi>',
    '<dt>Reason</dt><dd><bdi>Some of the details are not the same as in the register.</bdi>',
    '<a href="/me/record">Your details in the register</a>',
    '<a href="https://register.example/corrections?a=1&amp;b=2">How to have your details corrected</a>',
    '<dt>Why</dt><dd><bdi lang="">parking &lt;permit&gt;</bdi>',
    '<dt>Legal basis</dt><dd><bdi lang="">Road Act 7</bdi>',
    'Ask the service for another way',
  ])
    assert.ok(page.includes(expected), expected);
});

const numbersIn = (page: string) => [...page.matchAll(/<bdi>#(\d+)<\/bdi>/g)].map(([, number]) => Number(number));

test('the own actions of a citizen have pages of their own, newest first, and hide no use by others', async () => {
  await sendMessage('demo-suharti', { subject: 'One use', message: 'Hello.' });
  const suharti = await signIn('demo-suharti');
  for (let times = 0; times < 60; times += 1) await suharti.get('/me');
  await waitUntil(async () => /[6-9]\d entries/.test(bodyText(await suharti.get('/me/uses'))));
  const first = bodyText(await suharti.get('/me/uses'));
  const [others = '', own = ''] = first.split('<summary>Show your own actions</summary>');
  const newest = numbersIn(own);
  assert.equal(newest.length, 50);
  assert.match(
    own,
    /<details><summary><time .*<bdi>You<\/bdi>: Looked at the list of your messages \(\d\d\)<\/summary>/,
  );
  assert.deepEqual(
    newest,
    newest.toSorted((one, other) => other - one),
  );
  assert.ok(numbersIn(others).length > 0, others);
  const older = /href="(\/me\/uses\?own=\d+)">Older entries/.exec(own)?.[1] ?? assert.fail(own);
  const second = bodyText(await suharti.get(older));
  const [sameOthers = '', olderOwn = ''] = second.split('<summary>Show your own actions</summary>');
  assert.deepEqual(numbersIn(sameOthers), numbersIn(others));
  const all = [...numbersIn(others), ...newest, ...numbersIn(olderOwn)].toSorted((one, other) => one - other);
  assert.deepEqual(
    all,
    Array.from({ length: all.length }, (_, at) => at + 1),
  );
  assert.doesNotMatch(olderOwn, /Older entries/);
  assert.match(second, /<details open>/);
});

test('the look of a session at the access log is one entry, and the next session has its own', async () => {
  const looks = async (browser: CookieBrowser) =>
    bodyText(await browser.get('/me/uses')).split('Looked at this list').length - 1;
  const first = await signIn('demo-haruka');
  for (let times = 0; times < 3; times += 1) await looks(first);
  await waitUntil(async () => (await looks(first)) === 1);
  const second = await signIn('demo-haruka');
  await waitUntil(async () => (await looks(second)) === 2);
  assert.equal(await looks(second), 2);
});

test('the dates of the filter are those that the page shows, in the time zone of the server', async () => {
  const haruka = await signIn('demo-haruka');
  let shown = '';
  await waitUntil(async () => {
    shown = /<time datetime="([^"]+)"/.exec(bodyText(await haruka.get('/me/uses')))?.[1] ?? '';
    return shown !== '';
  });
  const onDate = async (date: string) => bodyText(await haruka.get(`/me/uses?from=${date}&to=${date}`)).includes(shown);
  assert.deepEqual(
    [await onDate(localDateAt(timeZone, Date.parse(shown))), await onDate(shown.slice(0, 10))],
    [true, false],
  );
});

test('an entry names the document and the message, with links, until they are withdrawn', async () => {
  const headers = {
    'content-type': 'text/plain',
    'citizen-id': 'demo-mary',
    'document-title': '%3DAssessment%20%3C1%3E',
  };
  const stored = await client({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(accessToken, headers),
    body: 'Nothing is owed.',
  });
  const document = String(parseJsonBody(stored)['id']);
  const message = await sendMessage('demo-mary', {
    subject: 'Your <assessment>',
    message: 'Look at it.',
    language: 'de',
  });
  const withoutSubject = await sendMessage('demo-mary', { message: 'No subject.' });
  const later = await sendMessage('demo-mary', {
    subject: 'A secret until tomorrow',
    message: 'Later.',
    sendAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const mary = await signIn('demo-mary');
  let page = '';
  await waitUntil(async () => {
    page = bodyText(await mary.get('/me/uses'));
    // The events are numbered in any order, and the last one is that of the mail.
    return [document, withoutSubject, 'not in your inbox', 'by email'].every((expected) => page.includes(expected));
  });
  for (const expected of [
    `<dt>Document</dt><dd><a href="/me/documents/${document}"><bdi lang="">=Assessment &lt;1&gt;</bdi></a></dd>`,
    `<dt>Message</dt><dd><a href="/me/messages/${message}"><bdi lang="de">Your &lt;assessment&gt;</bdi></a></dd>`,
    `<dt>Message</dt><dd><a href="/me/messages/${withoutSubject}"><bdi>a message without a subject</bdi></a></dd>`,
    '<dt>Message</dt><dd><bdi>a message that is not in your inbox, such as a code</bdi></dd>',
    'Sent you a message by email',
  ])
    assert.ok(page.includes(expected), expected);
  assert.equal(page.includes('A secret until') || page.includes(later), false);
  assert.doesNotMatch(page, /[Tt]his server/);
});

test('a link to an unopened message with a legal effect says when the message counts as delivered', async () => {
  const message = await sendMessage('demo-mary', { subject: 'Served', message: 'Read it.', legalEffect: 'opened' });
  const link = `<a href="/me/messages/${message}"><bdi lang="">Served</bdi></a>`;
  const warned = `${link}<p>Counts as delivered when you open it</p>`;
  const mary = await signIn('demo-mary');
  await waitUntil(async () => bodyText(await mary.get('/me/uses')).includes(link));
  assert.ok(bodyText(await mary.get('/me/uses')).includes(warned));
  await mary.get(`/me/messages/${message}`);
  const opened = bodyText(await mary.get('/me/uses'));
  assert.deepEqual([opened.includes(link), opened.includes(warned)], [true, false]);
});

test('the list of uses is downloaded as a table without formulas and with proofs, as the filter says', async () => {
  const mary = await signIn('demo-mary');
  const filter = /<option value="(demo-[^"]+)">Demo Permit Service/.exec(bodyText(await mary.get('/me/uses')))?.[1];
  const query = `?organisation=${filter}&from=2020-01-01&to=2099-01-01`;
  const table = await mary.get(`/me/uses/table.csv${query}`, { 'accept-language': 'de' });
  assert.equal(table.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(table.headers['content-disposition'], 'attachment; filename="use-of-your-data.csv"');
  const [head, ...lines] = bodyText(table).trimEnd().split('\r\n');
  assert.match(head ?? '', /^\uFEFF"Nummer","Zeitpunkt","Wer","Was",/);
  assert.ok(lines.length > 0 && lines.every((line) => line.includes('"Demo Permit Service"')), lines.join('\n'));
  assert.ok(bodyText(table).includes(`"'=Assessment <1>"`), bodyText(table));
  const proofs = await mary.get(`/me/uses/proofs.json${query}`);
  const json = JSON.parse(bodyText(proofs));
  assert.equal(json.usages.length, lines.length);
  for (const { proof, initiatorOrg } of json.usages)
    assert.match(`${initiatorOrg.name} ${proof}`, /^Demo Permit Service c2sp\.org\/tlog-proof@v1/);
  const all = JSON.parse(bodyText(await mary.get('/me/uses/proofs.json')));
  assert.deepEqual(
    all.usages.map(({ number }: { number: number }) => number),
    Array.from({ length: all.usages.length }, (_, at) => at + 1),
  );
  assert.ok(all.chain.length > 0 && all.linkKey.length > 0);
  const none = await mary.get('/me/uses/table.csv?from=2099-01-01');
  assert.equal(bodyText(none).trimEnd().split('\r\n').length, 1);
  const wrong = bodyText(await mary.get('/me/uses?from=1.5.2026'));
  assert.match(wrong, /Enter a date such as 2026-11-30\.[\s\S]*value="1\.5\.2026" aria-invalid="true"/);
  assert.match(bodyText(await mary.get('/me/uses?from=2099-01-01')), /No entries match your choice/);
  assert.equal((await openCookieBrowser(server.url).get('/me/uses/table.csv')).status, 403);
});

test('repeated reads by one service are one group in the access log, which hides no other entry', async () => {
  const sent = await client(
    postJson(accessToken, '/v1/notifications/send', { citizenId: 'demo-joao', message: 'Hello' }),
  );
  const { id } = parseJsonBody(sent) as { id: string };
  const readStatus = async () =>
    bodyText(await client({ path: `/v1/notifications/${id}`, headers: bearerHeaders(accessToken) }));
  // Its deliveries are entries as well, and would be between the reads until they have ended.
  await waitUntil(async () => !/"status":"(?:queued|sending)"/.test(await readStatus()));
  for (let times = 0; times < 3; times += 1) await readStatus();
  const joao = await signIn('demo-joao');
  const groupPattern =
    /^(<time .*<bdi>Demo Permit Service<\/bdi>: Checked whether a message reached you) \((\d+)\)<\/summary>/s;
  let run: string[] = [];
  const folded = () => run.find((inner) => Number(groupPattern.exec(inner)?.[2]) >= 3);
  await waitUntil(async () => {
    const page = bodyText(await joao.get('/me/uses'));
    run = [...page.matchAll(/<details><summary>(.*?)<\/details>/gs)].map(([, inner = '']) => inner);
    return folded() !== undefined;
  });
  const [summary, entries = ''] = folded()?.split('</summary>') ?? [];
  assert.equal(`(${[...entries.matchAll(/<bdi>#\d+<\/bdi>/g)].length})`, summary?.split(' ').at(-1));
  assert.doesNotMatch(entries, /Sent you a message/);
});

test('a page has 50 groups, so 60 equal uses hide no other use, and the next page continues after them', async () => {
  const citizenId = 'demo-weimin';
  const sent = await client(postJson(accessToken, '/v1/notifications/send', { citizenId, message: 'Hello' }));
  const path = `/v1/notifications/${String(parseJsonBody(sent)['id'])}`;
  const readStatus = async () => bodyText(await client({ path, headers: bearerHeaders(accessToken) }));
  await waitUntil(async () => !/"status":"(?:queued|sending)"/.test(await readStatus()));
  const body = { citizenId, givenName: 'No', familyName: 'One', birthDate: '1901-01-01', purpose: 'permit' };
  for (let times = 0; times < 60; times += 1)
    assert.equal((await client(postJson(accessToken, '/v1/identity/verify', body))).status, 200);
  const weimin = await signIn(citizenId);
  const readPage = async (to: string) =>
    bodyText(await weimin.get(to)).split('<summary>Show your own actions</summary>')[0] ?? '';
  const verified = 'Checked whether details about you are right';
  // The newest uses are the reads, only if the verifications have their numbers.
  await waitUntil(async () => (await readPage('/me/uses')).split(verified).length > 50);
  for (let times = 0; times < 60; times += 1) await readStatus();
  let first = '';
  await waitUntil(async () => {
    first = await readPage('/me/uses');
    return first.includes('Checked whether a message reached you (60)');
  });
  assert.equal(first.split(verified).length - 1, 49);
  const older = /href="(\/me\/uses\?before=\d+)">Older entries/.exec(first)?.[1] ?? assert.fail(first);
  const second = await readPage(older);
  const numbers = [...numbersIn(first), ...numbersIn(second)];
  assert.equal(second.split(verified).length - 1, 11);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => other - one),
  );
});

test('an entry shows the purpose in the words that its client has registered for the language of the page', async () => {
  const purposes = 'council-tax=Council tax assessment, council-tax@de=Grundsteuerbescheid';
  const flags = ['--scopes', 'identity:verify', '--secret', '--purposes', purposes, '--json'];
  const made = await runCommandInProcess(server, 'clients', 'create', 'Tax Office', ...flags);
  const token = await server.fetchAccessToken([], JSON.parse(made.stdout));
  const claims = { citizenId: 'demo-aine', givenName: 'Áine', familyName: 'X', birthDate: '1990-01-01' };
  const body = { ...claims, purpose: 'council-tax' };
  assert.equal((await client(postJson(token, '/v1/identity/verify', body))).status, 200);
  const aine = await signIn('demo-aine');
  await waitUntil(async () =>
    bodyText(await aine.get('/me/uses')).includes('<dd><bdi lang="">Council tax assessment</bdi></dd>'),
  );
  assert.doesNotMatch(bodyText(await aine.get('/me/uses')), /council-tax/);
  const german = { 'accept-language': 'de' };
  assert.match(bodyText(await aine.get('/me/uses', german)), /<dd><bdi lang="de">Grundsteuerbescheid<\/bdi><\/dd>/);
  assert.match(bodyText(await aine.get('/me/uses/table.csv', german)), /"Grundsteuerbescheid"/);
});
