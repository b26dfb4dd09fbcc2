import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { demoCitizens, demoDocuments } from '../../src/cli/demo-town.ts';
import { type Answered, createExchange, type Exchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { until } from '../until.ts';
import { afterThisFile, makeHome, type ServerHome, type WholeServer } from '../whole-server.ts';

let home: ServerHome;
let server: WholeServer;
let token: string;
let ask: Exchange & { close(): void };

const thisFile = afterThisFile();
before(async () => {
  home = await makeHome(thisFile);
  server = await home.start();
  token = await home.token();
  ask = createExchange(home.url);
});

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const verify = '/v1/identity/verify';

test('a first start answers before it was asked for ten seconds', (t) => {
  t.diagnostic(`first answer at poll ${server.polls}, 20 ms apart`);
  assert.ok(server.polls <= 500);
});

test('who waits until a demo is ready finds its clients and documents', async (t) => {
  const own = await makeHome(t);
  own.launch('demo');
  await until(async () => (await fetch(`${own.url}/readyz`).catch(() => undefined))?.status === 200);
  assert.ok(existsSync(join(own.dataDir, 'demo.json')));
});

test('the three lines that the demo prints work as pasted', async (t) => {
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
  // What the second line sent is in the mailbox that the demo shows.
  await until(async () => (await ask({ path: '/outbox' })).body.includes('Your permit is ready.'));
});

/** What each line prints in a shell; where there is no curl, what its parts fetch. */
async function pasted(lines: readonly string[], tell: (reason: string) => void): Promise<string[]> {
  if (spawnSync('curl', ['--version']).status === 0) {
    return lines.map((line) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', timeout: 10_000 });
      assert.equal(status, 0, stderr);
      return stdout;
    });
  }
  tell('NOT AS PASTED: curl is not installed; the lines are taken apart and fetched');
  return await Promise.all(
    lines.map(async (line) => {
      const [, url = '', rest = ''] = /^curl -s (\S+)(.*)$/.exec(line) ?? [];
      const headers = [...rest.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
      const body = / -d '(.+)'$/.exec(rest)?.[1];
      const method = body === undefined ? 'GET' : 'POST';
      const response = await fetch(url, {
        ...{ method, headers: Object.fromEntries(headers) as Record<string, string> },
        ...(body === undefined ? {} : { body }),
      });
      return await response.text();
    }),
  );
}

test('demo.json is for its owner alone and has the members of the contract, no others', () => {
  assert.equal(statSync(join(home.dataDir, 'demo.json')).mode & 0o777, 0o600);
  const { clients, citizens, documents, ...addresses } = home.demo();
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

test('nothing in the data folder can be read by another user', () => {
  const { stdout } = spawnSync('find', [home.dataDir, '-perm', '/077'], { encoding: 'utf8' });
  assert.equal(stdout, '');
});

test('each document of the demo reads back byte for byte as it was deposited', async () => {
  for (const [index, { id }] of home.demo().documents.entries()) {
    const { status, body } = await ask({ path: `/v1/documents/${id}`, headers: withToken(token) });
    assert.deepEqual([status, body.toString('utf8')], [200, demoDocuments[index]?.text]);
  }
});

test('GET, POST and QUERY answer one question alike', async () => {
  const query = new URLSearchParams({ ...mary, nonce: 'n-1' });
  const inBody = sendJson(token, verify, { ...mary, nonce: 'n-1' });
  const answers = await Promise.all([
    ask({ path: `${verify}?${query}`, headers: withToken(token) }),
    ask(inBody),
    ask({ ...inBody, method: 'QUERY' }),
  ]);
  const [first, ...others] = answers.map(lasting);
  assert.deepEqual(
    others.map((other) => other),
    [first, first],
  );
  assert.equal(jsonOf(answers[0] ?? { body: Buffer.alloc(0) })['verified'], true);
});

/** The answer without what each answer has of its own. */
function lasting(answer: Answered): unknown {
  const { verificationId, receipt, token: signed, checkedAt, expiresAt, ...same } = jsonOf(answer);
  const own = [verificationId, receipt, signed, checkedAt, expiresAt];
  const names = Object.keys(answer.headers).filter((name) => !name.startsWith('x-ratelimit'));
  return { status: answer.status, same, own: own.map((value) => typeof value), names };
}

test('every citizen of the demo, in whatever script, is verified by their own claims', async () => {
  for (const { citizenId, givenName, familyName, birthDate } of home.demo().citizens) {
    const claims = { citizenId, familyName, birthDate, ...(givenName === '' ? {} : { givenName }) };
    assert.equal(jsonOf(await ask(sendJson(token, verify, claims)))['decision'], 'match', citizenId);
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

test('they are verified as well by their names in the letters of a passport, and not by those of another', async () => {
  const { citizens } = home.demo();
  for (const [citizenId, givenName, familyName] of transliterations) {
    const birthDate = citizens.find((citizen) => citizen.citizenId === citizenId)?.birthDate;
    const decide = async (claims: object) => jsonOf(await ask(sendJson(token, verify, claims)))['decision'];
    const own = await decide({ citizenId, givenName, familyName, birthDate });
    const other = await decide({ citizenId, givenName, familyName: 'Somebody', birthDate });
    assert.deepEqual([own, other], ['match', 'no_match'], `${citizenId} as ${givenName} ${familyName}`);
  }
});

test('a client that the command line makes beside the running server can call at once', async () => {
  const { code, stdout } = await home.run(
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
  const own = await home.token([], client);
  const { status } = await ask({ path: '/v1/documents?citizenId=demo-mary', headers: withToken(own) });
  assert.equal(status, 200);
});

test('a second start finds what the first one left, and adds nothing', async () => {
  const listed = async () =>
    jsonOf(await ask({ path: '/v1/notifications?limit=100', headers: withToken(token) }))['items'];
  const left = { file: home.demo(), notifications: await listed() };
  assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
  assert.equal(server.stderr(), '');

  const made = await home.run('clients', 'create', 'Land Registry', '--scopes', 'documents:read', '--secret', '--json');
  assert.equal(made.code, 0, made.stderr);

  server = await home.start();
  // The token of the first start is good for the second: the keys are the same.
  assert.deepEqual({ file: home.demo(), notifications: await listed() }, left);
  const client = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
  const own = await home.token([], client);
  const { status } = await ask({ path: '/v1/documents?citizenId=demo-mary', headers: withToken(own) });
  assert.equal(status, 200, 'a client made while no server ran');
});

test('the demo refuses to listen beyond loopback, before it makes anything', async (t) => {
  const wide = await makeHome(t, { settings: { HOST: '0.0.0.0' } });
  const { code, stdout, stderr } = await wide.run('demo');
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /never listens beyond loopback/);
  assert.equal(spawnSync('find', [wide.dataDir, '-mindepth', '1'], { encoding: 'utf8' }).stdout, '');
});
