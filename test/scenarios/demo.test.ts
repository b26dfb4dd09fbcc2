import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { demoCitizens, demoDocuments, demoMessages, demoShows } from '../../src/cli/demo-data.ts';
import { personaCases } from '../../src/cli/personas.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import {
  bearerHeaders,
  createHttpClient,
  fetchOnce,
  type HttpResponse,
  type HttpSend,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import {
  fileCleanupScope,
  makeServerFixture,
  type RunningServer,
  type ServerFixture,
} from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

let home: ServerFixture;
let server: RunningServer;
let token: string;
let ask: HttpSend & { close(): void };

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  server = await home.start();
  token = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const verify = '/v1/identity/verify';

test('the first start of a demo is ready within ten seconds', (t) => {
  t.diagnostic(`first answer at poll ${server.readinessPolls}, 20 ms apart`);
  assert.ok(server.readinessPolls <= 500);
});

test('a demo that is ready has its clients and documents', async (t) => {
  const own = await makeServerFixture(t);
  own.launchCommand('demo');
  await waitUntil(async () => (await fetchOnce(`${own.url}/readyz`).catch(() => undefined))?.status === 200);
  assert.ok(existsSync(join(own.dataDir, 'demo.json')));
});

test('the three commands that the demo prints succeed unchanged', async (t) => {
  const lines = server
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
  assert.equal(lines.length, 3);
  const [verified = '', accepted = '', document = ''] = await pasted(lines, (reason) => t.diagnostic(reason));
  const { verified: isVerified, decision } = JSON.parse(verified) as Record<string, unknown>;
  assert.deepEqual({ isVerified, decision }, { isVerified: true, decision: 'match' });
  const { citizenId, status } = JSON.parse(accepted) as Record<string, unknown>;
  assert.deepEqual({ citizenId, status }, { citizenId: 'demo-mary', status: 'accepted' });
  assert.equal(document, demoDocuments.find((one) => one.citizenId === 'demo-mary')?.text);
  // The outbox of the demo shows the mail that the second command sent.
  await waitUntil(async () => (await ask({ path: '/outbox' })).body.includes('Your permit is ready.'));
});

/** The output of each command in a shell. Without curl, sends the same requests itself. */
async function pasted(lines: readonly string[], report: (reason: string) => void): Promise<string[]> {
  if (spawnSync('curl', ['--version']).status === 0) {
    return lines.map((line) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', timeout: 10_000 });
      assert.equal(status, 0, stderr);
      return stdout;
    });
  }
  report('NOT AS PASTED: curl is not installed; the lines are taken apart and fetched');
  return await Promise.all(
    lines.map(async (line) => {
      const [, path = '', bodyPath, url = ''] = /^curl -H @(\S+) (?:-d @(\S+) )?(\S+)$/.exec(line) ?? [];
      const headers = readFileSync(path, 'utf8').trim().split('\n');
      const response = await fetch(`http://${url}`, {
        headers: headers.map((header): [string, string] => {
          const [name = '', value = ''] = header.split(': ');
          return [name, value];
        }),
        ...(bodyPath === undefined ? {} : { method: 'POST', body: readFileSync(bodyPath, 'utf8') }),
      });
      return await response.text();
    }),
  );
}

test('the choice of a person says what each one has, and lists the others folded with what they test', async () => {
  const { body } = await openCookieBrowser(home.url).follow('/me/sign-in');
  const [choice = '', empty = '', forTests = ''] = String(body).split(/<h2>Without|<details>/);
  const linesOf = (part: string) =>
    [...part.matchAll(/<code>(.*?)<\/code>(?:<p>(.*?)<\/p>)?/g)].map(([, id, about]) => [id, about]);
  assert.deepEqual(linesOf(choice), Object.entries(demoShows));
  const ids = [...demoMessages, ...demoDocuments].map(({ citizenId }) => citizenId);
  assert.deepEqual(new Set(Object.keys(demoShows)), new Set(ids));
  assert.deepEqual(
    linesOf(empty),
    demoCitizens.filter(({ citizenId }) => !ids.includes(citizenId)).map(({ citizenId }) => [citizenId, undefined]),
  );
  assert.deepEqual(
    linesOf(forTests),
    personaCases.flatMap(({ about, people }) => people.map(({ citizenId }) => [citizenId, about])),
  );
});

test('every page of the demo says that it is one', async () => {
  const mark = /<header><p class="demo">Demo: invented people, nothing is sent<\/p>/;
  const browser = openCookieBrowser(home.url);
  const paths = [
    '/',
    '/docs',
    '/docs/guide',
    '/docs/guide/send',
    '/problems',
    '/problems/not-found',
    '/outbox',
    '/demo/statements',
    '/none',
    '/me/nothing',
    '/received/x',
  ];
  const accept = { accept: 'text/html' };
  for (const path of paths) assert.match(String((await ask({ path, headers: accept })).body), mark, path);
  assert.match(String((await browser.follow('/me/sign-in')).body), mark);
  await signInAtDemo(browser, 'demo-mary');
  for (const path of ['/me', '/me/documents', '/me/uses', '/me/record', '/me/contact'])
    assert.match(String((await browser.follow(path)).body), mark, path);
});

test('the footer of the demo links to statements and help, and no link is broken', async () => {
  const [, footer = ''] = String((await ask({ path: '/', headers: { accept: 'text/html' } })).body).split('<footer>');
  const links = [...footer.matchAll(/<a href="(\/demo[^"#]*)#([^"]*)">([^<]*)</g)].map(([, ...link]) => link);
  assert.deepEqual(
    links.map(([, , text]) => text),
    ['Accessibility statement', 'Privacy', 'Help and contact'],
  );
  for (const [path = '', part = ''] of links)
    assert.match(String((await ask({ path })).body), new RegExp(`<h2 id="${part}">`), path);
});

test('the first person of the choice has a decision with a legal effect, a deadline and the contact of its sender', async () => {
  const browser = openCookieBrowser(home.url);
  const list = String((await signInAtDemo(browser, Object.keys(demoShows)[0] ?? '')).body);
  assert.match(list, /Counts as delivered when you open it, and from .* even if you do not<.*Needs an answer by /s);
  const [path = ''] = /\/me\/messages\/\w+(?=">Decision)/.exec(list) ?? [];
  const message = String((await browser.follow(path)).body);
  assert.match(message, /This message has counted as delivered since .*Phone: \+44 20 7946 0123/s);
  const mails = String((await ask({ path: '/outbox' })).body);
  assert.match(mails, /<dt>Reply-To<\/dt><dd><bdi>permits@service\.example</);
});

test('a decision of the demo is in the outbox as a notice by email, a text message and a letter', async () => {
  const outbox = async () => String((await ask({ path: '/outbox' })).body).split('<article>');
  const own = (articles: readonly string[]) =>
    articles.filter((one) => /demo-lukasz@|46701740607|Łukasz Wiśniewski/.test(one));
  await waitUntil(async () => own(await outbox()).length === 3);
  const articles = own(await outbox());
  const channels = articles.map((one) => /<dt>Channel<\/dt><dd>(.*?)<\/dd>/.exec(one)?.[1] ?? '');
  assert.deepEqual(channels.toSorted(), ['Email', 'Letter', 'Text message']);
  const path = /\/outbox\/letters\/[\w.]+/.exec(articles.join(''))?.[0] ?? '';
  const { status, headers, body } = await ask({ path });
  assert.deepEqual([status, headers['content-type']], [200, 'application/pdf']);
  assert.equal(body.toString('latin1', 0, 5), '%PDF-');
});

test('demo.json can be read by its owner only and has exactly the documented members', () => {
  assert.equal(statSync(join(home.dataDir, 'demo.json')).mode & 0o777, 0o600);
  const { clients, citizens, documents, ...addresses } = home.readDemoFile();
  assert.deepEqual(addresses, { baseUrl: home.url, tokenUrl: `${home.url}/oauth2/token` });
  assert.deepEqual(clients.map(Object.keys), [['clientId', 'clientSecret', 'scopes']]);
  assert.deepEqual(
    citizens,
    demoCitizens.map(({ citizenId, givenName, familyName, birthDate, email }) => {
      return { citizenId, givenName, familyName, birthDate, email };
    }),
  );
  assert.deepEqual(
    documents.map(Object.keys),
    demoDocuments.map(() => ['id', 'citizenId']),
  );
  assert.deepEqual(
    documents.map(({ citizenId }) => citizenId),
    demoDocuments.map(({ citizenId }) => citizenId),
  );
});

test('no file in the data folder can be read by another user', () => {
  const { stdout } = spawnSync('find', [home.dataDir, '-perm', '/077'], { encoding: 'utf8' });
  assert.equal(stdout, '');
});

test('each document of the demo is returned with the deposited bytes', async () => {
  for (const [index, { id }] of home.readDemoFile().documents.entries()) {
    const { status, body } = await ask({ path: `/v1/documents/${id}`, headers: bearerHeaders(token) });
    assert.deepEqual([status, body.toString('utf8')], [200, demoDocuments[index]?.text]);
  }
});

test('GET, POST and QUERY give the same result for the same claims', async () => {
  const query = new URLSearchParams({ ...mary, nonce: 'n-1' });
  const inBody = postJson(token, verify, { ...mary, nonce: 'n-1' });
  const answers = await Promise.all([
    ask({ path: `${verify}?${query}`, headers: bearerHeaders(token) }),
    ask(inBody),
    ask({ ...inBody, method: 'QUERY' }),
  ]);
  const [first, ...others] = answers.map(lasting);
  assert.deepEqual(
    others.map((other) => other),
    [first, first],
  );
  assert.equal(parseJsonBody(answers[0] ?? { body: Buffer.alloc(0) })['verified'], true);
});

/** The result without the values that differ in each response. */
function lasting(answer: HttpResponse): unknown {
  const { verificationId, receipt, token: signed, checkedAt, expiresAt, ...same } = parseJsonBody(answer);
  const own = [verificationId, receipt, signed, checkedAt, expiresAt];
  const names = Object.keys(answer.headers).filter((name) => !name.startsWith('x-ratelimit'));
  return { status: answer.status, same, own: own.map((value) => typeof value), names };
}

test('each citizen of the demo matches their own claims, in any script', async () => {
  for (const { citizenId, givenName, familyName, birthDate } of home.readDemoFile().citizens) {
    const claims = { citizenId, familyName, birthDate, ...(givenName === '' ? {} : { givenName }) };
    assert.equal(parseJsonBody(await ask(postJson(token, verify, claims)))['decision'], 'match', citizenId);
  }
});

const transliterations = [
  ['demo-eleni', 'Eleni', 'Papadopoulou'],
  ['demo-oleksandr', 'Oleksandr', 'Shevchenko'],
  ['demo-anh', 'Anh Nguyet', 'Nguyen'],
  ['demo-sigridur', 'Sigridur', 'Jonsdottir'],
  ['demo-joao', 'JOAO MARIA', 'SANTOS CONCEICAO'],
  ['demo-aine', 'Aine', 'OBrien Ni Dhomhnaill'],
  ['demo-juergen', 'Juergen', 'Mueller-Gross'],
  ['demo-juergen', 'Jurgen', 'Muller Gross'],
  ['demo-lukasz', 'Lukasz', 'Wisniewski'],
] as const;

test('each citizen also matches the transliteration of their name in a passport, and no other name', async () => {
  const { citizens } = home.readDemoFile();
  for (const [citizenId, givenName, familyName] of transliterations) {
    const birthDate = citizens.find((citizen) => citizen.citizenId === citizenId)?.birthDate;
    const decide = async (claims: object) => parseJsonBody(await ask(postJson(token, verify, claims)))['decision'];
    const own = await decide({ citizenId, givenName, familyName, birthDate });
    const other = await decide({ citizenId, givenName, familyName: 'Somebody', birthDate });
    assert.deepEqual([own, other], ['match', 'no_match'], `${citizenId} as ${givenName} ${familyName}`);
  }
});

test('a client that the command line creates while the server runs can call the API at once', async () => {
  const { code, stdout } = await home.runCommand(
    'clients',
    'create',
    'Tax Office',
    '--scopes',
    'documents:read',
    '--secret',
    '--json',
  );
  assert.equal(code, 0);
  const client = JSON.parse(stdout) as { clientId: string; clientSecret: string };
  const own = await home.fetchAccessToken([], client);
  const { status } = await ask({ path: '/v1/documents?citizenId=demo-mary', headers: bearerHeaders(own) });
  assert.equal(status, 200);
});

test('a second start keeps the data of the first one, and adds nothing', async () => {
  const listed = async () =>
    parseJsonBody(await ask({ path: '/v1/notifications?limit=100', headers: bearerHeaders(token) }))['items'];
  const left = { file: home.readDemoFile(), notifications: await listed() };
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
  assert.equal(server.stderr(), '');

  const made = await home.runCommand(
    'clients',
    'create',
    'Land Registry',
    '--scopes',
    'documents:read',
    '--secret',
    '--json',
  );
  assert.equal(made.code, 0, made.stderr);

  server = await home.start();
  // The token of the first start is good for the second: the keys are the same.
  assert.deepEqual({ file: home.readDemoFile(), notifications: await listed() }, left);
  const client = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
  const own = await home.fetchAccessToken([], client);
  const { status } = await ask({ path: '/v1/documents?citizenId=demo-mary', headers: bearerHeaders(own) });
  assert.equal(status, 200, 'a client made while no server ran');
});

test('the demo refuses to listen on a public address, before it creates a file', async (t) => {
  const wide = await makeServerFixture(t, { settings: { HOST: '0.0.0.0' } });
  const { code, stdout, stderr } = await wide.runCommand('demo');
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^HOST and ADMIN_HOST: expected a loopback address for the demo, received 0\.0\.0\.0 and /);
  assert.equal(spawnSync('find', [wide.dataDir, '-mindepth', '1'], { encoding: 'utf8' }).stdout, '');
});
