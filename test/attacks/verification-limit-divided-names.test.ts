import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy, standardPolicy3 } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: an attacker knows the names and address of a person, and tries birth dates in searches by a tolerant policy. Each attempt divides
// the names differently between the fields, so that it is counted under other keys.

const home = { streetAddress: '9 Canal Street', postalCode: '6009' };
const person = {
  citizenId: 'D-1',
  givenName: 'Ana Maria',
  familyName: 'Lopez Garcia',
  birthDate: '1985-03-07',
  ...home,
};

/** The divisions of one name that find the person. */
const divisions: readonly object[] = [
  { givenName: 'Ana Maria', familyName: 'Lopez Garcia' },
  { givenName: 'Ana', familyName: 'Maria Lopez Garcia' },
  { givenName: 'Ana Maria Lopez', familyName: 'Garcia' },
  { givenName: 'Ana Maria Lopez Garcia' },
  { familyName: 'Ana Maria Lopez Garcia' },
  { givenName: 'Lopez Garcia', familyName: 'Ana Maria' },
  { givenName: 'Ana Maria Lopez Garcia', familyName: 'Ana Maria Lopez Garcia' },
];

for (const engine of engines) {
  test(`${engine.name}: five wrong dates with differently divided names reach the limit of a search with each division`, async (t) => {
    for (const [at, names] of divisions.entries()) {
      const app = await openIdentityAppWith(t, engine, [person]);
      const decisionOf = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => calibratedPolicy });
      const right = { ...names, ...home, birthDate: person.birthDate };
      const others = divisions.filter((_, other) => other !== at).slice(0, 5);
      for (const [day, other] of others.entries())
        assert.equal(await decisionOf({ ...other, ...home, birthDate: `1961-11-${21 + day}` }), 'no_match');
      assert.equal(await decisionOf(right), 'no_match', JSON.stringify(names));
    }
  });
}

const added = 'Anke Bora Cora Doro Elke Fips Moritz Egon Knut Odo'.split(' ');

for (const engine of engines) {
  test(`${engine.name}: five wrong dates with other words added to the names reach the limit of a search`, async (t) => {
    const maria = { ...person, givenName: 'Maria', familyName: 'Zwiebelmann' };
    const app = await openIdentityAppWith(t, engine, [maria]);
    const claimsAt = (at: number) => ({
      ...home,
      givenName: `${added[at]} Maria`,
      familyName: `${added[at + 5]} Zwiebelmann`,
    });
    const decisionOf = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => standardPolicy3 });
    for (const day of [0, 1, 2, 3, 4])
      assert.equal(await decisionOf({ ...claimsAt(day), birthDate: `1961-11-${21 + day}` }), 'no_match');
    const { citizenId: _, ...right } = maria;
    assert.equal(await decisionOf(right), 'no_match');
  });

  test(`${engine.name}: a search with initials or beginnings of both names finds nobody`, async (t) => {
    const hans = { ...person, givenName: 'Hans', familyName: 'Meier' };
    const app = await openIdentityAppWith(t, engine, [
      hans,
      { ...person, citizenId: 'D-2', givenName: null, familyName: 'Ani Sukarno' },
    ]);
    const { citizenId: _, ...right } = hans;
    const decisionOf = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => standardPolicy3 });
    assert.equal(await decisionOf(right), 'match');
    for (const names of [
      { givenName: 'H', familyName: 'M' },
      { givenName: 'M', familyName: 'H' },
      { givenName: 'Han', familyName: 'Mei' },
      { familyName: 'S' },
    ])
      assert.equal(
        await decisionOf({ birthDate: person.birthDate, ...home, ...names }),
        'no_match',
        JSON.stringify(names),
      );
  });
}

for (const engine of engines) {
  test(`${engine.name}: a search by the default policy finds nobody if both names are misspelled`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [person]);
    const decisionOf = (names: object) => {
      const { citizenId: _, ...claims } = { ...person, ...names };
      return verifyDecisionOf(app, claims, { policyOf: () => standardPolicy3 });
    };
    assert.equal(await decisionOf({ familyName: 'Lopez Garxia' }), 'match');
    assert.equal(await decisionOf({ givenName: 'Ana Marxa' }), 'match');
    assert.equal(await decisionOf({ givenName: 'Ana Marxa', familyName: 'Lopez Garxia' }), 'no_match');
  });
}
