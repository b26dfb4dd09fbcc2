import assert from 'node:assert/strict';
import test from 'node:test';
import { toRegisterRecord } from '../../src/identity/import/people-file.ts';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { compareRecord } from '../../src/identity/match/compare.ts';
import { standardPolicy2, standardPolicy3 } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: members of a household know the ids, birth dates and address of each other. A claim with the id of one and the name of another
// must not match. The tests below state how many values one attempt covers.

const home = { streetAddress: '3 Mill Lane', postalCode: '70173' };
const linda = { citizenId: 'C-1', givenName: 'Linda', familyName: 'Fenton', birthDate: '1953-08-06', ...home };
const richard = { citizenId: 'C-2', givenName: 'Richard', familyName: 'Fenton', birthDate: '1951-02-17', ...home };
const lindsay = { citizenId: 'C-3', givenName: 'Lindsay', familyName: 'Fenton', birthDate: '1985-08-06', ...home };

const decide = { policyOf: () => standardPolicy3 };

for (const engine of engines) {
  test(`${engine.name}: with the id, birth date and address of one household member, the names of another member do not match`, async (t) => {
    for (const registered of [[linda], [linda, richard, lindsay]]) {
      const app = await openIdentityAppWith(t, engine, registered);
      for (const givenName of ['Richard', 'Richardd', 'Lindsay', 'Lindsey', 'Lina'])
        assert.notEqual(await verifyDecisionOf(app, { ...linda, givenName }, decide), 'match', givenName);
    }
  });

  test(`${engine.name}: five attempts on the birth date with an id prevent all matches for the day`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [linda]);
    for (const day of ['07', '08', '09', '16', '26'])
      assert.equal(await verifyDecisionOf(app, { ...linda, birthDate: `1953-08-${day}` }, decide), 'no_match');
    assert.equal(await verifyDecisionOf(app, linda, decide), 'no_match');
  });
}

test('one attempt on the birth date with an id tests two dates of a century, like the policy standard-2026-2', () => {
  const record = toRegisterRecord(linda);
  const dates = Array.from({ length: 36_525 }, (_, at) =>
    new Date(Date.UTC(1920, 0, 1 + at)).toISOString().slice(0, 10),
  );
  for (const policy of [standardPolicy2, standardPolicy3]) {
    const accepted = dates.filter(
      (birthDate) => compareRecord(record, normaliseClaims({ ...linda, birthDate }), policy).decision === 'match',
    );
    assert.deepEqual(accepted, ['1953-06-08', '1953-08-06'], policy.name);
  }
});

test('one attempt on the given name with an id tests only names that the policy standard-2026-2 also tests', () => {
  const record = toRegisterRecord(linda);
  const names = [
    'Linda Lina Lindy Lynda Linde Lida Luna Lena Laura Ronda Wanda Brenda Belinda Melinda Lorinda Lidia Lucinda Lea Anna',
    'Maria Marta Karen Sandra Susan Nadia Rita Edda Gerda Hilda Wilma Emma Ida Ada Nina Mina Tina Dina Lisa Luisa Lindsay',
  ].flatMap((line) => line.split(' '));
  const [covered, coveredNow] = [standardPolicy2, standardPolicy3].map((policy) =>
    names.filter(
      (givenName) => compareRecord(record, normaliseClaims({ ...linda, givenName }), policy).decision === 'match',
    ),
  );
  assert.deepEqual(covered, ['Linda', 'Lina', 'Lindy', 'Lynda', 'Linde', 'Lida']);
  assert.deepEqual(coveredNow, ['Linda', 'Lindy', 'Lynda', 'Linde', 'Lida']);
});

test('one attempt on the address with an id tests no other address', () => {
  const record = toRegisterRecord(linda);
  const addresses = [
    ['9 Station Road', '10115'],
    ['12 Church Street', '80331'],
    ['1 Ost', '20095'],
  ];
  for (const [streetAddress = '', postalCode = ''] of addresses) {
    const claims = normaliseClaims({ ...linda, streetAddress, postalCode });
    assert.equal(compareRecord(record, claims, standardPolicy3).decision, 'no_match', streetAddress);
  }
});
