import assert from 'node:assert/strict';
import test from 'node:test';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { calibratedPolicy, euPolicy, standardPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import { verificationKeysOf } from '../../src/identity/verification-limit/verification-keys.ts';
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

const minJun = {
  givenName: 'Min Jun',
  familyName: 'Kim Park',
  birthDate: '1980-03-07',
  streetAddress: '1 Main St',
  postalCode: '10115',
};
/** The same words in other fields, and family names without a word. */
const dividedNames: readonly { readonly givenName?: string; readonly familyName?: string }[] = [
  { familyName: 'Kim Park Min Jun' },
  { givenName: 'Min Jun Kim Park' },
  { givenName: 'Kim Park Min Jun', familyName: 'Kim Park' },
  { givenName: 'FNU', familyName: 'Kim Park Min Jun' },
  { givenName: 'Park Min Jun', familyName: 'Kim' },
  { givenName: 'Kim Park', familyName: 'Min Jun' },
  { givenName: 'Kim', familyName: 'Park Min-Jun' },
];
const shortenedNames = [
  { givenName: 'Min Jun', familyName: 'Kim' },
  { givenName: 'Min Jun', familyName: 'Park' },
];

test('names that are divided differently share a verification key of a search with each address', () => {
  const keysOf = (names: object) => {
    const { streetAddress, postalCode, birthDate } = minJun;
    const claims = { ...names, birthDate, streetAddress, postalCode };
    return new Set(verificationKeysOf(new Uint8Array(32), claims, normaliseClaims(claims), calibratedPolicy).keys);
  };
  const { givenName, familyName } = minJun;
  const [first, other] = [keysOf({ givenName, familyName }), keysOf({ givenName: 'Eva', familyName: 'Lang' })];
  for (const names of dividedNames) {
    // One for the birth date, and one for each key of the address.
    assert.ok(keysOf(names).intersection(first).size >= 3 + addressKeys, JSON.stringify(names));
    assert.equal(keysOf(names).intersection(other).size, addressKeys, JSON.stringify(names));
  }
});

/** The keys of the birth date with the street (its name, and as written) and the postal code. */
const addressKeys = 3;

for (const engine of engines) {
  test(`${engine.name}: a claim with many given names does not test all of them in one attempt`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...minJun, givenName: 'Eva' }]);
    const givenName = 'Anna Maria Julia Eva';
    const { familyName, birthDate } = minJun;
    const claims = { citizenId: 'C-1', givenName, familyName, birthDate };
    assert.equal(await verifyDecisionOf(app, claims, { policyOf: () => standardPolicy2 }), 'no_match');
  });

  for (const policy of [standardPolicy2, calibratedPolicy]) {
    test(`${engine.name}: ${policy.name}: names in other fields do not allow more attempts on the birth date of an id`, async (t) => {
      const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...minJun }]);
      const ask = (claims: object) =>
        verifyDecisionOf(app, { citizenId: 'C-1', ...claims }, { policyOf: () => policy });
      const spelled = policy === standardPolicy2 ? dividedNames : [...dividedNames, ...shortenedNames];
      for (const names of spelled)
        assert.equal(await ask({ ...names, birthDate: '1980-03-07' }), 'match', JSON.stringify(names));
      for (const [at, names] of spelled.slice(0, 5).entries())
        assert.equal(await ask({ ...names, birthDate: `1991-06-1${at}` }), 'no_match');
      for (const names of spelled) assert.equal(await ask({ ...names, birthDate: '1980-03-07' }), 'no_match');
    });
  }
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

  test(`${engine.name}: a name with its particle, without it and joined with it has one limit`, async (t) => {
    const berg = { givenName: 'Anna', familyName: 'von Berg', birthDate: '1980-03-07', postalCode: '10115' };
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-1', ...berg }]);
    for (let day = 10; day < 15; day += 1)
      assert.equal(await verifyDecisionOf(app, { ...berg, birthDate: `1980-03-${day}` }), 'no_match');
    for (const familyName of ['von Berg', 'Berg', 'Vonberg', 'vo n berg', 'v on B erg', 'Dr von Berg'])
      assert.equal(await verifyDecisionOf(app, { ...berg, familyName }), 'no_match', familyName);
  });
}
