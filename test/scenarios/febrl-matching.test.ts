import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import { parseMapping } from '../../src/identity/import/import-fields.ts';
import { normaliseClaims } from '../../src/identity/match/comparable.ts';
import { compareRecord } from '../../src/identity/match/compare.ts';
import { standardPolicy } from '../../src/identity/match/policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';
import { engines } from '../support/database-engines.ts';
import { openIdentityApp } from '../support/identity-app.ts';
import { testDataPath, testDataSkipReason } from '../support/test-data.ts';

const mapping = parseMapping({
  citizenId: 'rec_id',
  givenName: 'given_name',
  familyName: 'surname',
  birthDate: { column: 'date_of_birth', format: 'YYYYMMDD' },
  streetAddress: ['street_number', 'address_1'],
  postalCode: 'postcode',
  locality: 'suburb',
  documentNumber: 'soc_sec_id',
});

/** All values of the row as claims. */
function claimsOf(row: Readonly<Record<string, string>>): Claims {
  const {
    rec_id,
    given_name,
    surname,
    date_of_birth = '',
    street_number,
    address_1,
    postcode,
    suburb,
    soc_sec_id,
  } = row;
  const claims = {
    citizenId: rec_id,
    givenName: given_name,
    familyName: surname,
    birthDate: date_of_birth.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'),
    streetAddress: [street_number, address_1].filter((part) => part !== '').join(' '),
    postalCode: postcode,
    locality: suburb,
    documentNumber: soc_sec_id,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ''));
}

for (const engine of engines) {
  test(`${engine.name}: each of 4,000 imported citizens matches their own claims and not those of another citizen`, async (t) => {
    const path = testDataPath('febrl/dataset2.csv');
    if (path === undefined) return t.skip(testDataSkipReason);
    const app = await openIdentityApp(t, engine);
    const conditions = [{ column: 'rec_id', pattern: 'rec-*-org' }];
    const { progress } = await app.importFile({ path, mapping, conditions });
    assert.deepEqual([progress.read, progress.stored, progress.leftOut, progress.refused], [5_000, 4_000, 1_000, 0]);

    const rows: Record<string, string>[] = parse(readFileSync(path), { columns: true, trim: true });
    const people = rows.filter(({ rec_id = '' }) => rec_id.endsWith('-org')).map(claimsOf);
    const wrong: string[] = [];
    for (const [at, own] of people.entries()) {
      const { citizenId = '' } = own;
      const record = await app.ports.register.find(citizenId);
      assert.notEqual(record, undefined);
      if (record === undefined) continue;
      const decide = (claims: Claims) => compareRecord(record, normaliseClaims(claims), standardPolicy).decision;
      const neighbour = people[(at + 1) % people.length] ?? {};
      if (decide(own) !== 'match') wrong.push(`${citizenId} own`);
      if (decide({ ...neighbour, citizenId }) !== 'no_match') wrong.push(`${citizenId} neighbour`);
    }
    assert.deepEqual([people.length, wrong], [4_000, []]);

    // Some of them also through the operation, with and without an id.
    for (const own of people.slice(0, 100)) {
      const { citizenId: _, ...withoutId } = own;
      assert.equal((await app.verify(own))['decision'], 'match');
      const whole = own.givenName !== undefined && own.familyName !== undefined && own.birthDate !== undefined;
      if (whole) assert.equal((await app.verify(withoutId))['decision'], 'match');
    }
  });
}
