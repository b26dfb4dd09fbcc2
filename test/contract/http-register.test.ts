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

/** A register over real HTTP that behaves as told, and what was asked of it. */
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
  // A server that listens on TCP has an address of this shape.
  const { port } = server.address() as AddressInfo;
  let now = 1_000_000;
  const told: string[] = [];
  const register = createHttpRegister({
    url: new URL(`http://reader:s%3Acret@127.0.0.1:${port}/people`),
    fetch,
    timer: systemTimer,
    clock: { now: () => now },
    onFault: ({ message }) => void told.push(message),
    deadlineMs,
    maxBytes: 20_000,
  });
  return { register, told, asked: () => asked, pass: (ms: number) => (now += ms) };
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

test('a register over HTTP is asked in bodies, with its credentials in a header', async (t) => {
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

test('a person without an id, or with one that no database keeps, is none whom a register could find', async (t) => {
  const { citizenId: _, ...nobody } = zoe;
  const odd = [null, '', 'C\u0000', 'C\ud800'].map((citizenId) => ({ ...nobody, citizenId }));
  for (const record of [nobody, ...odd]) {
    const { register } = await openRegister(t, answering(200, JSON.stringify({ records: [zoe, record] })));
    await assert.rejects(register.search({ familyKeys: ['', ''], birthDate: '1980-02-07' }), RegisterUnavailable);
  }
});

const misbehaviours: Readonly<Record<string, RequestListener>> = {
  'never answers': () => undefined,
  'stops in the middle': (_request, response) => void response.writeHead(200).write('{"citizenId":'),
  'hangs up': (request) => void request.socket.destroy(),
  'answers without end': (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(4_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  'answers 500': answering(500, '{}'),
  'answers no JSON': answering(200, '<html>'),
  'answers a list': answering(200, '[]'),
  'answers null': answering(200, 'null'),
  'answers numbers for names': answering(200, JSON.stringify({ ...zoe, familyName: 7 })),
  'answers a mark that is no truth value': answering(200, JSON.stringify({ ...zoe, locked: 'yes' })),
  'answers former names that are no list': answering(200, JSON.stringify({ ...zoe, formerNames: 'Huber' })),
  'answers about somebody else': answering(200, JSON.stringify({ ...zoe, citizenId: 'C-2' })),
  'sends elsewhere': (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
};

for (const [what, behave] of Object.entries(misbehaviours)) {
  test(`a register that ${what} could not be asked; the operator is told, without a value of its answer`, async (t) => {
    const { register, told } = await openRegister(t, behave, 300);
    await assert.rejects(register.find('C-1'), (fault) => {
      assert.ok(fault instanceof RegisterUnavailable, String(fault));
      assert.ok(!/Zo|ller|1980|C-1/.test(`${fault.message} ${String(fault.cause)}`));
      assert.deepEqual(told, [fault.message]);
      return true;
    });
  });
}

test('a register that fails five times in a row is left alone for ten seconds, then tried once', async (t) => {
  let broken = true;
  const { register, asked, pass, told } = await openRegister(t, (request, response) =>
    answering(broken ? 500 : 200, JSON.stringify(zoe))(request, response),
  );
  const tries = async (times: number) => {
    for (let time = 0; time < times; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
  };
  await tries(8);
  assert.equal(asked(), 5);
  pass(10_001);
  await tries(3);
  assert.deepEqual([asked(), told.length], [6, 6]);
  broken = false;
  pass(10_001);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
  // What failed before an answer is forgotten.
  broken = true;
  await tries(4);
  broken = false;
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
});

test('a register that is left alone is tried at once when the clock was set back', async (t) => {
  const { register, asked, pass } = await openRegister(t, answering(500, ''));
  for (let time = 0; time < 6; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
  pass(-3_600_000);
  await assert.rejects(register.find('C-1'), RegisterUnavailable);
  assert.equal(asked(), 6);
});

test('a question that the register refuses is not answered, and leaves it in use for all others', async (t) => {
  const { register, asked, pass, told } = await openRegister(t, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const status = body.includes('C-1') ? 200 : body.includes('broken') ? 500 : 422;
    answering(status, JSON.stringify(zoe))(request, response);
  });
  for (let time = 0; time < 8; time += 1) await assert.rejects(register.find('no id'), RegisterUnavailable);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
  assert.deepEqual([asked(), told], [9, []]);
  // Nor does the one question that tries again keep it out of use.
  for (let time = 0; time < 6; time += 1) await assert.rejects(register.find('broken'), RegisterUnavailable);
  pass(10_001);
  await assert.rejects(register.find('no id'), RegisterUnavailable);
  assert.equal((await register.find('C-1'))?.citizenId, 'C-1');
});

for (const status of [401, 403, 408, 429]) {
  test(`a register that answers everybody ${status} is left alone like one that fails`, async (t) => {
    const { register, asked } = await openRegister(t, answering(status, '{}'));
    for (let time = 0; time < 8; time += 1) await assert.rejects(register.find('C-1'), RegisterUnavailable);
    assert.equal(asked(), 5);
  });
}

test('of more candidates than are compared one may be a twin: a slip beside the id is left open', async (t) => {
  const [engine] = engines;
  const app = await openIdentityApp(t, engine as (typeof engines)[number]);
  const crowd = (size: number) =>
    Array.from({ length: size }, (_, at) => ({
      ...zoe,
      citizenId: `X-${at}`,
      givenName: 'Ludovic',
      familyName: 'Abt',
    }));
  const decisionOf = async (others: number) => {
    const { register } = await openRegister(t, (request, response) => {
      const json = request.url?.endsWith('search') ? { records: [zoe, ...crowd(others)] } : zoe;
      answering(200, JSON.stringify(json))(request, response);
    });
    const claims = { ...zoe, familyName: 'Müllers' };
    const answered = await app.ask('POST', claims, {}, { register, policyOf: () => standardPolicy2 });
    return 'json' in answered && answered.json['decision'];
  };
  assert.deepEqual([await decisionOf(99), await decisionOf(100)], ['match', 'not_determined']);
});

test('marks and former values of a register over HTTP count as our own do', async (t) => {
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
      // A match by a former name asks who else it could be: this register answers that with no list.
      await decisionOf(former, { ...zoe, familyName: 'Huber' }),
    ],
    ['match', 'no_match', 'no_match', 'not_determined', 'no_match', 'not_determined'],
  );
});

for (const engine of engines) {
  test(`${engine.name}: while the register is down the decision is left open, and the question is on record`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const { register } = await openRegister(t, answering(503, '{}'));
    const answered = await app.ask('POST', zoe, {}, { register });
    assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    assert.deepEqual(
      (await app.events('C-1')).map(({ type, decision }) => [type, decision]),
      [['identity.verified', 'not_determined']],
    );
  });

  test(`${engine.name}: while the register is down a spent budget is not looked at, and nothing is counted`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [zoe]);
    for (const day of ['11', '12', '13', '14', '15']) await app.verify({ ...zoe, birthDate: `1980-02-${day}` });
    assert.equal((await app.verify(zoe))['decision'], 'no_match');
    const { register } = await openRegister(t, answering(503, '{}'));
    const budgets = async () =>
      await app.db.read('select verification_key, version from verification_limit order by verification_key');
    const before = await budgets();
    const { citizenId: _, ...names } = { ...zoe, postalCode: '1' };
    for (const claims of [zoe, names]) {
      const answered = await app.ask('POST', claims, {}, { register });
      assert.equal('json' in answered && answered.json['decision'], 'not_determined');
    }
    assert.deepEqual(await budgets(), before);
  });
}
