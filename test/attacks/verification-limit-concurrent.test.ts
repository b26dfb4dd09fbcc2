import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy } from '../../src/identity/match/policy.ts';
import { RegisterUnavailable } from '../../src/identity/register/register.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { buildIdentityApp, type IdentityApp, verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attacks that try to avoid a limit by another key, another process or a side channel.

const people = [
  {
    citizenId: 'C-1',
    givenName: 'Anna',
    familyName: 'Berg',
    birthDate: '1980-03-07',
    postalCode: '10115',
    documentNumber: 'P1234567',
  },
];
const anna = { givenName: 'Anna', familyName: 'Berg', birthDate: '1980-03-07', postalCode: '10115' };
const annaById = { ...anna, citizenId: 'C-1' };
const day = (at: number) => String(10 + at);
const sqlite = engines[0] as Engine;

for (const engine of engines) {
  test(`${engine.name}: a search does not change the limit of an id, so it cannot reveal whether names and date belong to the id`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    // Known claims without the birth date are enough for a match, and show whether Anna's limit is reached.
    const { birthDate: _, ...known } = { ...annaById, documentNumber: 'P1234567' };
    for (const at of [0, 1, 2, 3]) await verifyDecisionOf(app, { ...annaById, birthDate: `1981-01-${day(at)}` });
    assert.equal(await verifyDecisionOf(app, known), 'match');
    const entries: number[] = [];
    for (const date of ['05', '06', '07', '08']) {
      const before = (await app.seen()).length;
      await verifyDecisionOf(app, { ...anna, birthDate: `1980-03-${date}`, postalCode: `7${date}` });
      entries.push((await app.seen()).length - before);
      assert.equal(await verifyDecisionOf(app, known), 'match');
    }
    assert.deepEqual(entries, [3, 3, 3, 3]);
  });

  test(`${engine.name}: twelve processes that verify at the same instant share the one failure that is still allowed`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const processes = await Promise.all(Array.from({ length: 12 }, () => buildIdentityApp(app.db)));
    for (const at of [0, 1, 2, 3]) await verifyDecisionOf(app, { ...annaById, birthDate: `1981-01-${day(at)}` });
    // All have read the limit before any of them counts. The right one is answered last.
    const together = meeting(processes.length);
    const counted = meeting(processes.length);
    const answers = processes.map(async (other, at) => {
      const isRight = at === 0;
      const { verificationLimiter, register } = other.ports;
      const asked = verifyDecisionOf(other, isRight ? annaById : { ...annaById, birthDate: `1982-01-${day(at)}` }, {
        register: { ...register, find: (id) => together().then(() => register.find(id)) },
        signResult: async (...result) => {
          if (isRight) await counted();
          return await other.ports.signResult(...result);
        },
        verificationLimiter,
      });
      if (!isRight) void asked.then(counted, counted);
      return await asked;
    });
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['no_match']));
  });

  test(`${engine.name}: only one of two concurrent matches with a wrong number is answered if one more failure is allowed`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const processes = [await buildIdentityApp(app.db), await buildIdentityApp(app.db)];
    const policyOf = () => calibratedPolicy;
    const wrong = (at: number) => ({ ...annaById, documentNumber: `P123456${at}` });
    for (const at of [0, 1, 2, 3]) assert.equal(await verifyDecisionOf(app, wrong(at), { policyOf }), 'match');
    const together = meeting(processes.length);
    const decisions = await Promise.all(
      processes.map(async (other, at) => {
        const { register } = other.ports;
        const find = (id: string) => together().then(() => register.find(id));
        return await verifyDecisionOf(other, wrong(4 + at), { policyOf, register: { ...register, find } });
      }),
    );
    assert.deepEqual(decisions.sort(), ['match', 'no_match']);
  });

  test(`${engine.name}: all concurrent verifications with correct claims match`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const processes = await Promise.all(Array.from({ length: 6 }, () => buildIdentityApp(app.db)));
    await verifyDecisionOf(app, { ...annaById, birthDate: '1981-01-01' });
    const asked = [...processes, ...processes].map((other, at) =>
      verifyDecisionOf(other, at % 3 === 0 ? anna : annaById),
    );
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(['match']));
  });
}

test('a verification that conflicts 64 times fails, and is not repeated forever', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, people);
  await verifyDecisionOf(app, { ...annaById, birthDate: '1981-01-01' });
  let decided = 0;
  const signResult: IdentityPorts['signResult'] = async (...result) => {
    decided += 1;
    assert.ok(decided < 1_000);
    await app.db.write([{ sql: "update verification_limit set failures = failures || ' '", args: [] }]);
    return await app.ports.signResult(...result);
  };
  await assert.rejects(verifyDecisionOf(app, annaById, { signResult }), /refused 64 times/);
  assert.equal(decided, 64);
  assert.equal(await verifyDecisionOf(app, annaById), 'match');
});

test('at the limit correct and wrong claims cause the same register requests', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, people);
  for (const at of [0, 1, 2, 3, 4]) await verifyDecisionOf(app, { ...annaById, birthDate: `1981-01-${day(at)}` });
  // A tolerated deviation causes an ambiguity check below the limit.
  const slip = { ...annaById, givenName: 'Annna' };
  const right = await questionsTo(app, (over) => verifyDecisionOf(app, slip, over));
  const wrong = await questionsTo(app, (over) => verifyDecisionOf(app, { ...slip, birthDate: '1980-03-08' }, over));
  assert.deepEqual([right, wrong], [['find'], ['find']]);
});

test('at the limit an unavailable search gives the same answer to correct and wrong claims', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, people);
  for (const at of [0, 1, 2, 3, 4]) await verifyDecisionOf(app, { ...annaById, birthDate: `1981-01-${day(at)}` });
  const search = () => Promise.reject(new RegisterUnavailable('the register responded with the status 501'));
  const over: Pick<IdentityPorts, 'register'> = {
    register: { ...app.ports.register, search, searchExactNamesakes: search },
  };
  const slip = { ...annaById, givenName: 'Annna' };
  assert.equal(await verifyDecisionOf(app, slip, over), 'no_match');
  assert.equal(await verifyDecisionOf(app, { ...slip, birthDate: '1980-03-08' }, over), 'no_match');
});

test('correct and wrong searches for a locked citizen cause the same register requests', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, [{ ...people[0], locked: 'yes' }]);
  const slip = { ...anna, givenName: 'Annna', documentNumber: 'P1234567' };
  const right = await questionsTo(app, (over) => verifyDecisionOf(app, slip, over));
  const wrong = await questionsTo(app, (over) => verifyDecisionOf(app, { ...slip, birthDate: '1980-03-08' }, over));
  assert.deepEqual([right, wrong], [['search'], ['search']]);
});

test('concurrent verifications of one citizen look up the register in parallel', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, people);
  const { register } = app.ports;
  // No lookup returns before all have started.
  const together = meeting(20);
  const over = { register: { ...register, find: (id: string) => together().then(() => register.find(id)) } };
  const asked = Array.from({ length: 20 }, () => verifyDecisionOf(app, annaById, over));
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(['match']));
});

test('the response time of reading an earlier result is padded like that of a new verification', async (t) => {
  const app = await openIdentityAppWith(t, sqlite, people);
  const { verificationId } = await app.verify(annaById);
  const steps: string[] = [];
  const startResponsePadding = () => {
    steps.push('begun');
    return async () => void steps.push('waited');
  };
  assert.equal('json' in (await app.ask('GET', String(verificationId), {}, { startResponsePadding })), true);
  assert.deepEqual(steps, ['begun', 'waited']);
});

/** The names of the register methods that a verification calls. */
async function questionsTo(
  app: IdentityApp,
  ask: (over: Pick<IdentityPorts, 'register'>) => Promise<unknown>,
): Promise<string[]> {
  const asked: string[] = [];
  const { register } = app.ports;
  const note = <Args extends unknown[], Answer>(name: string, call: (...args: Args) => Answer) => {
    return (...args: Args): Answer => {
      asked.push(name);
      return call(...args);
    };
  };
  await ask({
    register: {
      ...register,
      find: note('find', register.find),
      search: note('search', register.search),
      searchCompeting: note('searchCompeting', register.searchCompeting),
      searchExactNamesakes: note('searchExactNamesakes', register.searchExactNamesakes),
    },
  });
  return asked;
}

/** A barrier: the promises resolve when this number of callers have arrived. */
function meeting(all: number): () => Promise<void> {
  let come = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  return () => {
    come += 1;
    if (come === all) resolve();
    return promise;
  };
}
