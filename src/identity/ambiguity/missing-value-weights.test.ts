import assert from 'node:assert/strict';
import test from 'node:test';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { toRegisterRecord } from '../import/people-file.ts';
import { normaliseClaims } from '../match/comparable.ts';
import { measureRecord } from '../match/compare.ts';
import { calibratedPolicy } from '../match/policy.ts';
import type { ClaimName, Claims } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { findCompetingIds, noCompetingCandidates } from './ambiguity-check.ts';

const home = { streetAddress: '140 Wilhelm Court', postalCode: '2007', locality: 'Fridge' };
const use: readonly ClaimName[] = ['givenName', 'familyName', 'birthDate'];
const withAddress: readonly ClaimName[] = [...use, 'streetAddress', 'postalCode', 'locality'];

/** Whether the claims are accepted as those of A, in a register with these others. */
function isAccepted(a: Claims, claims: Claims, others: readonly Claims[], asked = use): boolean {
  const register = [{ ...a, citizenId: 'A' }, ...others.map((other, at) => ({ ...other, citizenId: `B${at}` }))];
  const options = { register, claims: [{ ...claims, citizenId: 'C' }], use: asked, policy: calibratedPolicy };
  return evaluatePolicy({ ...options }, [{ claim: 'C', record: 'A', same: true }]).accepted === 1;
}

test('claims with another given name do not match a person who may have a twin without a registered birth date', () => {
  const fidelia = { givenName: 'Fidelia', familyName: 'Nelistine', birthDate: '1979-06-06' };
  const claims = { ...fidelia, givenName: 'Campson' };
  const dated = { givenName: 'Finandra', familyName: 'Nelistine', birthDate: '1941-02-27' };
  const dateless = { givenName: 'Finandra', familyName: 'Nelistine' };
  assert.equal(isAccepted(fidelia, claims, [dated]), true);
  assert.equal(isAccepted(fidelia, claims, [dateless]), false);
  const family = Array.from({ length: 60 }, (_, at) => ({ ...dated, birthDate: `${1911 + at}-02-27` }));
  assert.equal(isAccepted(fidelia, claims, [dateless, ...family]), true, 'few of a large family are twins');
});

test('claims with another given name do not match if another person at the address has no registered street', () => {
  const christopher = { givenName: 'Christopher', familyName: 'Well', birthDate: '1903-07-11', ...home };
  const susannah = { ...christopher, givenName: 'Susannah' };
  const streetless = { ...christopher, streetAddress: '140' };
  assert.equal(isAccepted(susannah, christopher, [streetless], withAddress), false);
  const elsewhere = {
    ...streetless,
    familyName: 'Other',
    birthDate: '1950-01-01',
    postalCode: '4444',
    locality: 'Yon',
  };
  assert.equal(isAccepted(susannah, christopher, [elsewhere], withAddress), true);
});

test('a value missing for a candidate counts with its weight for the person, also if the value is rare', () => {
  const at = { streetAddress: '7 Quay', locality: 'Fridge' };
  const mario = { citizenId: 'A', givenName: 'Mario', familyName: 'Well', birthDate: '1979-06-06', ...at };
  const [own, other] = [
    { ...mario, postalCode: '2007' },
    { ...mario, citizenId: 'B', givenName: 'Maria' },
  ].map(toRegisterRecord);
  assert.ok(own !== undefined && other !== undefined);
  const claims = normaliseClaims({ ...mario, postalCode: '2007', citizenId: undefined, givenName: 'Marii' });
  // Frequencies of a register of one million people.
  const frequencies = { of: () => 1e-6, count: () => undefined, average: () => 1e-6 };
  const measured = (record: RegisterRecord) => measureRecord(record, claims, calibratedPolicy, frequencies);
  const fitting = { record: own, levels: measured(own).levels, claims, policy: calibratedPolicy };
  const answers = { days: [[own, other]], others: noCompetingCandidates };
  assert.deepEqual(findCompetingIds(fitting, 'competing', answers, measured), ['B']);
});
