import assert from 'node:assert/strict';
import test from 'node:test';
import { countFrequencies } from '../evaluation/evaluate-policy.ts';
import { toRegisterRecord } from '../import/people-file.ts';
import type { Claims } from '../register/claims.ts';
import { normaliseClaims } from './comparable.ts';
import { measureRecord } from './compare.ts';
import { calibratedPolicy } from './policy.ts';

const people = (count: number, person: Claims) => Array.from({ length: count }, () => person);
const register = [
  ...people(10, { givenName: 'Maria', familyName: 'Silva' }),
  ...people(10, { givenName: 'Marie', familyName: 'Costa' }),
  ...people(1, { givenName: 'Mario', familyName: 'Rossi' }),
  ...Array.from({ length: 300 }, (_, at) => ({ givenName: `Other${at}`, familyName: `Person${at}` })),
];
const frequencies = countFrequencies(register);

function weightOfGiven(known: string, claimed: string): number {
  return measureRecord(
    toRegisterRecord({ givenName: known }),
    normaliseClaims({ givenName: claimed }),
    calibratedPolicy,
    frequencies,
  ).weight;
}

test('a spelling that no record has is more probably a typing error than the name of other people', () => {
  const slip = weightOfGiven('Maria', 'Marza');
  const other = weightOfGiven('Maria', 'Marie');
  assert.ok(slip > 0 && slip - other > 4 && slip - other < 5, `${slip} ${other}`);
});

test('a registered name that no other person has is itself a probable typing error', () => {
  const [slip, other] = [weightOfGiven('Mario', 'Marzo'), weightOfGiven('Mario', 'Maria')];
  assert.ok(other < slip && slip - other < 1, `${slip} ${other}`);
});

test('a former name has the same weight, however frequent it is', () => {
  const weightOf = (name: string) => {
    const record = { ...toRegisterRecord({ givenName: 'Paula' }), formerNames: [{ givenName: name }] };
    return measureRecord(record, normaliseClaims({ givenName: name }), calibratedPolicy, frequencies).weight;
  };
  assert.equal(weightOf('Marie'), weightOf('Marza'));
});

test('a former name decides whether names are compared as stated or exchanged', () => {
  const record = { ...toRegisterRecord({ givenName: 'Maria', familyName: 'Marie' }), birthFamilyName: 'Marja' };
  const claims = normaliseClaims({ givenName: 'Maria', familyName: 'Marja' });
  const bearers = [...register, ...people(10, { familyName: 'Marja' }), ...people(10, { familyName: 'Marie' })];
  const found = measureRecord(record, claims, calibratedPolicy, countFrequencies(bearers));
  assert.deepEqual([found.levels, found.crossed], [{ givenName: 'exact', familyName: 'similar' }, false]);
});

test('another word order does not count as a typing error, and another alphabet does not count as a spelling variant', () => {
  const names = [...people(10, { givenName: 'Anna Maria' }), ...people(10, { givenName: 'כהן' })];
  const counted = (others: readonly Claims[]) => countFrequencies([...register, ...names, ...others]);
  const [without, among] = ['Maria Anna', 'Kohen'].map((givenName) => [
    counted([]),
    counted(people(10, { givenName })),
  ]);
  for (const [known, claimed, level, both] of [
    ['Anna Maria', 'Maria Anna', 'similar', without],
    ['כהן', 'Kohen', 'transliterated', among],
  ] as const) {
    const [few, many] = (both ?? []).map((frequencies) => {
      const own = measureRecord(
        toRegisterRecord({ givenName: known }),
        normaliseClaims({ givenName: claimed }),
        calibratedPolicy,
        frequencies,
      );
      assert.equal(own.levels.givenName, level);
      return own.weight;
    });
    assert.ok(Math.abs((few ?? 0) - (many ?? 9)) < 0.2, `${claimed} ${few} ${many}`);
  }
});

test('the spelling of a name has no weight if the register was not counted', () => {
  const uncounted = (claimed: string) =>
    measureRecord(toRegisterRecord({ givenName: 'Maria' }), normaliseClaims({ givenName: claimed }), calibratedPolicy)
      .weight;
  assert.equal(uncounted('Marza'), uncounted('Marie'));
});

test('an exchanged name is compared with the frequencies of the field that the register has it in', () => {
  const record = toRegisterRecord({ givenName: 'Maria', familyName: 'Silva' });
  const weightOf = (familyName: string) =>
    measureRecord(record, normaliseClaims({ givenName: 'Silva', familyName }), calibratedPolicy, frequencies).weight;
  assert.ok(weightOf('Marza') - weightOf('Marie') > 4);
});

test('the weight of a value depends on the number of other people who have it', () => {
  const agreeing = (name: string) => weightOfGiven(name, name);
  const share = (count: number) => -Math.log2(count / register.length);
  assert.ok(Math.abs(agreeing('Mario') - agreeing('Maria') - (share(1) - share(10))) < 1e-9);
});

test('a rare name that is not in the tables of a large register has no spelling weight', () => {
  const many = Array.from({ length: 10_001 }, (_, at) => ({ givenName: `Person${at}`, familyName: 'Silva' }));
  const counted = countFrequencies([
    ...people(2, { givenName: 'Maria' }),
    ...people(2, { givenName: 'Marie' }),
    ...many,
  ]);
  const weightOf = (claimed: string) =>
    measureRecord(
      toRegisterRecord({ givenName: 'Maria' }),
      normaliseClaims({ givenName: claimed }),
      calibratedPolicy,
      counted,
    ).weight;
  const [slip, other] = [weightOf('Marza'), weightOf('Marie')];
  assert.ok(slip - other > 3 && slip - other < 3.5, `${slip} ${other}`);
});

test('a name that the register has in one field counts once, however the claim splits it', () => {
  const weightOf = (known: Claims, claimed: Claims) =>
    measureRecord({ ...toRegisterRecord(known), birthDate: null }, normaliseClaims(claimed), calibratedPolicy).weight;
  const parted = { givenName: 'Ana Maria', familyName: 'Silva' };
  const whole = weightOf({ familyName: 'Ana Maria Silva' }, parted);
  assert.ok(whole > 0 && whole < weightOf({ givenName: 'Ana', familyName: 'Maria Silva' }, parted));
});
