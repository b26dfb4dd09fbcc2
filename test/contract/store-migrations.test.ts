import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { migrate, migrationsFolder, splitStatements } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { type Engine, engines } from '../support/database-engines.ts';

const clock: Clock = { now: () => 1_767_225_600_000 };
const first =
  '-- The first table; it has a comment.\ncreate table a (id text not null primary key);\ncreate index a_id on a (id);\n';
const second = "insert into a (id)\nvalues ('from the second');\ncreate table b (id text not null primary key)";

function folderWith(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-migrations-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function openEmpty(engine: Engine, t: TestContext): Promise<Database> {
  const location = await engine.createLocation(t);
  const db = await engine.openAt(location);
  t.after(() => db.close());
  return db;
}

const applied = 'select number, name, applied_at from schema_migration order by number';

for (const engine of engines) {
  test(`${engine.name}: migrations are applied in order, once, with their time`, async (t) => {
    const db = await openEmpty(engine, t);
    const folder = folderWith(t, { '0001-first.sql': first, 'notes.txt': 'no migration' });
    assert.deepEqual(await migrate(db, clock, { folder }), ['0001-first.sql']);
    writeFileSync(join(folder, '0010-second.sql'), second);
    assert.deepEqual(await migrate(db, clock, { folder }), ['0010-second.sql']);
    assert.deepEqual(await migrate(db, clock, { folder }), []);
    assert.deepEqual(await db.read('select id from a'), [{ id: 'from the second' }]);
    assert.deepEqual(await db.read(applied), [
      { number: 1, name: 'first', applied_at: clock.now() },
      { number: 10, name: 'second', applied_at: clock.now() },
    ]);
  });

  test(`${engine.name}: a migration that fails stores nothing, and the message names the statement`, async (t) => {
    const db = await openEmpty(engine, t);
    const folder = folderWith(t, { '0001-first.sql': first, '0002-bad.sql': `${second};\ncreate table a (id text)` });
    await assert.rejects(migrate(db, clock, { folder }), /0002-bad\.sql failed at statement 3/);
    assert.deepEqual(await db.read('select id from a'), []);
    assert.equal((await db.read(applied)).length, 1);
    writeFileSync(join(folder, '0002-bad.sql'), second);
    assert.deepEqual(await migrate(db, clock, { folder }), ['0002-bad.sql']);
  });

  test(`${engine.name}: a migration that was changed after it was applied is rejected, and changed line ends are accepted`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': first }) });
    const windows = folderWith(t, { '0001-first.sql': first.replaceAll('\n', '\r\n') });
    assert.deepEqual(await migrate(db, clock, { folder: windows }), []);
    const changed = folderWith(t, { '0001-first.sql': `${first}-- changed\n` });
    await assert.rejects(migrate(db, clock, { folder: changed }), /0001-first\.sql was changed .* bring the file back/);
  });

  test(`${engine.name}: a database that a newer program migrated is rejected, and the message contains the fix`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': first, '0002-second.sql': second }) });
    const older = folderWith(t, { '0001-first.sql': first });
    await assert.rejects(
      migrate(db, clock, { folder: older }),
      /newer program has migrated this database to 2.*start the newer program/,
    );
  });

  test(`${engine.name}: a migration with a number below an applied one is rejected`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0002-second.sql': first }) });
    const late = folderWith(t, { '0001-late.sql': second, '0002-second.sql': first });
    await assert.rejects(migrate(db, clock, { folder: late }), /0001-late\.sql comes before 2/);
  });

  test(`${engine.name}: processes that start at the same time apply each migration once`, async (t) => {
    const location = await engine.createLocation(t);
    const handles = [await engine.openAt(location)];
    // Only one process can open an SQLite file, so its calls race within this process.
    for (let more = 0; more < 3; more += 1) {
      const [only] = handles;
      handles.push(engine.name === 'postgres' || only === undefined ? await engine.openAt(location) : only);
    }
    const folder = folderWith(t, {
      '0001-first.sql': first,
      '0002-second.sql': second,
      '0003-third.sql': 'create table c (id text)',
    });
    const results = await Promise.all(handles.map((db) => migrate(db, clock, { folder })));
    assert.deepEqual(results.flat().sort(), ['0001-first.sql', '0002-second.sql', '0003-third.sql']);
    assert.deepEqual(await handles[0]?.read('select id from a'), [{ id: 'from the second' }]);
    await Promise.all(handles.map((db) => db.close()));
  });

  test(`${engine.name}: a database is migrated when it is opened by its settings`, async (t) => {
    const location = await engine.createLocation(t);
    const dataDir = join(folderWith(t, {}), 'data');
    const databaseUrl = engine.name === 'postgres' ? location : undefined;
    for (let start = 0; start < 2; start += 1) {
      const db = await openDatabase({ databaseUrl, dataDir, clock });
      assert.equal(db.engine, engine.name);
      const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
      assert.equal((await db.read(applied)).length, files.length);
      await db.close();
    }
    if (engine.name === 'sqlite') assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });
}

test('two migration files with the same number, or a malformed name, are rejected before any file is applied', async (t) => {
  const [sqlite] = engines;
  assert.ok(sqlite);
  const db = await openEmpty(sqlite, t);
  for (const name of ['0001-second.sql', '1-second.sql', '0000-zero.sql', '0002_second.sql', '0002-Second.sql']) {
    const folder = folderWith(t, { '0001-first.sql': first, [name]: second });
    await assert.rejects(migrate(db, clock, { folder }), /needs a number of its own/);
  }
});

test('a migration statement ends only with a semicolon at the end of a line', () => {
  const text =
    "-- one; two;\ncreate table a (\n  id text -- of a; kind\n);  \r\n\ninsert into a values ('x;y');\n;\nselect 1";
  assert.deepEqual(splitStatements(text), [
    { sql: 'create table a (\n  id text -- of a; kind\n)' },
    { sql: "insert into a values ('x;y')" },
    { sql: 'select 1' },
  ]);
});

test('a directive in a migration applies only to the next statement', () => {
  const text = '-- Why.\n-- engine: sqlite\nselect 1;\n\nselect 2;\n-- engine: postgres\n-- Why.\nselect\n3;\n';
  assert.deepEqual(splitStatements(text), [
    { sql: 'select 1', engine: 'sqlite' },
    { sql: 'select 2' },
    { sql: 'select\n3', engine: 'postgres' },
  ]);
  for (const name of ['mysql', 'postgresql', '', 'SQLite', 'sqlite postgres']) {
    assert.throws(() => splitStatements(`-- engine: ${name}\nselect 1;\n`), { name: 'MigrationFailed' });
  }
});

for (const engine of engines) {
  test(`${engine.name}: a migration statement for one engine runs only on that engine`, async (t) => {
    const db = await openEmpty(engine, t);
    const own = engines.map(
      ({ name }) => `-- engine: ${name}\ncreate table only_${name} (id text not null primary key);\n`,
    );
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': `${first}-- Why.\n${own.join('')}` }) });
    for (const { name } of engines) {
      const exists = await db.read(`select id from only_${name}`).then(
        () => true,
        () => false,
      );
      assert.equal(exists, engine.name === name);
    }
  });
}

test('no migration file changes after its checksum was recorded', () => {
  const checksums = readFileSync(join(import.meta.dirname, 'store-migrations.sha256'), 'utf8');
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
  const now = files.sort().map((file) => {
    const digest = createHash('sha256').update(readFileSync(join(migrationsFolder, file)));
    return `${digest.digest('hex')}  ${file}\n`;
  });
  assert.equal(
    now.join(''),
    checksums,
    'add the checksum of a new file to store-migrations.sha256, and never change a released file',
  );
});
