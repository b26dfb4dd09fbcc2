import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy } from '../../src/identity/match/policy.ts';
import { engines } from '../engines.ts';
import { decisionOf } from '../identity-house.ts';
import { openHouseOf } from '../identity-people.ts';

// A tolerant policy lets a place differ a little: whoever varies it holds the names alone.

const anna = { givenName: 'Anna', familyName: 'Berg', birthDate: '1980-03-07' };
const home = { streetAddress: '12 Long Lane', postalCode: '10115', documentNumber: 'P1234567' };
const varied = {
  streetAddress: ['1 Long Lane', '2 Long Lane', '3 Long Lane', '4 Long Lane', '5 Long Lane', '6 Long Lane'],
  postalCode: ['20115', '30115', '40115', '50115', '60115', '70115'],
  documentNumber: ['P1234566', 'P1234565', 'P1234564', 'P1234563', 'P1234562', 'P1234561'],
};
// None of them is near to the date that is sought, which would concern the person.
const dates = ['1951-11-21', '1962-12-19', '1973-10-28', '1991-12-11', '1955-11-16'];

for (const engine of engines) {
  for (const [claim, values] of Object.entries(varied)) {
    test(`${engine.name}: who holds the names cannot try dates under a varied ${claim}, where a policy forgives it`, async (t) => {
      const house = await openHouseOf(t, engine, [{ citizenId: 'C-1', ...anna, ...home }]);
      const ask = (claims: object) => decisionOf(house, claims, { policyOf: () => calibratedPolicy });
      const [first, ...others] = values;
      assert.equal(await ask({ ...anna, [claim]: first }), 'match');
      for (const [at, value] of others.entries())
        assert.equal(await ask({ ...anna, [claim]: value, birthDate: dates[at] }), 'no_match');
      assert.equal(await ask({ ...anna, [claim]: values.at(-1) }), 'no_match');
    });
  }
}
