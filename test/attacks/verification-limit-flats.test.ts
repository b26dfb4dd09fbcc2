import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: a flat has many spellings, which must not count as different addresses.

const anna = { givenName: 'Anna', familyName: 'Berg', birthDate: '1980-03-07' };
const home = '12 High Street, Flat 3';
const written = [
  'Flat 3, 12 High Street',
  '3/12 High St',
  'Unit 3 12 High Street',
  '12 Street High Apt 3',
  '12 High Street #3',
];
const others = [
  'Flat 4, 12 High Street',
  'Flat 12, 4 High Street',
  '4/12 High Street',
  'Apt 5, 12 High Street',
  '5/12 High Street',
];

for (const engine of engines) {
  test(`${engine.name}: other spellings of a flat do not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...anna, streetAddress: home }]);
    const ask = (streetAddress: string, claims: object = anna) => verifyDecisionOf(app, { ...claims, streetAddress });
    for (const address of written) assert.equal(await ask(address), 'match', address);
    for (const [at, address] of written.entries())
      assert.equal(await ask(address, { ...anna, birthDate: `1980-03-1${at}` }), 'no_match');
    for (const address of [home, ...written]) assert.equal(await ask(address), 'no_match', address);
  });

  test(`${engine.name}: each other flat of a building counts as another failure, in every spelling`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...anna, streetAddress: home }]);
    for (const streetAddress of [...others, home])
      assert.equal(await verifyDecisionOf(app, { ...anna, streetAddress }), 'no_match', streetAddress);
  });

  test(`${engine.name}: an address without its flat fits with the id, and not in a search`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...anna, streetAddress: home }]);
    const streetAddress = '12 High Street';
    assert.equal(await verifyDecisionOf(app, { ...anna, streetAddress }), 'no_match');
    assert.equal(await verifyDecisionOf(app, { ...anna, streetAddress, citizenId: 'C-1' }), 'match');
    assert.equal(
      await verifyDecisionOf(app, { ...anna, streetAddress: 'Flat 4, 12 High Street', citizenId: 'C-1' }),
      'no_match',
    );
  });
}
