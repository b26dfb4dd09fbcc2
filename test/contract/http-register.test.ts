import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { standardPolicy2 } from '../../src/identity/match/policy.ts';
import { RegisterUnavailable } from '../../src/identity/register/register.ts';
import { createHttpRegister } from '../../src/identity/register-adapters/http-register.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { engines } from '../support/database-engines.ts';
import { openIdentityApp } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

const zoe = { citizenId: 'C-1', givenName: 'Zoë', familyName: 'Müller', birthDate: '1980-02-07' };

/** A register over real HTTP that responds with `behave`, and counts its requests. */
async function openRegister(t: TestContext, behave: RequestListener, deadlineMs = 20_000) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    behave(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  let now = 1_000_000;
  const faults: string[] = [];
  const register = createHttpRegister({
    url: new URL(`http://reader:s%3Acret@127.0.0.1:${port}/people`),
    fetch,
    timer: systemTimer,
    clock: { now: () => now },
    onFault: ({ message }) => void faults.push(message),
    deadlineMs,
    maxBytes: 20_000,
  });
  return { register, faults, asked: () => asked, pass: (ms: number) => (now += ms) };
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

test('a register over HTTP receives claims only in bodies, and its credentials in a header', async (t) => {
  const seen: unknown[] = [];
  const { register } = await openRegister(t, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    seen.push([request.method, request.url, request.headers.authorization, body]);
    const known = body.includes('C-1') || body.includes('1980');
    const json = request.url?.endsWith('search') ? { records: [zoe] } : zoe;
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  assert.equal((await register.find('C-1'))?.familyName, 'Müller');
  assert.equal(await register.find('C-9'), undefined);
  assert.equal((await register.search({ familyKeys: ['', ''], birthDate: '1980-02-07' })).length, 1);
  const { name, deceased } = (await register.contactOf('C-1')) ?? {};
  assert.deepEqual([name, deceased], ['Zoë Müller', false]);
  assert.deepEqual(seen[0], [
    'POST',
    '/people/find',
    `Basic ${Buffer.from('reader:s:cret').toString('base64')}`,
    '{"citizenId":"C-1"}',
  ]);
});

test('a search result without an id, or with one that no database can store, makes the register unavailable', async (t) => {
  const { citizenId: _, ...nobody } = zoe;
  const odd = [null, '', 'C\u0000', 'C\ud800'].map((citizenId) => ({ ...nobody, citizenId }));
  for (const record of [nobody, ...odd]) {
    const { register } = await openRegister(t, answering(200, JSON.stringify({ records: [zoe, record] })));
    await assert.rejects(register.search({ familyKeys: ['', ''], birthDate: '1980-02-07' }), RegisterUnavailable);
  }
});

const misbehaviours: Readonly<Record<string, RequestListener>> = {
  'never answers': () => undefined,
  'stops in the middle of its response': (_request, response) => void response.writeHead(200).write('{"citizenId":'),
  'closes the connection': (request) => void request.socket.destroy(),
  'answers without an end': (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(4_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  'answers 500': answering(500, '{}'),
  'answers text instead of JSON': answering(200, '<html>'),
  'answers a list': answering(200, '[]'),
  'answers null': answering(200, 'null'),
  'answers numbers for names': answering(200, JSON.stringify({ ...zoe, familyName: 7 })),
  'answers a mark that is not a boolean': answering(200, JSON.stringify({ ...zoe, locked: 'yes' })),
  'answers former names that are not a list': answering(200, JSON.stringify({ ...zoe, formerNames: 'Huber' })),
  'answers with the record of another citizen': answering(200, JSON.stringify({ ...zoe, citizenId: 'C-2' })),
  'redirects to another address': (_request, response) =>
    void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
};

for (const [what, behave] of Object.entries(misbehaviours)) {
  test(`a register that ${what} is unavailable, and the reason is logged without a value of its response`, async (t) => {
    const { register, faults } = await openRegister(t, behave, 300);
    await assert.rejects(register.find('C-1'), (fault) => {
      assert.ok(fault instanceof RegisterUnavailable, String(fault));
      assert.ok(!/Zo|ller|1980|C-1/.test(`${fault.message} ${String(fault.cause)}`));
      assert.deepEqual(faults, [fault.message]);
      return true;
    });
  });
}

test('a register that fails five times in a row is not called for ten seconds, and then only once', async (t) => {
  let broken = true;
  const { register, asked, pass, faults } = await openRegister(t, (request, response) =>
    answering(broken ? 500 : 200, JSON.stringify(zoe))(request, response),
  );
  const tries = async (times: number) => {
    for (let time = 0; time < times; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
  };
  await tries(8);
  assert.equal(asked(), 5);
  pass(10_001);
  await tries(3);
  assert.deepEqual([asked(), faults.length], [6, 6]);
  broken = false;
  pass(10_001);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
  // A successful response resets the count of failures.
  broken = true;
  await tries(4);
  broken = false;
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
});

test('a paused register is called at once after the clock was set back', async (t) => {
  const { register, asked, pass } = await openRegister(t, answering(500, ''));
  for (let time = 0; time < 6; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
  pass(-3_600_000);
  await assert.rejects(register.find('C-1'), RegisterUnavailable);
  assert.equal(asked(), 6);
});

test('a request that the register refuses fails as unavailable, and does not pause other requests', async (t) => {
  const { register, asked, pass, faults } = await openRegister(t, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const status = body.includes('C-1') ? 200 : body.includes('broken') ? 500 : 422;
    answering(status, JSON.stringify(zoe))(request, response);
  });
  for (let time = 0; time < 8; time += 1) await assert.rejects(register.find('no id'), RegisterUnavailable);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
  assert.deepEqual([asked(), faults], [9, []]);
  // A refused request that ends the pause does not start another one.
  for (let time = 0; time < 6; time += 1) await assert.rejects(register.find('broken'), RegisterUnavailable);
  pass(10_001);
  await assert.rejects(register.find('no id'), RegisterUnavailable);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
});

for (const status of [401, 403, 408, 429]) {
  test(`a register that responds with ${status} is paused like one that fails`, async (t) => {
    const { register, asked } = await openRegister(t, answering(status, '{}'));
    for (let time = 0; time < 8; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
    assert.equal(asked(), 5);
  });
}

test('a claim that differs from the record of the id is not determined if there are too many candidates to compare', async (t) => {
  const [engine] = engines;
  const app = await openIdentityApp(t, engine as (typeof engines)[number]);
  const otherCandidates = (size: number) =>
    Array.from({ length: size }, (_, at) => ({
      ...zoe,
      citizenId: `X-${at}`,
      givenName: 'Ludovic',
      familyName: 'Abt',
    }));
  const decisionOf = async (others: number) => {
    const { register } = await openRegister(t, (request, response) => {
      const json = request.url?.endsWith('search') ? { records: [zoe, ...otherCandidates(others)] } : zoe;
      answering(200, JSON.stringify(json))(request, response);
    });
    const claims = { ...zoe, familyName: 'Müllers' };
    const answered = await app.ask('POST', claims, {}, { register, policyOf: () => standardPolicy2 });
    return 'json' in answered && answered.json['decision'];
  };
  assert.deepEqual([await decisionOf(99), await decisionOf(100)], ['match', 'not_determined']);
});

test('marks and former values of a register over HTTP count like those of the embedded register', async (t) => {
  const [engine] = engines;
  const app = await openIdentityApp(t, engine as (typeof engines)[number]);
  const decisionOf = async (record: object, claims: object) => {
    const { register } = await openRegister(t, answering(200, JSON.stringify(record)));
    const answered = await app.ask('POST', claims, {}, { register, policyOf: () => standardPolicy2 });
    return 'json' in answered && answered.json['decision'];
  };
  const former = { ...zoe, formerNames: [{ familyName: 'Huber', until: '2025' }] };
  assert.deepEqual(
    [
      await decisionOf({ ...zoe, locked: false }, zoe),
      await decisionOf({ ...zoe, locked: true }, zoe),
      await decisionOf({ ...zoe, deceased: true }, zoe),
      await decisionOf({ ...zoe, underReview: true }, zoe),
      await decisionOf(zoe, { ...zoe, familyName: 'Huber' }),
      // A match by a former name searches for other candidates. This register responds to the search without a list.
      await decisionOf(former, { ...zoe, familyName: 'Huber' }),
    ],
    ['match', 'no_match', 'no_match', 'not_determined', 'no_match', 'not_determined'],
  );
});

for (const engine of engines) {
  test(`${engine.name}: a verification while the register is down gets not_determined, and is recorded in the ledger`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const { register } = await openRegister(t, answering(503, '{}'));
    const answered = await app.ask('POST', zoe, {}, { register });
    assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    assert.deepEqual(
      (await app.events('C-1')).map(({ type, decision }) => [type, decision]),
      [['identity.verified', 'not_determined']],
    );
  });

  test(`${engine.name}: a verification while the register is down neither reads the verification limit nor counts as a failure`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [zoe]);
    for (const day of ['11', '12', '13', '14', '15']) await app.verify({ ...zoe, birthDate: `1980-02-${day}` });
    assert.equal((await app.verify(zoe))['decision'], 'no_match');
    const { register } = await openRegister(t, answering(503, '{}'));
    const limits = async () =>
      await app.db.read('select verification_key, version from verification_limit order by verification_key');
    const before = await limits();
    const { citizenId: _, ...names } = { ...zoe, postalCode: '1' };
    for (const claims of [zoe, names]) {
      const answered = await app.ask('POST', claims, {}, { register });
      assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    }
    assert.deepEqual(await limits(), before);
  });
}
