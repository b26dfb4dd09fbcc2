import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Database, SqlValue } from '../../src/db/database.ts';
import { countRegister } from '../../src/identity/import/count-register.ts';
import { streetKey } from '../../src/identity/names/name-key.ts';
import { maxCandidates, type SearchKeys } from '../../src/identity/register/register.ts';
import { createEmbeddedRegister } from '../../src/identity/register-adapters/embedded-register.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { openIdentityApp } from '../support/identity-app.ts';
import { makeIdentityFolder } from '../support/identity-people.ts';

const common = { family: 'Nguyen', birthDate: '1970-01-01' };

/** A quarter of this register shares one family name and birth date, as in countries where offices assigned birth dates. */
function* people(count: number): Generator<string> {
  yield 'citizenId,givenName,familyName,birthFamilyName,birthDate,streetAddress,postalCode';
  for (let at = 0; at < count; at += 1) {
    const tooMany = at % 4 === 0;
    const day = `19${40 + (at % 60)}-${String(1 + (at % 12)).padStart(2, '0')}-${String(1 + (at % 28)).padStart(2, '0')}`;
    const family = tooMany ? common.family : `Name${at % 997}`;
    // Enough people have a name at birth to make a scan slower than the index, on both engines.
    yield `C-${at},Given${at},${family},Born${at % 997},${tooMany ? common.birthDate : day},${at} Street,${1000 + at}`;
  }
}

const searches: Readonly<Record<string, SearchKeys>> = {
  'by names and day': { familyKeys: ['nguien', 'given4'], birthDate: common.birthDate },
  'by names and a year': { familyKeys: ['nguien', 'given4'], birthDate: '1970' },
  'by the day, whatever the name': { familyKeys: ['name5', 'given4'], birthDate: '1955-04-16', anyName: true },
  'by a frequent day': { familyKeys: ['nguien', 'given4'], birthDate: common.birthDate, anyName: true },
  'by a frequent name and day, narrowed': {
    familyKeys: ['nguien', 'given4'],
    birthDate: common.birthDate,
    otherDates: ['1970-01', '1970'],
    anyName: true,
    details: { street: streetKey('4 Street'), postalCode: '1004', documentNumber: 'X1' },
  },
  'by the name at birth': { familyKeys: ['born4', 'given4'], birthDate: common.birthDate },
};

/** The query plan of a statement as text. */
async function planOf(db: Database, sql: string, args: readonly SqlValue[] | undefined): Promise<string> {
  const explain = db.engine === 'sqlite' ? 'explain query plan' : 'explain';
  const rows = await db.read(`${explain} ${sql}`, args);
  return rows.map((row) => Object.values(row).join(' ')).join('\n');
}

async function openLargeRegister(t: Parameters<Engine['open']>[0], engine: Engine) {
  const app = await openIdentityApp(t, engine);
  const path = join(makeIdentityFolder(t), 'people.csv');
  writeFileSync(path, [...people(20_000)].join('\n'));
  await app.importFile({ path });
  // The planner of PostgreSQL needs statistics, which a server collects automatically later.
  if (app.db.engine === 'postgres') for (const table of tables) await app.db.read(`analyze ${table}`);
  return app;
}

const tables = ['citizen', 'former_name'];

for (const engine of engines) {
  test(`${engine.name}: every search uses an index and returns at most the number of records that can be compared`, async (t) => {
    const { db } = await openLargeRegister(t, engine);
    const asked: string[] = [];
    const register = createEmbeddedRegister(async (sql, args) => {
      asked.push(`${(await planOf(db, sql, args)).toLowerCase()}`);
      return await db.read(sql, args);
    });
    for (const [name, keys] of Object.entries(searches)) {
      const found = await register.search(keys);
      assert.ok(found.length > 0 && found.length <= 2 * (maxCandidates + 1), `${name}: ${found.length}`);
    }
    await register.find('C-7');
    assert.equal(asked.length, 18);
    const competingKeys = {
      names: ['nguien', 'given4'],
      families: ['name5'],
      streets: [streetKey('4 Street') ?? 0],
      postalCodes: ['1004'],
    };
    const { records, tooMany } = await register.searchCompeting(competingKeys);
    assert.deepEqual([records.length, tooMany], [51, false]);
    const twins = await register.searchExactNamesakes({
      familyKeys: ['nguien', 'given4'],
      birthDate: common.birthDate,
    });
    // Keys collapse repeated letters, so Given44 is found too. Comparison distinguishes it.
    assert.deepEqual(twins.map(({ citizenId }) => citizenId).sort(), ['C-4', 'C-44', 'C-444', 'C-4444']);
    assert.equal(asked.length, 22);
    const scans = asked.filter((plan) => /seq scan|\bscan (citizen|former_name)\b/.test(plan));
    assert.deepEqual(scans, []);
    assert.ok(asked.every((plan) => /index|primary key/.test(plan)));
    // For a frequent family name only records with the other name or the date are read.
    assert.ok(asked.some((plan) => /(search citizen|index cond).*family_key\b.* and .*given_key\b/.test(plan)));
    assert.ok(asked.some((plan) => /(search citizen|index cond).*birth_date\b.* and .*family_key\b/.test(plan)));
    // For a frequent family name other years are not read. SQLite reads the records of the year.
    const ofYear =
      db.engine === 'sqlite'
        ? /search citizen .*\(birth_date>\? and birth_date<\?\)/
        : /family_key .* and \(birth_date >=/;
    assert.ok(asked.some((plan) => ofYear.test(plan)));
    // Records with the same street in another town are not read.
    assert.ok(asked.some((plan) => /(search citizen|index cond).*street_key\b.* and .*postal_code\b/.test(plan)));
  });

  test(`${engine.name}: a person with thousands of namesakes is found by the stated claims, and otherwise not determined`, async (t) => {
    const app = await openLargeRegister(t, engine);
    assert.equal(await countRegister(app.importDeps, { operator: 'test' }), 20_000);
    const { family: familyName, birthDate } = common;
    const claims = { givenName: 'Given4', familyName, birthDate, postalCode: '1004' };
    assert.equal((await app.verify(claims))['decision'], 'match');
    assert.equal((await app.verify({ ...claims, postalCode: '1' }))['decision'], 'no_match');
    // The indexed address finds one of 5,000 of this name and date, whatever their order.
    const { givenName: _, ...last } = { ...claims, streetAddress: '19996 Street', postalCode: '20996' };
    assert.equal((await app.verify({ ...last, givenName: 'Given19996' }))['decision'], 'match');
    const { postalCode: __, ...known } = claims;
    assert.equal((await app.verify({ ...known, citizenId: 'C-4' }))['decision'], 'match');
  });

  test(`${engine.name}: more people of one name, date and postal code than can be compared are not determined`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const path = join(makeIdentityFolder(t), 'people.csv');
    const person = 'Ana,Silva,1980-02-07,1000';
    const rows = Array.from({ length: maxCandidates + 1 }, (_, at) => `C-${at},${person}`);
    writeFileSync(path, ['citizenId,givenName,familyName,birthDate,postalCode', ...rows].join('\n'));
    await app.importFile({ path });
    const claims = { givenName: 'Ana', familyName: 'Silva', birthDate: '1980-02-07', postalCode: '1000' };
    assert.equal((await app.verify(claims))['decision'], 'not_determined');
  });
}
