import assert from 'node:assert/strict';
import test from 'node:test';
import { standardPolicy3 } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: members of a household know the ids, birth dates and address of each other. A claim with the id of one and the name of another
// must not match, and an attacker with an id must not try more values with one attempt than there are.

const home = { streetAddress: '3 Mill Lane', postalCode: '70173' };
const linda = { citizenId: 'C-1', givenName: 'Linda', familyName: 'Fenton', birthDate: '1953-08-06', ...home };
const richard = { citizenId: 'C-2', givenName: 'Richard', familyName: 'Fenton', birthDate: '1951-02-17', ...home };
const lindsay = { citizenId: 'C-3', givenName: 'Lindsay', familyName: 'Fenton', birthDate: '1985-08-06', ...home };

const decide = { policyOf: () => standardPolicy3 };

for (const engine of engines) {
  test(`${engine.name}: with the id, date and address of one member, the names of another do not match`, async (t) => {
    for (const registered of [[linda], [linda, richard, lindsay]]) {
      const app = await openIdentityAppWith(t, engine, registered);
      for (const givenName of ['Richard', 'Richardd', 'Lindsay', 'Lindsey', 'Lina'])
        assert.notEqual(await verifyDecisionOf(app, { ...linda, givenName }, decide), 'match', givenName);
    }
  });

  test(`${engine.name}: five attempts on the birth date with an id cover at most ten dates`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [linda]);
    const dates = Array.from({ length: 28 }, (_, at) => `1953-08-${String(at + 1).padStart(2, '0')}`);
    const exchanged = '1953-06-08';
    const accepted: string[] = [];
    for (const birthDate of [...dates, exchanged]) {
      const fresh = await openIdentityAppWith(t, engine, [linda]);
      if ((await verifyDecisionOf(fresh, { ...linda, birthDate }, decide)) === 'match') accepted.push(birthDate);
    }
    // A match covers the date and the one with day and month exchanged.
    assert.deepEqual(accepted, ['1953-08-06', exchanged]);
    for (const birthDate of dates.slice(8, 13))
      assert.equal(await verifyDecisionOf(app, { ...linda, birthDate }, decide), 'no_match');
    assert.equal(await verifyDecisionOf(app, linda, decide), 'no_match');
  });
}
