import assert from 'node:assert/strict';
import test from 'node:test';
import { type DecidedCase, decideCases, defaultMatchPolicy, readIdentityCases } from '../support/identity-cases.ts';
import { testDataSkipReason } from '../support/test-data.ts';

/** Impostors who match if they are not in the register themselves, with the reason why the server accepts that. */
const acceptedImpostors: ReadonlyMap<string, string> = new Map([
  ['h0434', 'Jon for Jón is a lost accent, unless a person with exactly this name and birth date is registered.'],
]);

test('the server decides at least 95 % of the public cases like an official, and matches no impostor', async (t) => {
  const cases = readIdentityCases();
  if (cases === undefined) return t.skip(testDataSkipReason);
  const decided = await decideCases(cases, defaultMatchPolicy, 'registered');
  const clear = decided.filter(({ expect }) => expect !== 'O');
  t.diagnostic(`all cases ${percent(decided)} %, without those in which an official asks for more ${percent(clear)} %`);
  assert.equal(wrongOnes(decided.filter(({ expect }) => expect === 'N')), '');
  assert.equal(wrongOnes(decided.filter(({ expect }) => expect === 'R')), '');
  assert.ok(percent(clear) >= 95, wrongOnes(clear));
});

test('unregistered impostors of the public cases match only with a stated reason', async (t) => {
  const cases = readIdentityCases();
  if (cases === undefined) return t.skip(testDataSkipReason);
  const decided = await decideCases(cases, defaultMatchPolicy, 'unknown');
  const unexplained = decided.filter(({ id, expect }) => expect === 'N' && !acceptedImpostors.has(id));
  assert.equal(wrongOnes(unexplained), '');
});

function percent(cases: readonly DecidedCase[]): number {
  return Math.round((1000 * cases.filter(({ isRight }) => isRight).length) / cases.length) / 10;
}

function wrongOnes(cases: readonly DecidedCase[]): string {
  return cases
    .filter(({ isRight }) => !isRight)
    .map(({ id, kind, decision }) => `${id} ${kind}: ${decision}`)
    .join('; ');
}
