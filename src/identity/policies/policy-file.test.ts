import assert from 'node:assert/strict';
import test from 'node:test';
import { toRegisterRecord } from '../import/people-file.ts';
import { normaliseClaims } from '../match/comparable.ts';
import { compareRecord } from '../match/compare.ts';
import { type MatchPolicy, standardPolicy2, standardPolicy3 } from '../match/policy.ts';
import type { Claims } from '../register/claims.ts';
import { parseMatchPolicy } from './policy-file.ts';

function policyOf(file: object): MatchPolicy {
  const parsed = parseMatchPolicy(JSON.stringify({ name: 'town-2026-1', ...file }));
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.policy;
}

test('a policy takes the members that its file omits from its basis', () => {
  assert.deepEqual(policyOf({}), { ...standardPolicy3, name: 'town-2026-1' });
  const file = {
    basis: 'standard-2026-2',
    threshold: 0.995,
    minimum: [['citizenId', ['familyName', 'givenName']], ['documentNumber']],
    permitted: ['citizenId', 'familyName'],
    leastDate: 'month',
    former: { nameYears: 0, addressYears: 1 },
    deceasedMatch: true,
  };
  assert.deepEqual(policyOf(file), {
    ...standardPolicy2,
    name: 'town-2026-1',
    threshold: 0.995,
    bareThreshold: 0.995,
    minimum: [[['citizenId'], ['familyName', 'givenName']], [['documentNumber']]],
    permitted: new Set(['citizenId', 'familyName']),
    leastDate: 'month',
    former: { nameYears: 0, addressYears: 1 },
    deceasedMatch: true,
  });
});

test('an invalid policy file is refused with the place of the fault', () => {
  const faultOf = (text: string) => {
    const parsed = parseMatchPolicy(text);
    return 'fault' in parsed ? parsed.fault : undefined;
  };
  assert.equal(faultOf('{'), 'expected JSON, received a fault in line 1, column 2');
  assert.equal(faultOf('{"name":"standard-2026-2"}'), 'standard-2026-2 is the name of a built-in policy');
  const faulty: readonly (readonly [object, RegExp])[] = [
    [{ threshold: 1 }, /^\/threshold: /],
    [{ threshhold: 0.9 }, /^\/threshhold: is not a known member$/],
    [{ basis: 'best' }, /^\/basis: /],
    [{ model: { claims: { shoeSize: {} }, crossed: 0.1, prior: 0.1 } }, /^\/model\/claims/],
    [{ permitted: [] }, /^\/permitted: /],
  ];
  for (const [over, fault] of faulty) assert.match(faultOf(JSON.stringify({ name: 'abc', ...over })) ?? '', fault);
});

test('a short form agrees with the full name only by a policy with nicknames, and pairs of nicknames are not transitive', () => {
  const record = toRegisterRecord({
    citizenId: 'C-1',
    givenName: 'Robert',
    familyName: 'Hall',
    birthDate: '1970-03-04',
  });
  const decide = (givenName: string, over: object, of = record) => {
    const claims: Claims = { citizenId: 'C-1', givenName, familyName: 'Hall', birthDate: '1970-03-04' };
    return compareRecord(of, normaliseClaims(claims), policyOf({ basis: 'standard-2026-2', ...over })).decision;
  };
  assert.deepEqual(
    [decide('Bob', {}), decide('Bob', { nicknames: 'standard' }), decide('Bill', { nicknames: 'standard' })],
    ['no_match', 'match', 'no_match'],
  );
  const bob = { ...record, givenName: 'Bob' };
  const own = { nicknames: [['Robert', 'Bob', 'Róbi']] };
  assert.deepEqual(
    [decide('Robert', own, bob), decide('Robi', own), decide('Robi', own, bob)],
    ['match', 'match', 'no_match'],
  );
});
