import assert from 'node:assert/strict';
import test from 'node:test';
import { readFebrlSet } from '../../../test/support/febrl-data.ts';
import { testDataSkipReason } from '../../../test/support/test-data.ts';
import { standardPolicy3 } from '../match/policy.ts';
import { parseMatchPolicy } from '../policies/policy-file.ts';
import { calibrateModel, simulatedClaims } from './calibrate-model.ts';
import { createSeededRandom } from './error-model.ts';
import { evaluatePolicy } from './evaluate-policy.ts';

test('a model estimated from one register with simulated errors is accurate for another register', (t) => {
  const taught = readFebrlSet(1);
  const other = readFebrlSet(2);
  if (taught === undefined || other === undefined) return t.skip(testDataSkipReason);
  const claims = simulatedClaims(taught.register, 7);
  assert.deepEqual(simulatedClaims(taught.register, 7), claims);
  const model = calibrateModel([{ register: taught.register, claims }], { maxPairs: 60_000, prior: 0.005 });
  const { documentNumber, birthDate } = model.claims;
  assert.ok((documentNumber?.normalised?.m ?? 0) > 100 * (documentNumber?.normalised?.u ?? 1));
  assert.ok((birthDate?.different?.m ?? 1) < (birthDate?.different?.u ?? 0) / 10);
  const written = JSON.stringify({ name: 'town-2026-1', threshold: 0.99, model });
  const parsed = parseMatchPolicy(written);
  assert.deepEqual(parsed, { policy: { ...standardPolicy3, name: 'town-2026-1', threshold: 0.99, model } });
  if (!('policy' in parsed)) return;
  const { policy } = parsed;
  const use = ['givenName', 'familyName', 'birthDate'] as const;
  const result = evaluatePolicy({ ...other, use, policy }, other.pairs);
  assert.equal(result.falseMatches, 0);
  assert.ok(result.accepted / result.truePairs > 0.83, `${result.accepted} of ${result.truePairs}`);
});

/** Households of four with one family name and address, and different given names and birth dates. */
function households(persons: number) {
  const chance = createSeededRandom(11);
  const word = (letters: number) =>
    Array.from({ length: letters }, () => 'bdklmnrstv'.charAt(chance() * 10) + 'aeiou'.charAt(chance() * 5)).join('');
  const two = (most: number) => `${1 + Math.floor(chance() * most)}`.padStart(2, '0');
  const given = Array.from({ length: 60 }, () => word(3));
  const homes = Array.from({ length: persons / 4 }, () => ({
    familyName: word(3),
    streetAddress: `${two(99)} ${word(4)} Street`,
    postalCode: `${10_000 + Math.floor(chance() * 90_000)}`,
  }));
  return Array.from({ length: persons }, (_, at) => ({
    citizenId: `C-${at}`,
    givenName: given[Math.floor(chance() * 60)] ?? '',
    birthDate: `${1930 + Math.floor(chance() * 90)}-${two(12)}-${two(28)}`,
    ...homes[Math.floor(at / 4)],
  }));
}

// In the larger register a claim is compared with a sample of the records.
for (const persons of [240, 2_400])
  test(`calibration distinguishes the members of a household, in a register of ${persons} people`, () => {
    const register = households(persons);
    const material = { register, claims: simulatedClaims(register, 7) };
    const { givenName, birthDate, streetAddress } = calibrateModel([material], {
      maxPairs: 60_000,
      prior: 0.005,
    }).claims;
    // The error model replaces 2 % of the given names and 1 % of the dates.
    assert.ok((givenName?.different?.m ?? 1) < 0.1, `${givenName?.different?.m}`);
    assert.ok((birthDate?.different?.m ?? 1) < 0.1, `${birthDate?.different?.m}`);
    assert.ok((birthDate?.normalised?.m ?? 0) > 0.85, `${birthDate?.normalised?.m}`);
    assert.ok((streetAddress?.different?.u ?? 0) > 0.7, `${streetAddress?.different?.u}`);
  });

test('a file that calibrate did not write is not accepted as a policy', () => {
  for (const text of ['', '[]', '{"basis":"calibrated-2026-1"}', '{"name":"town-1","threshold":2}']) {
    assert.equal('fault' in parseMatchPolicy(text), true);
  }
});
