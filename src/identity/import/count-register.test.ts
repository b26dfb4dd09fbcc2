import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { importPeople, openIdentityAppWith } from '../../../test/support/identity-people.ts';
import { createFrequencyCounter, frequenciesFromTables } from '../match/frequencies.ts';
import { calibratedPolicy, type MatchPolicy } from '../match/policy.ts';
import { countRegister, createFrequencyCache, needsRecount, readFrequencies } from './count-register.ts';

/** Half of the people are called Smith. */
const town = Array.from({ length: 1_200 }, (_, at) => ({
  citizenId: `C-${at}`,
  givenName: `Given${at % 40}`,
  familyName: at % 2 === 0 ? 'Smith' : `Name ${at}`,
  birthDate: `19${String(50 + (at % 50))}-0${1 + (at % 9)}-1${at % 10}`,
}));

for (const engine of engines) {
  test(`${engine.name}: agreement on a name of half of the register counts less than agreement on a unique name`, async (t) => {
    const app = await openIdentityAppWith(t, engine, town);
    const counted = await countRegister(app.importDeps, { operator: 'test' });
    assert.equal(counted, 1_200);
    const frequencies = await readFrequencies(app.db.read);
    assert.deepEqual(
      [
        frequencies?.of('familyName', 'smith'),
        frequencies?.of('familyName', 'name1'),
        frequencies?.of('birthDate', 'x'),
      ],
      [600 / 1_200, 1 / 1_200, undefined],
    );
    // The threshold is between the two; without frequencies both names have the same weight.
    const strict: MatchPolicy = { ...calibratedPolicy, bareThreshold: 0.999_95 };
    const decisionOf = async (at: number, counting: { frequencies?: () => typeof frequencies }) => {
      const { citizenId, givenName, familyName, birthDate } = town[at] ?? {};
      const claims = { citizenId, givenName, familyName, birthDate };
      const answered = await app.ask('POST', claims, {}, { policyOf: () => strict, ...counting });
      return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
    };
    assert.deepEqual([await decisionOf(0, {}), await decisionOf(1, {})], ['match', 'match']);
    const counts = { frequencies: () => frequencies };
    assert.deepEqual([await decisionOf(0, counts), await decisionOf(1, counts)], ['no_match', 'match']);
    const [event] = (await app.events()).filter(({ type }) => type === 'register.counted');
    assert.deepEqual([event?.['persons'], event?.['actor']], [1_200, { operator: 'test' }]);
  });

  test(`${engine.name}: a register is counted again after an import of a twentieth of it, and cached counts expire at their maximum age`, async (t) => {
    const app = await openIdentityAppWith(t, engine, town);
    const { read } = app.db;
    const needs = async (rows: number, readBefore = 0, startedAt = app.importDeps.clock.now() + 1) =>
      await needsRecount(read, { progress: { read: rows, startedAt }, readBefore });
    assert.deepEqual([await needs(0), await needs(1), await needs(1, 1)], [false, true, true]);
    await countRegister(app.importDeps, { operator: 'test' });
    assert.deepEqual([await needs(59), await needs(60), await needs(60, 59)], [false, true, true]);
    assert.deepEqual([await needs(60, 1, 0), await needs(120, 60, 0)], [false, true]);
    let now = 0;
    const view = await createFrequencyCache(read, { now: () => now }, 1_000);
    const jones = Array.from({ length: 300 }, (_, at) => ({ citizenId: `J-${at}`, familyName: 'Jones' }));
    await importPeople(t, app, jones);
    await countRegister(app.importDeps, { operator: 'test' });
    assert.equal(view()?.of('familyName', 'jones'), 1 / 1_200);
    now = 1_001;
    view();
    while (view()?.of('familyName', 'jones') !== 300 / 1_500) await new Promise((resolve) => setImmediate(resolve));
  });
}

test('only the most frequent values are stored, and other values count like the least frequent stored one', () => {
  const tally = createFrequencyCounter();
  for (let at = 0; at < 10_500; at += 1) {
    for (let time = 0; time < (at < 10_100 ? 3 : 1); time += 1) tally.add('familyName', `name${at}`);
  }
  const { familyName } = tally.tables();
  assert.deepEqual([Object.keys(familyName?.counts ?? {}).length, familyName?.floor], [10_000, 3]);
  const total = 10_100 * 3 + 400;
  const frequencies = frequenciesFromTables(tally.tables());
  assert.equal(frequencies?.of('familyName', 'nobody'), 3 / total);
  const counted = ['name7', 'name10400', 'nobody'].map((form) => frequencies?.count('familyName', form));
  assert.deepEqual(counted, [3, undefined, undefined]);
});

test('a register of few people gives no frequencies', () => {
  const tally = createFrequencyCounter();
  for (let at = 0; at < 299; at += 1) tally.add('givenName', 'ana');
  assert.equal(frequenciesFromTables(tally.tables()), undefined);
});
