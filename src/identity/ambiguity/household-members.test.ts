import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '../../../test/support/test-data.ts';
import { evaluatePolicy, type LabelledPair } from '../evaluation/evaluate-policy.ts';
import { calibratedPolicy, standardPolicy3 } from '../match/policy.ts';
import type { ClaimName, Claims } from '../register/claims.ts';

const random = seededRandom(7);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const givenNames =
  'Anna Berta Clara Doris Elena Frieda Gerda Hilde Irene Julia Karin Laura Martha Nora Olga Paula Rosa Sabine Theresa Ulrike ' +
  'Anton Bruno Conrad David Emil Felix Georg Heinz Ivo Jakob Kurt Ludwig Moritz Norbert Oskar Philipp Rudolf Stefan Theodor Viktor';
const syllables = 'bach berg burg dorf feld hof holz kamp mann meier stein thal wald werth'.split(' ');
const beginnings = 'Alt Birk Dorn Eich Frei Gold Hoch Kalt Lang Mitter Neu Ober Rot Schwarz Stock Weiss'.split(' ');

function inventPerson(at: number, home: Claims, familyName: string): Claims {
  const month = String(1 + Math.floor(random() * 12)).padStart(2, '0');
  const day = String(1 + Math.floor(random() * 28)).padStart(2, '0');
  const birthDate = `${1930 + Math.floor(random() * 80)}-${month}-${day}`;
  return { citizenId: `P-${at}`, givenName: pick(givenNames.split(' ')), familyName, birthDate, ...home };
}

const inventFamilyName = () => `${pick(beginnings)}${pick(syllables)}`;

/** Households of two to five people of one family name, or of two. */
function inventHouseholds(count: number): readonly (readonly Claims[])[] {
  let at = 0;
  return Array.from({ length: count }, (_, household) => {
    const home = { streetAddress: `${household + 1} Mill Lane`, postalCode: `${10_000 + (household % 90)}` };
    const [familyName, other] = [inventFamilyName(), inventFamilyName()];
    return Array.from({ length: 2 + Math.floor(random() * 4) }, (_, member) => {
      at += 1;
      return inventPerson(at, home, household % 3 === 0 && member % 2 === 1 ? other : familyName);
    });
  });
}

const names = ['givenName', 'familyName', 'birthDate', 'streetAddress', 'postalCode'] as const;

function acceptedShare(
  policy: typeof standardPolicy3,
  register: readonly Claims[],
  claims: readonly Claims[],
  use: readonly ClaimName[],
): number {
  // The row of a claim is not the id that it states.
  const rows = claims.map((claim, at) => ({ ...claim, citizenId: `${at}` }));
  const pairs: readonly LabelledPair[] = claims.map(({ citizenId = '' }, at) => ({
    claim: `${at}`,
    record: citizenId,
    same: true,
  }));
  return evaluatePolicy({ register, claims: rows, use, policy, minimum: true }, pairs).accepted / pairs.length;
}

test('the names of a household member with birth date and address of another member match in at most 0.3 %', (t) => {
  const households = inventHouseholds(200);
  const register = households.flat();
  const claims = households.flatMap((members) =>
    members.flatMap((person, at) => {
      const { givenName, familyName } = members[(at + 1) % members.length] ?? person;
      return givenName === person.givenName ? [] : [{ ...person, givenName, familyName }];
    }),
  );
  const shares = [calibratedPolicy, standardPolicy3].map((policy) => acceptedShare(policy, register, claims, names));
  t.diagnostic(`accepted: ${shares.join(', ')} of ${claims.length}`);
  assert.ok((shares[0] ?? 0) > 0.02);
  assert.ok((shares[1] ?? 1) <= 0.003);
});

test('the residents of an institution with 150 people match with a typing error in a name', () => {
  const home = { streetAddress: '1 Abbey Road', postalCode: '10115' };
  const residents = Array.from({ length: 150 }, (_, at) => inventPerson(at, home, inventFamilyName()));
  const others = inventHouseholds(200)
    .flat()
    .map((person, at) => ({ ...person, citizenId: `O-${at}` }));
  const claims = residents.map((person, at) => {
    const claim = at % 2 === 0 ? 'familyName' : 'givenName';
    return { ...person, [claim]: person[claim]?.replace(/(.)(.)$/, '$2$1') };
  });
  const register = [...residents, ...others];
  assert.ok(acceptedShare(calibratedPolicy, register, claims, names) < 0.1);
  const share = acceptedShare(standardPolicy3, register, claims, names);
  assert.ok(share >= 0.9, `${share}`);
});
