import assert from 'node:assert/strict';
import test from 'node:test';
import { euPolicy, standardPolicy } from '../../src/identity/match/policy.ts';
import { engines } from '../support/database-engines.ts';
import { type IdentityApp, verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

// Attack: a split name has words that look like particles or titles, which are ignored in keys, while names are compared without blanks.

const person = {
  givenName: 'Daniela',
  familyName: 'Draperman',
  birthDate: '1980-03-07',
  postalCode: '10115',
  birthPlace: 'Madrid',
  nationality: 'ES',
};
const givenNames = ['Daniela', 'D-aniela', 'Da niela', "D'ani-el-a", 'Dani el a'];
const familyNames = ['Draperman', 'D raperman', 'Dr aperman', 'D-r aperman', 'Dr-a-perman', 'D rap-er-man'];
const places = ['Madrid', 'Ma d rid', 'M ad rid'];

const byAddress = { policy: standardPolicy, place: 'postalCode' } as const;
const byBirth = { policy: euPolicy, place: 'birthPlace' } as const;

function claimsFor(place: 'postalCode' | 'birthPlace') {
  const { postalCode, birthPlace, nationality, ...named } = person;
  return place === 'postalCode' ? { ...named, postalCode } : { ...named, birthPlace, nationality };
}

for (const engine of engines) {
  for (const { policy, place } of [byAddress, byBirth]) {
    const open = async (t: Parameters<typeof openIdentityAppWith>[0]) => {
      const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...person }]);
      const ask = (claims: object) => verifyDecisionOf(app as IdentityApp, claims, { policyOf: () => policy });
      return { ask };
    };

    test(`${engine.name}: ${policy.name}: split names do not allow more attempts on the birth date`, async (t) => {
      const { ask } = await open(t);
      const spelled = familyNames.flatMap((familyName) => givenNames.map((givenName) => ({ givenName, familyName })));
      // Each spelling is found and matches.
      for (const names of spelled) assert.equal(await ask({ ...claimsFor(place), ...names }), 'match');
      for (let day = 10; day < 15; day += 1)
        assert.equal(await ask({ ...claimsFor(place), birthDate: `1980-03-${day}` }), 'no_match');
      const decisions = new Set<unknown>();
      for (const names of spelled) decisions.add(await ask({ ...claimsFor(place), ...names }));
      assert.deepEqual(decisions, new Set(['no_match']));
    });
  }

  test(`${engine.name}: a split place of birth does not allow more attempts on the names`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...person }]);
    const ask = (claims: object) => verifyDecisionOf(app, claims, { policyOf: () => euPolicy });
    for (const birthPlace of places) assert.equal(await ask({ ...claimsFor('birthPlace'), birthPlace }), 'match');
    const names = ['Otto Dorn', 'Eva Lang', 'Uwe Maier', 'Ilse Nolte', 'Max Roth'].map((name) => name.split(' '));
    for (const [givenName, familyName] of names)
      assert.equal(await ask({ ...claimsFor('birthPlace'), givenName, familyName }), 'no_match');
    for (const birthPlace of places) assert.equal(await ask({ ...claimsFor('birthPlace'), birthPlace }), 'no_match');
  });

  test(`${engine.name}: letters of other scripts with several readings do not allow more attempts on the birth date`, async (t) => {
    const holder = { ...person, givenName: 'Heidi', familyName: 'Hansen', documentNumber: 'B12H' };
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...holder }]);
    const { givenName, familyName, birthDate, documentNumber } = holder;
    const asked = { givenName, familyName, birthDate, documentNumber };
    // Greek and Macedonian capital letters.
    const spelled = ['H', '\u03a7', '\u0403'].flatMap((letter) => {
      const names = { givenName: `${letter}eidi`, familyName: `${letter}ansen` };
      return ['B12H', '\u039212H', `B12${letter}`].map((number) => ({ ...names, documentNumber: number }));
    });
    for (const claims of spelled) assert.equal(await verifyDecisionOf(app, { ...asked, ...claims }), 'match');
    for (let day = 10; day < 15; day += 1)
      assert.equal(await verifyDecisionOf(app, { ...asked, birthDate: `1980-03-${day}` }), 'no_match');
    for (const claims of spelled) assert.equal(await verifyDecisionOf(app, { ...asked, ...claims }), 'no_match');
  });

  test(`${engine.name}: a name shares one limit with its particle, without it and joined with it`, async (t) => {
    const berg = { givenName: 'Anna', familyName: 'von Berg', birthDate: '1980-03-07', postalCode: '10115' };
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...berg }]);
    for (let day = 10; day < 15; day += 1)
      assert.equal(await verifyDecisionOf(app, { ...berg, birthDate: `1980-03-${day}` }), 'no_match');
    for (const familyName of ['von Berg', 'Berg', 'Vonberg', 'vo n berg', 'v on B erg', 'Dr von Berg'])
      assert.equal(await verifyDecisionOf(app, { ...berg, familyName }), 'no_match', familyName);
  });
}
