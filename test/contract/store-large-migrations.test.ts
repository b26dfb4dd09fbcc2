import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type MigrationProgress, migrate } from '../../src/db/migrate.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { engines } from '../support/database-engines.ts';

const clock: Clock = { now: () => 1_767_225_600_000 };

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-migrations-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const engine of engines) {
  test(`${engine.name}: each migration of an existing database is reported before it is applied, and no migration of a new database`, async (t) => {
    const db = await engine.openAt(await engine.createLocation(t));
    t.after(() => db.close());
    const folder = folderOf(t);
    const put = (file: string, table: string) => writeFileSync(join(folder, file), `create table ${table} (id text)`);
    put('0001-first.sql', 'a');
    const reported: MigrationProgress[] = [];
    const options = { folder, onStep: (step: MigrationProgress) => void reported.push(step) };
    await migrate(db, clock, options);
    assert.deepEqual(reported, []);
    put('0002-second.sql', 'b');
    put('0003-bad.sql', 'b');
    await assert.rejects(migrate(db, clock, options), /0003-bad/);
    const both = [
      { file: '0002-second.sql', number: 1, total: 2 },
      { file: '0003-bad.sql', number: 2, total: 2 },
    ];
    assert.deepEqual(reported, both);
    put('0003-bad.sql', 'c');
    await migrate(db, clock, options);
    await migrate(db, clock, options);
    assert.deepEqual(reported, [...both, { file: '0003-bad.sql', number: 1, total: 1 }]);
  });
}

test('sqlite: temporary data is in files next to the database during a migration, and in memory afterwards', async (t) => {
  const [sqlite] = engines;
  assert.ok(sqlite);
  const path = await sqlite.createLocation(t);
  const db = await sqlite.openAt(path);
  t.after(() => db.close());
  const tempStoreSql = 'select temp_store from pragma_temp_store';
  const now = async () => (await db.write([{ sql: tempStoreSql }]))[0]?.[0]?.['temp_store'];
  const [file, memory] = [1, 2];
  assert.equal(await now(), memory);
  const folder = folderOf(t);
  writeFileSync(join(folder, '0001-first.sql'), `create table seen as ${tempStoreSql}`);
  await migrate(db, clock, { folder });
  assert.deepEqual(await db.read('select temp_store from seen'), [{ temp_store: file }]);
  // The folder is a setting of the whole process.
  using other = new DatabaseSync(':memory:');
  assert.equal(other.prepare('pragma temp_store_directory').get()?.['temp_store_directory'], dirname(path));
  assert.equal(await now(), memory);
});
