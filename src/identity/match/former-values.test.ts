import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import type { IdentityApp } from '../../../test/support/identity-app.ts';
import { importPeople, makeIdentityFolder, openIdentityAppWith } from '../../../test/support/identity-people.ts';
import { decoyRecord } from './compare.ts';
import { withCountedFormerValues } from './former-values.ts';
import { euPolicy, type MatchPolicy, standardPolicy, standardPolicy2 } from './policy.ts';

/** Eva Berg was born Lund, was called Holm until 2024, moved in 2025, and will be called Strand. The clock of the app is in 2026. */
const eva = {
  citizenId: 'E-1',
  givenName: 'Eva',
  familyName: 'Berg',
  birthFamilyName: 'Lund',
  birthDate: '1985-05-17',
  documentNumber: 'X100',
  streetAddress: '4 Mill Lane',
  postalCode: '20001',
  formerNames: [
    { givenName: 'Eva', familyName: 'Holm', from: '2010-06-01', until: '2024-08-31' },
    { familyName: 'Vik', from: '2005', until: '2010-05-31' },
    { familyName: 'Strand', from: '2026-09-01' },
  ],
  formerAddresses: [
    { streetAddress: '9 High Street', postalCode: '10009', until: '2025-02-28' },
    { streetAddress: '1 Old Road', postalCode: '30003', until: '2015' },
    { streetAddress: '5 Mill Lane', postalCode: '20001', until: '2025-12-31' },
  ],
};
const asked = { citizenId: 'E-1', givenName: 'Eva', familyName: 'Berg', birthDate: '1985-05-17' };

async function decisionOf(app: IdentityApp, claims: object, policy: MatchPolicy = standardPolicy2): Promise<unknown> {
  const answered = await app.ask('POST', claims, {}, { policyOf: () => policy });
  return 'json' in answered ? answered.json['decision'] : answered.refusal.slug;
}

for (const engine of engines) {
  test(`${engine.name}: a former name counts within its dates, by policies that permit it, and not with a second deviation`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [eva]);
    const byName = async (familyName: string, policy?: MatchPolicy) =>
      await decisionOf(app, { ...asked, familyName }, policy);
    assert.deepEqual(
      [await byName('Berg'), await byName('HOLM'), await byName('Lund'), await byName('Vik'), await byName('Strand')],
      ['match', 'match', 'match', 'no_match', 'no_match'],
    );
    assert.deepEqual([await byName('Holm', standardPolicy), await byName('Holm', euPolicy)], ['no_match', 'no_match']);
    const long = { ...standardPolicy2, former: { nameYears: 20, addressYears: 2 } };
    assert.equal(await byName('Vik', long), 'match');
    const twoSlips = { ...asked, familyName: 'Holm', givenName: 'Evva' };
    assert.equal(await decisionOf(app, twoSlips), 'no_match');
  });

  test(`${engine.name}: a former address counts only as a whole and within its dates`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [eva]);
    const at = async (streetAddress: string, postalCode: string) =>
      await decisionOf(app, { ...asked, streetAddress, postalCode });
    assert.deepEqual(
      [
        await at('4 Mill Lane', '20001'),
        await at('9 High Street', '10009'),
        await at('9 High Street', '20001'),
        await at('1 Old Road', '30003'),
      ],
      ['match', 'match', 'no_match', 'no_match'],
    );
    assert.equal(await decisionOf(app, { ...asked, streetAddress: '9 High Street' }), 'match');
    // A present value does not count as former, even if it is in the list.
    assert.equal(await decisionOf(app, { ...asked, postalCode: '20001' }, standardPolicy), 'match');
    await importPeople(t, app, [{ citizenId: 'E-1', formerNames: [] }]);
    assert.equal(await at('9 High Street', '10009'), 'match');
  });

  test(`${engine.name}: a claim that matched a former value is not attested in the signed result`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [eva]);
    const policyOf = () => standardPolicy2;
    const answered = await app.ask('POST', { ...asked, familyName: 'Holm' }, {}, { policyOf });
    const { payload } = await app.openToken('json' in answered && answered.json['token']);
    assert.deepEqual((payload['verified_claims'] as { claims: object }).claims, {
      citizen_id: 'E-1',
      given_name: 'Eva',
      birthdate: '1985-05-17',
    });
  });

  test(`${engine.name}: a search finds a person by a former name and the name at birth, also after the birth date was corrected`, async (t) => {
    const app = await openIdentityAppWith(t, engine, [eva]);
    const { citizenId: _, ...search } = { ...asked, documentNumber: 'X100' };
    assert.equal(await decisionOf(app, { ...search, familyName: 'Holm' }), 'match');
    assert.equal(await decisionOf(app, { ...search, familyName: 'Lund' }), 'match');
    await importPeople(t, app, [{ citizenId: 'E-1', birthDate: '1985-05-18' }]);
    assert.equal(await decisionOf(app, { ...search, birthDate: '1985-05-18', familyName: 'Holm' }), 'match');
    await importPeople(t, app, [{ citizenId: 'E-1', formerNames: [] }]);
    assert.equal(await decisionOf(app, { ...search, birthDate: '1985-05-18', familyName: 'Holm' }), 'no_match');
    assert.equal(await decisionOf(app, { ...search, birthDate: '1985-05-18', familyName: 'Lund' }), 'match');
  });
}

test('a former value counts from its first day to the last day of the permitted years', () => {
  const counts = (span: { from?: string; until?: string }, today: string) => {
    const record = { ...decoyRecord, formerNames: [{ familyName: 'Holm', ...span }] };
    return withCountedFormerValues(record, standardPolicy2, today).formerNames?.length === 1;
  };
  const ends = [
    ['2021-02-28', '2026-02-28', '2026-03-01'],
    ['2021', '2026-12-31', '2027-01-01'],
  ] as const;
  for (const [until, last, next] of ends)
    assert.deepEqual([counts({ until }, last), counts({ until }, next)], [true, false], until);
  const from = '2026-03-01';
  assert.deepEqual([counts({ from }, '2026-02-28'), counts({ from }, from)], [false, true]);
});

test('a list of former values can be JSON text in a CSV file, and an invalid list is rejected with its reason', async (t) => {
  const [sqlite] = engines;
  const app = await openIdentityAppWith(t, sqlite as (typeof engines)[number], [eva]);
  const path = join(makeIdentityFolder(t), 'people.csv');
  const rows = [
    `A,Ann,"[{""familyName"":""Old"",""until"":""2025""}]"`,
    'B,Bea,since 2010',
    `C,Cleo,"[{""surname"":""Old""}]"`,
    `D,Dina,"[{""familyName"":""Old"",""until"":""31.12.2025""}]"`,
    'E,Edda,',
    'F,Finn,"[{""familyName"":""Ol\\u0000d""}]"',
    'G,Gerd,"[{""familyName"":""Ol\ufffdd""}]"',
  ];
  writeFileSync(path, ['citizenId,givenName,formerNames', ...rows].join('\n'));
  const { progress } = await app.importFile({ path });
  assert.deepEqual([progress.stored, progress.refused], [2, 5]);
  assert.deepEqual(Object.keys(progress.reasons), [
    'formerNames is not a JSON list of at most 10 objects with givenName, familyName, from, until',
  ]);
  assert.deepEqual((await app.ports.register.find('A'))?.formerNames, [{ familyName: 'Old', until: '2025' }]);
});
