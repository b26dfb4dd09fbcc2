import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: names in several scripts, with words that may be particles, have thousands of readings, and each reading is a key.

const mixed = 'van Дэ al χя ü jr de хъ ラ la щё ß st γє ö dr жї';
const claims = {
  givenName: mixed,
  familyName: `${mixed} ${mixed}`,
  birthDate: '1980-03-07',
  birthPlace: mixed,
  streetAddress: `1 ${mixed}`,
  postalCode: `${mixed} 1`,
  documentNumber: `${mixed} 2`,
};
const mostRows = 201;

for (const engine of engines) {
  test(`${engine.name}: a search in mixed scripts writes at most ${mostRows} rows, and no new ones when it is repeated`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...claims, givenName: 'Anna' }]);
    const rows = async () => (await app.db.read('select verification_key from verification_limit')).length;
    for (let times = 0; times < 2; times += 1) {
      assert.equal(await verifyDecisionOf(app, claims, { policyOf: () => calibratedPolicy }), 'no_match');
      const written = await rows();
      assert.ok(written > 20 && written <= mostRows, `${written} rows`);
    }
  });

  test(`${engine.name}: a name in mixed scripts is found in its registered spelling, and has the usual limit`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...claims }]);
    assert.equal(await verifyDecisionOf(app, claims), 'match');
    for (let day = 10; day < 15; day += 1)
      assert.equal(await verifyDecisionOf(app, { ...claims, birthDate: `1980-03-${day}` }), 'no_match');
    assert.equal(await verifyDecisionOf(app, claims), 'no_match');
  });
}
