import assert from 'node:assert/strict';
import test from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { importPeople, openIdentityAppWith } from '../../../test/support/identity-people.ts';
import { ambiguitySearch } from '../ambiguity/ambiguity-search.ts';
import { normaliseClaims } from '../match/comparable.ts';
import { calibratedPolicy } from '../match/policy.ts';
import { nameSearchKeys } from '../names/name-key.ts';
import { formsOf } from '../names/normalise.ts';
import type { Claims } from '../register/claims.ts';
import {
  type CompetingCandidates,
  maxCandidates,
  maxFamilyMembers,
  type RegisterRecord,
  type SearchKeys,
} from '../register/register.ts';
import { createRegisterIndex } from './register-index.ts';

const given = ['Jon', 'Jón', 'Jean', 'Юрий', 'Ana Maria', undefined];
const family = ['Silva', 'van der Berg', 'Vanderberg', 'Щукин', 'Jean', 'Müller', undefined];
const dates = ['1980-02-07', '1980-02', '1980', '1980-02-08', '1981-02-07', undefined];
const homes = [
  { streetAddress: '1 High Street', postalCode: '1000' },
  { streetAddress: '1 High Street', postalCode: '2000' },
  { streetAddress: '7 Quay' },
  {},
];
const former = [undefined, [{ familyName: 'Rossi' }, { givenName: 'Jon' }], [{ familyName: 'Silva', until: '2020' }]];
const atBirth = [undefined, undefined, 'Rossi', 'Berg'];

/** People who share names, birth dates and addresses. Each list has another length, so that the combinations differ. */
const mixed = Array.from({ length: 90 }, (_, at) => ({
  citizenId: `C-${at}`,
  givenName: given[at % given.length],
  familyName: family[at % family.length],
  birthDate: dates[Math.floor(at / 2) % dates.length],
  birthFamilyName: atBirth[Math.floor(at / 3) % atBirth.length],
  formerNames: former[Math.floor(at / 5) % former.length],
  ...homes[Math.floor(at / 4) % homes.length],
}));

/** People who exceed each limit by one: with one birth date, family name, full name or address. */
const sharing = (count: number, person: Claims) =>
  Array.from({ length: count }, (_, at) => ({
    citizenId: `${person.familyName ?? person.postalCode}-${at}`,
    ...person,
  }));
const limitGroups = [
  ...sharing(maxCandidates, { familyName: 'Day', birthDate: '1990-01-01' }),
  ...sharing(maxCandidates, { familyName: 'Noon', birthDate: '1990-01-02' }),
  ...sharing(1, { familyName: 'Eve', birthDate: '1990-01-02' }),
  ...sharing(maxFamilyMembers + 1, { familyName: 'Clan' }),
  ...sharing(maxFamilyMembers, { familyName: 'Kin' }),
  ...sharing(maxCandidates + 1, { familyName: 'Same', givenName: 'Sam' }),
  ...sharing(maxCandidates, { familyName: 'Few', givenName: 'Sam' }),
  ...sharing(maxCandidates + 1, { streetAddress: '9 Hall', postalCode: '9000' }),
  ...sharing(maxCandidates, { streetAddress: '9 Hall', postalCode: '9001' }),
];

const idsOf = (records: readonly RegisterRecord[]) => records.map(({ citizenId }) => citizenId).sort();
const answerOf = ({ records, tooMany, tooManyNeighbours }: CompetingCandidates) =>
  tooMany || tooManyNeighbours ? 'too-many' : idsOf(records);

for (const engine of engines) {
  test(`${engine.name}: a register in memory finds the same people as the embedded register`, async (t) => {
    const app = await openIdentityAppWith(t, engine, mixed);
    await importPeople(t, app, limitGroups);
    const { register } = app.ports;
    const records: RegisterRecord[] = [];
    for (const { citizenId } of [...mixed, ...limitGroups]) {
      const record = await register.find(citizenId);
      assert.ok(record);
      records.push(record);
    }
    const index = createRegisterIndex(records);
    const claims: readonly Claims[] = [
      { givenName: 'Jon', familyName: 'Silva', birthDate: '1980-02-07', ...homes[0] },
      { givenName: 'Jean', familyName: 'Berg', birthDate: '1980-02', postalCode: '2000' },
      { givenName: 'Yuriy', familyName: 'Rossi', birthDate: '1980', streetAddress: '7 Quay' },
      { familyName: 'Shchukin', birthDate: '1981-02-07' },
      { familyName: 'Day', birthDate: '1990-01-01' },
      { familyName: 'Noon', birthDate: '1990-01-02' },
      { familyName: 'Clan' },
      { familyName: 'Kin' },
      { familyName: 'Same', givenName: 'Sam' },
      { familyName: 'Few', givenName: 'Sam' },
      { streetAddress: '9 Hall', postalCode: '9000' },
      { streetAddress: '9 Hall', postalCode: '9001' },
    ];
    const found = { days: 0, others: 0, twins: 0 };
    for (const record of records.filter(({ citizenId }) => /^(?:C-[0-3]|Kin-0)$/.test(citizenId)))
      for (const asked of claims) {
        const { days, others } = ambiguitySearch(record, normaliseClaims(asked), calibratedPolicy);
        const familyKeys = [asked.familyName, asked.givenName].flatMap((name) => nameSearchKeys(formsOf(name ?? '')));
        const byNames = (familyKeys.length === 0 ? [] : days).map(({ birthDate }) => ({ familyKeys, birthDate }));
        for (const keys of [...days, ...byNames] satisfies SearchKeys[]) {
          const ids = idsOf(await register.search(keys));
          assert.deepEqual(idsOf(index.search(keys)), ids, JSON.stringify(keys));
          found.days += ids.length;
        }
        const expected = answerOf(await register.searchCompeting(others));
        assert.deepEqual(answerOf(index.searchCompeting(others)), expected, JSON.stringify(others));
        found.others += expected.length;
        for (const keys of byNames) {
          const twins = idsOf(await register.searchExactNamesakes(keys));
          assert.deepEqual(idsOf(index.searchExactNamesakes(keys)), twins, JSON.stringify(keys));
          found.twins += twins.length;
        }
      }
    assert.ok(Math.min(...Object.values(found)) > 100, JSON.stringify(found));
  });
}
