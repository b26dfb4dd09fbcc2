import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: a tolerant policy accepts similar places. An attacker who varies the place keeps only the names constant, which are no key.

const anna = { givenName: 'Anna', familyName: 'Berg', birthDate: '1980-03-07' };
const home = { streetAddress: '12 Long Lane', postalCode: '10115', documentNumber: 'P1234567' };
const varied = { streetAddress: '1 Long Lane', postalCode: '20115', documentNumber: 'P1234566' };

for (const engine of engines) {
  test(`${engine.name}: a similar place does not match in a search, and is accepted with a correct place or the id`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...anna, ...home }]);
    const ask = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => calibratedPolicy });
    for (const [claim, value] of Object.entries(varied)) {
      assert.equal(await ask({ ...anna, [claim]: value }), 'no_match');
      assert.equal(await ask({ ...anna, birthDate: '1951-11-21', [claim]: value }), 'no_match');
      assert.equal(await ask({ citizenId: 'C-1', ...anna, [claim]: value }), 'match');
    }
    assert.equal(await ask({ ...anna, ...varied, postalCode: home.postalCode }), 'match');
  });

  test(`${engine.name}: variations of another place do not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...anna, ...home }]);
    const ask = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => calibratedPolicy });
    // None is similar to the right date, which would concern the person.
    const dates = ['1951-11-21', '1962-12-19', '1973-10-28', '1991-12-11', '1955-11-16'];
    const asked = { ...anna, postalCode: home.postalCode };
    for (const [at, birthDate] of dates.entries())
      assert.equal(await ask({ ...asked, birthDate, streetAddress: `${at + 1} Long Lane` }), 'no_match');
    assert.equal(await ask({ ...asked, streetAddress: '9 Long Lane' }), 'no_match');
  });
}
