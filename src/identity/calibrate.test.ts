import assert from 'node:assert/strict';
import test from 'node:test';
import { readFebrl } from '../../test/identity-febrl.ts';
import { withoutTestData } from '../../test/test-data.ts';
import { calibrate, simulatedClaims } from './calibrate.ts';
import { evaluate } from './evaluate.ts';
import { calibratedPolicy } from './match/policy.ts';
import { parsePolicy } from './match/policy-file.ts';

test('what a register alone teaches, with the error model, serves another register: no label is used', (t) => {
  const taught = readFebrl(1);
  const other = readFebrl(2);
  if (taught === undefined || other === undefined) return t.skip(withoutTestData);
  const claims = simulatedClaims(taught.register, 7);
  assert.deepEqual(simulatedClaims(taught.register, 7), claims);
  const model = calibrate([{ register: taught.register, claims }], { mostPairs: 60_000, prior: 0.005 });
  const { documentNumber, birthDate } = model.claims;
  assert.ok((documentNumber?.normalised?.m ?? 0) > 100 * (documentNumber?.normalised?.u ?? 1));
  assert.ok((birthDate?.different?.m ?? 1) < (birthDate?.different?.u ?? 0) / 10);
  const written = JSON.stringify({ name: 'town-2026-1', threshold: 0.99, model });
  const parsed = parsePolicy(written);
  assert.deepEqual(parsed, { policy: { ...calibratedPolicy, name: 'town-2026-1', threshold: 0.99, model } });
  if (!('policy' in parsed)) return;
  const { policy } = parsed;
  const use = ['givenName', 'familyName', 'birthDate'] as const;
  const result = evaluate({ ...other, use, policy, stopwatch: () => 0 }, other.pairs);
  assert.equal(result.falseMatches, 0);
  assert.ok(result.accepted / result.truePairs > 0.83, `${result.accepted} of ${result.truePairs}`);
});

test('a file that calibrate did not write is no policy', () => {
  for (const text of ['', '[]', '{"basis":"calibrated-2026-1"}', '{"name":"town-1","threshold":2}']) {
    assert.equal('fault' in parsePolicy(text), true);
  }
});
