import assert from 'node:assert/strict';
import test from 'node:test';
import { calibratedPolicy, euPolicy, standardPolicy2 } from '../../src/identity/match/policy.ts';
import type { IdentityPorts } from '../../src/identity/verification/ports.ts';
import { engines } from '../support/database-engines.ts';
import { type IdentityApp, verifyDecisionOf } from '../support/identity-app.ts';
import { openIdentityAppWith } from '../support/identity-people.ts';

const people = [
  {
    citizenId: 'C-1',
    givenName: 'Anna',
    familyName: 'Berg',
    birthDate: '1980-03-07',
    postalCode: '10115',
    streetAddress: '12 Long Lane',
  },
  {
    citizenId: 'C-2',
    givenName: 'Jonas',
    familyName: 'Falk',
    birthDate: '1975-06-20',
    postalCode: '20095',
    documentNumber: 'P1234567',
  },
  { citizenId: 'C-3', givenName: 'Ida', familyName: 'Berg', birthDate: '1991-01-02', postalCode: '50667' },
];
const anna = { givenName: 'Anna', familyName: 'Berg', birthDate: '1980-03-07', postalCode: '10115' };
const jonas = { givenName: 'Jonas', familyName: 'Falk', birthDate: '1975-06-20', postalCode: '20095' };

const born = { givenName: 'Lea', familyName: 'Stern', birthDate: '1985-05-05', birthPlace: 'Köln' };

const particles = ['', 'von', 'van', 'de', 'al', 'zu', 'af', 'del', 'bin', 'de van', 'al von', 'van der'];

/** The decisions of the verifications in their order. */
async function decisionsOf(
  app: IdentityApp,
  questions: readonly object[],
  over?: Partial<IdentityPorts>,
): Promise<unknown[]> {
  const decisions: unknown[] = [];
  for (const claims of questions) decisions.push(await verifyDecisionOf(app, claims, over));
  return decisions;
}

const tolerant = { policyOf: () => calibratedPolicy };
const day = (at: number) => String(10 + at);
const types = async (app: IdentityApp, citizenId: string) =>
  (await app.events(citizenId)).map(({ type }) => type).filter((type) => type !== 'identity.verified');

for (const engine of engines) {
  test(`${engine.name}: particles before a name do not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = particles.slice(0, 5).map((particle, at) => {
      return { ...anna, familyName: `${particle} Berg`, birthDate: `1980-03-${day(at)}` };
    });
    const right = particles.map((particle) => ({ ...anna, familyName: `${particle} Berg` }));
    assert.deepEqual(new Set(await decisionsOf(app, [...wrong, ...right])), new Set(['no_match']));
  });

  test(`${engine.name}: a claim that the register lacks does not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = [0, 1, 2, 3, 4].map((at) => {
      return { ...anna, documentNumber: `X${at}`, birthDate: `1980-03-${day(at)}` };
    });
    assert.deepEqual(new Set(await decisionsOf(app, wrong)), new Set(['no_match']));
    assert.equal(await verifyDecisionOf(app, { ...anna, documentNumber: 'X9' }), 'no_match');
  });

  test(`${engine.name}: vowel variants of an Arabic name do not allow more attempts on the birth date`, async (t) => {
    const karim = { givenName: 'محمد', familyName: 'الخطيب', birthDate: '1980-03-07', postalCode: '10115' };
    const app = await openIdentityAppWith(t, engine, [{ citizenId: 'C-9', ...karim }]);
    const spellings = [
      ['Muhammad', 'Al-Khatib'],
      ['Mohammed', 'Al-Khateeb'],
      ['Mohamed', 'El Khatib'],
      ['Muhamad', 'al Khatieb'],
      ['Mohammad', 'El-Khateeb'],
    ] as const;
    const asked = spellings.map(([givenName, familyName], at) => {
      return { ...karim, givenName, familyName, birthDate: `1980-03-${day(at)}` };
    });
    assert.equal(await verifyDecisionOf(app, { ...karim, givenName: 'Mohamad', familyName: 'Al Khatib' }), 'match');
    assert.deepEqual(new Set(await decisionsOf(app, asked)), new Set(['no_match']));
    assert.equal(await verifyDecisionOf(app, { ...karim, givenName: 'Mohamad', familyName: 'Al Khatib' }), 'no_match');
  });

  test(`${engine.name}: titles and suffixes of a name do not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const written = ['Anna', 'Dr Anna', 'Prof. Dr. Anna', 'Mrs Anna', 'Rev Mrs Anna'];
    const wrong = written.map((givenName, at) => ({ ...anna, givenName, birthDate: `1980-03-${day(at)}` }));
    const right = [...written, 'Ms Anna Jr'].map((givenName) => ({ ...anna, givenName }));
    assert.deepEqual(new Set(await decisionsOf(app, [...wrong, ...right])), new Set(['no_match']));
  });

  test(`${engine.name}: date and address do not allow unlimited attempts on the names`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = ['Dorn', 'Lang', 'Maier', 'Nolte', 'Roth'].map((familyName) => ({ ...anna, familyName }));
    assert.deepEqual(new Set(await decisionsOf(app, [...wrong, anna])), new Set(['no_match']));
    const other = await openIdentityAppWith(t, engine, people);
    const { postalCode: _, ...rest } = { ...anna, streetAddress: '12 Long Lane' };
    const otherNames = ['Otto Dorn', 'Eva Lang', 'Uwe Maier', 'Ilse Nolte', 'Max Roth'].map((name) => {
      const [givenName, familyName] = name.split(' ');
      return { ...rest, givenName, familyName };
    });
    assert.deepEqual(new Set(await decisionsOf(other, [...otherNames, rest])), new Set(['no_match']));
  });

  test(`${engine.name}: a search by wallet data does not allow unlimited attempts on the names or the birth date`, async (t) => {
    const wallet = { ...born, nationality: 'DE' };
    const over = { policyOf: () => euPolicy };
    const names = ['Otto Dorn', 'Eva Lang', 'Uwe Maier', 'Ilse Nolte', 'Max Roth'].map((name, at) => {
      const [givenName, familyName] = name.split(' ');
      // With several spellings of the place, and other nationalities.
      return {
        ...wallet,
        givenName,
        familyName,
        birthPlace: at % 2 === 0 ? 'Köln' : 'Koeln',
        nationality: `DE,X${at}`,
      };
    });
    const dates = [0, 1, 2, 3, 4].map((at) => ({ ...wallet, birthDate: `1980-03-${day(at)}` }));
    for (const wrong of [names, dates]) {
      const app = await openIdentityAppWith(t, engine, [...people, { citizenId: 'C-9', ...wallet }]);
      assert.equal(await verifyDecisionOf(app, wallet, over), 'match');
      assert.deepEqual(new Set(await decisionsOf(app, wrong, over)), new Set(['no_match']));
      assert.equal(await verifyDecisionOf(app, wallet, over), 'no_match');
    }
  });

  test(`${engine.name}: attempts on the birth date with constant names are limited by a policy that requires no place`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const minimum = [[['givenName'], ['familyName'], ['birthDate']]] as const;
    const policy = { ...standardPolicy2, minimum };
    const ida = { ...people[2], citizenId: undefined, postalCode: undefined };
    assert.equal(await verifyDecisionOf(app, ida, { policyOf: () => policy }), 'match');
    // A place that the register lacks can have any value.
    const wrong = [0, 1, 2, 3, 4].map((at) => {
      return { ...ida, birthDate: `1991-02-${day(at)}`, streetAddress: `${at} Long Lane` };
    });
    assert.deepEqual(
      new Set(await decisionsOf(app, [...wrong, ida], { policyOf: () => policy })),
      new Set(['no_match']),
    );
  });

  test(`${engine.name}: other spellings of a street do not allow more attempts on the birth date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const { postalCode: _, ...rest } = anna;
    const streets = ['12 Long Lane', 'Long Lane 12', '12 LONG LN', '12 Lo ng Lane', 'LongLane 12'];
    const wrong = streets.map((streetAddress, at) => ({ ...rest, streetAddress, birthDate: `1980-03-${day(at)}` }));
    assert.deepEqual(new Set(await decisionsOf(app, wrong)), new Set(['no_match']));
    assert.equal(await verifyDecisionOf(app, { ...rest, streetAddress: '12, long lane' }), 'no_match');
    const other = await openIdentityAppWith(t, engine, [{ ...people[0], streetAddress: '12 High Street' }]);
    const high = { ...rest, streetAddress: '12 Street High' };
    assert.equal(await verifyDecisionOf(other, high), 'match');
    const dates = [0, 1, 2, 3, 4].map((at) => ({
      ...rest,
      streetAddress: '12 High St',
      birthDate: `1980-03-${day(at)}`,
    }));
    assert.deepEqual(new Set(await decisionsOf(other, [...dates, high])), new Set(['no_match']));
  });

  test(`${engine.name}: varied names do not allow more attempts on the postal code`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = particles.slice(0, 5).map((particle, at) => {
      return { ...anna, familyName: `${particle} Berg`, postalCode: `101${day(at)}` };
    });
    const right = particles.map((particle) => ({ ...anna, familyName: `${particle} Berg` }));
    assert.deepEqual(new Set(await decisionsOf(app, [...wrong, ...right])), new Set(['no_match']));
    assert.deepEqual(await types(app, 'C-1'), ['identity.guesses-spent', 'notification.accepted']);
  });

  test(`${engine.name}: exchanged names share the limit of the names as stated`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const exchanged = { ...anna, givenName: 'Berg', familyName: 'Anna' };
    const wrong = [0, 1, 2, 3, 4].map((at) => {
      return { ...(at % 2 === 0 ? anna : exchanged), birthDate: `1980-03-${day(at)}` };
    });
    assert.deepEqual(new Set(await decisionsOf(app, [...wrong, anna, exchanged])), new Set(['no_match']));
  });

  test(`${engine.name}: similar spellings of one name share the limit of the document and of the date`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const held = { ...jonas, documentNumber: 'P1234567' };
    const given = ['Jonas', 'Jona', 'Jonass', 'Jonaz', 'Yonas'];
    const dates = given.map((givenName, at) => ({ ...held, givenName, birthDate: `1975-06-${day(at)}` }));
    assert.deepEqual(new Set(await decisionsOf(app, [...dates, held])), new Set(['no_match']));
    const other = await openIdentityAppWith(t, engine, people);
    const numbers = given.map((givenName, at) => ({ ...jonas, givenName, documentNumber: `P12345${day(at)}` }));
    assert.deepEqual(new Set(await decisionsOf(other, [...numbers, held])), new Set(['no_match']));
  });

  test(`${engine.name}: a citizen at the limit by id is not found by a search, and is notified once`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const named = [0, 1, 2, 3, 4].map((at) => ({ ...anna, citizenId: 'C-1', birthDate: `1980-03-${day(at)}` }));
    assert.deepEqual(new Set(await decisionsOf(app, named)), new Set(['no_match']));
    assert.deepEqual(await decisionsOf(app, [anna, { ...anna, citizenId: 'C-1' }]), ['no_match', 'no_match']);
    assert.deepEqual(await types(app, 'C-1'), ['identity.guesses-spent', 'notification.accepted']);
  });

  test(`${engine.name}: misspelled names do not allow more attempts on the postal code with a tolerant policy`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const misspelled = ['Anne Borg', 'Enna Derg', 'Hanna Bergh', 'Onna Lerg', 'Ana Gerg'].map((name) => {
      const [givenName, familyName] = name.split(' ');
      return { ...anna, givenName, familyName };
    });
    const right = { ...anna, givenName: 'Inna', familyName: 'Merg' };
    assert.equal(await verifyDecisionOf(app, right, tolerant), 'match');
    const wrong = misspelled.map((claims, at) => ({ ...claims, postalCode: `9${day(at)}00` }));
    const decisions = await decisionsOf(app, [...wrong, right], tolerant);
    assert.deepEqual(new Set(decisions), new Set(['no_match']));
  });

  test(`${engine.name}: correct searches at the limit of a name add no failure`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    // An unregistered name with that date concerns no citizen.
    const wrong = [0, 1, 2, 3, 4].map((at) => ({
      ...anna,
      givenName: `B${'aeiou'[at]}t`,
      postalCode: `9${day(at)}00`,
    }));
    await decisionsOf(app, wrong);
    const counted = async () => {
      const rows = await app.db.read('select failures from verification_limit');
      return rows.flatMap(({ failures }) => JSON.parse(String(failures)) as unknown[]).length;
    };
    const before = await counted();
    const right = ['12 Long Lane', '12 Long Ln', 'Long Lane 12', 'long lane, 12', 'LONG LANE 12', '12 long ln'];
    const decisions = await decisionsOf(
      app,
      right.map((streetAddress) => ({ ...anna, streetAddress })),
    );
    assert.deepEqual(new Set(decisions), new Set(['no_match']));
    assert.equal(await counted(), before);
    assert.equal(await verifyDecisionOf(app, { ...anna, citizenId: 'C-1' }), 'match');
  });

  test(`${engine.name}: failed verifications of one person do not limit others with the same family name`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const wrong = [0, 1, 2, 3, 4, 5].map((at) => ({ ...anna, birthDate: `1980-03-${day(at)}` }));
    await decisionsOf(app, wrong);
    assert.equal(await verifyDecisionOf(app, { ...people[2], citizenId: undefined }), 'match');
  });

  test(`${engine.name}: a search writes the same number of rows whether it concerns a person or not`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const rows = async () => (await app.db.read('select verification_key from verification_limit')).length;
    await verifyDecisionOf(app, { ...anna, postalCode: '1' });
    const known = await rows();
    await verifyDecisionOf(app, { ...anna, givenName: 'Marta', familyName: 'Olofsson', postalCode: '1' });
    // Both searches share the key of date and postal code.
    assert.deepEqual([known, await rows()], [12, 12 + 11]);
  });

  test(`${engine.name}: a match with a wrong number or date counts as a failure, and does not match at the limit`, async (t) => {
    const app = await openIdentityAppWith(t, engine, people);
    const scopes = ['identity:verify', 'identity:verify:claims'];
    const policyOf = () => calibratedPolicy;
    const ask = async (documentNumber: string) => {
      const held = { ...jonas, citizenId: 'C-2', documentNumber };
      const answered = await app.ask('POST', held, { scopes }, { policyOf });
      return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
    };
    const decisions = [];
    for (const digit of ['0', '1', '2', '3', '4']) decisions.push(await ask(`P123456${digit}`));
    assert.deepEqual([...decisions, await ask('P1234567')], [...Array(5).fill('match'), 'no_match']);
    assert.deepEqual(await types(app, 'C-2'), ['identity.guesses-spent', 'notification.accepted']);
  });
}
