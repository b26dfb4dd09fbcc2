import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Db } from '../../src/store/db.ts';
import { lookAtSchema, migrate, migrationsFolder, splitStatements } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { type Engine, engines } from '../engines.ts';

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

async function openEmpty(engine: Engine, t: TestContext): Promise<Db> {
  const place = await engine.place(t);
  const db = await engine.openAt(place);
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

  test(`${engine.name}: a migration that fails leaves nothing of itself and says where it failed`, async (t) => {
    const db = await openEmpty(engine, t);
    const folder = folderWith(t, { '0001-first.sql': first, '0002-bad.sql': `${second};\ncreate table a (id text)` });
    await assert.rejects(migrate(db, clock, { folder }), /0002-bad\.sql failed at statement 3/);
    assert.deepEqual(await db.read('select id from a'), []);
    assert.equal((await db.read(applied)).length, 1);
    writeFileSync(join(folder, '0002-bad.sql'), second);
    assert.deepEqual(await migrate(db, clock, { folder }), ['0002-bad.sql']);
  });

  test(`${engine.name}: a migration that was changed after it was applied is refused; line ends are no change`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': first }) });
    const windows = folderWith(t, { '0001-first.sql': first.replaceAll('\n', '\r\n') });
    assert.deepEqual(await migrate(db, clock, { folder: windows }), []);
    const changed = folderWith(t, { '0001-first.sql': `${first}-- changed\n` });
    await assert.rejects(migrate(db, clock, { folder: changed }), /0001-first\.sql was changed .* bring the file back/);
  });

  test(`${engine.name}: a database that a newer program migrated is refused with the remedy`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': first, '0002-second.sql': second }) });
    const older = folderWith(t, { '0001-first.sql': first });
    await assert.rejects(
      migrate(db, clock, { folder: older }),
      /newer program has migrated this database to 2.*start the newer program/,
    );
  });

  test(`${engine.name}: a migration with a number below those applied is refused`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderWith(t, { '0002-second.sql': first }) });
    const late = folderWith(t, { '0001-late.sql': second, '0002-second.sql': first });
    await assert.rejects(migrate(db, clock, { folder: late }), /0001-late\.sql comes before 2/);
  });

  test(`${engine.name}: processes that start at once apply each migration once`, async (t) => {
    const place = await engine.place(t);
    const handles = [await engine.openAt(place)];
    // The file of SQLite has one process; there the calls race within it.
    for (let more = 0; more < 3; more += 1) {
      const [only] = handles;
      handles.push(engine.name === 'postgres' || only === undefined ? await engine.openAt(place) : only);
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

  test(`${engine.name}: opening by settings gives this program's schema`, async (t) => {
    const place = await engine.place(t);
    const dataDir = join(folderWith(t, {}), 'data');
    const databaseUrl = engine.name === 'postgres' ? place : undefined;
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

test('two files with one number, and a name out of form, are refused before anything is applied', async (t) => {
  const [sqlite] = engines;
  assert.ok(sqlite);
  const db = await openEmpty(sqlite, t);
  for (const name of ['0001-second.sql', '1-second.sql', '0000-zero.sql', '0002_second.sql', '0002-Second.sql']) {
    const folder = folderWith(t, { '0001-first.sql': first, [name]: second });
    await assert.rejects(migrate(db, clock, { folder }), /needs a number of its own/);
  }
});

test('a statement ends with a semicolon at the end of a line, and only there', () => {
  const text =
    "-- one; two;\ncreate table a (\n  id text -- of a; kind\n);  \r\n\ninsert into a values ('x;y');\n;\nselect 1";
  assert.deepEqual(splitStatements(text), [
    'create table a (\n  id text -- of a; kind\n)',
    "insert into a values ('x;y')",
    'select 1',
  ]);
});

for (const engine of engines) {
  test(`${engine.name}: a statement for one engine alone is run there and nowhere else`, async (t) => {
    const db = await openEmpty(engine, t);
    const own = engines.map(({ name }) => `/* ${name} */ create table only_${name} (id text not null primary key);\n`);
    await migrate(db, clock, { folder: folderWith(t, { '0001-first.sql': `${first}-- Why.\n${own.join('')}` }) });
    for (const { name } of engines) {
      const there = await db.read(`select id from only_${name}`).then(
        () => true,
        () => false,
      );
      assert.equal(there, engine.name === name);
    }
  });
}

for (const engine of engines) {
  test(`${engine.name}: entries from before they knew their owner are told whose they are`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderBefore(t, '0082') });
    const chains = [
      { chain: Buffer.alloc(16, 1), citizenId: 'anna', entries: 2 },
      { chain: Buffer.alloc(16, 2), citizenId: null, entries: 1 },
    ];
    let index = 0;
    for (const { chain, citizenId, entries } of chains) {
      const end = 'insert into ledger_chain (chain, citizen_id, number, leaf_hash) values ($1, $2, $3, $1)';
      await db.write([{ sql: end, args: [chain, citizenId, entries] }]);
      for (let number = 1; number <= entries; number += 1, index += 1) {
        const entry = `insert into ledger_entry (leaf_index, event_id, at, type, client_id, chain, number, entry)
          values ($1, $2, 1, 'kind', null, $3, $4, $3)`;
        await db.write([{ sql: entry, args: [index, `event ${index}`, chain, number] }]);
      }
    }
    assert.ok((await migrate(db, clock)).includes('0082-entries-know-their-owner.sql'));
    assert.deepEqual(await db.read('select event_id, citizen_id from ledger_entry order by leaf_index'), [
      { event_id: 'event 0', citizen_id: 'anna' },
      { event_id: 'event 1', citizen_id: 'anna' },
      { event_id: 'event 2', citizen_id: null },
    ]);
  });

  test(`${engine.name}: answers of dry runs that were kept under a key are taken out, and no others`, async (t) => {
    const db = await openEmpty(engine, t);
    await migrate(db, clock, { folder: folderBefore(t, '0092') });
    const kept = `insert into idempotency (client_id, operation, key, fingerprint, status, headers, body, created_at)
      values ('tax-office', $1, $2, $3, $4, '{}', '{}', 1)`;
    const rows: ReadonlyArray<[string, string, number]> = [
      ['sendNotification', 'sent', 202],
      ['sendNotification', 'dry run', 200],
      ['depositDocument', 'deposited', 200],
    ];
    await db.write(
      rows.map(([operation, key, status]) => ({ sql: kept, args: [operation, key, Buffer.alloc(32), status] })),
    );
    assert.ok((await migrate(db, clock)).includes('0092-rehearsals-are-not-kept.sql'));
    assert.deepEqual(await db.read('select key from idempotency order by key'), [
      { key: 'deposited' },
      { key: 'sent' },
    ]);
  });
}

for (const engine of engines) {
  test(`${engine.name}: a database that had two migrations as one file has what every other has`, async (t) => {
    const db = await openEmpty(engine, t);
    const then = folderBefore(t, '0129');
    const textOf = (file: string) => readFileSync(join(migrationsFolder, file), 'utf8');
    const joined = `${textOf('0127-roots-that-wrap.sql')}\n${textOf('0129-what-may-be-many.sql')}`;
    rmSync(join(then, '0127-roots-that-wrap.sql'));
    writeFileSync(join(then, '0127-what-may-be-many.sql'), joined);
    await migrate(db, clock, { folder: then });
    const later = readdirSync(migrationsFolder).filter((file) => file > '013' && file.endsWith('.sql'));
    assert.deepEqual((await lookAtSchema(db)).pending, later.sort());
    assert.deepEqual(await migrate(db, clock), later);
    assert.deepEqual(await migrate(db, clock), []);
    await db.read('select revive_after from webhook');
  });
}

test('no migration differs from what databases have of it', () => {
  const checksums = readFileSync(join(import.meta.dirname, 'store-migrations.sha256'), 'utf8');
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'));
  const now = files.sort().map((file) => {
    const digest = createHash('sha256').update(readFileSync(join(migrationsFolder, file)));
    return `${digest.digest('hex')}  ${file}\n`;
  });
  assert.equal(
    now.join(''),
    checksums,
    'a new one is added to store-migrations.sha256; one that is there never changes',
  );
});

/** A folder with this program's migrations that come before that number. */
function folderBefore(t: TestContext, number: string): string {
  const folder = folderWith(t, {});
  const old = readdirSync(migrationsFolder).filter((file) => file < number && file.endsWith('.sql'));
  for (const file of old) copyFileSync(join(migrationsFolder, file), join(folder, file));
  return folder;
}

for (const engine of engines) {
  test(`${engine.name}: erasures and citizens' own proofs from before they were recorded are found in what is there`, async (t) => {
    const db = await openEmpty(engine, t);
    const before = folderWith(t, {});
    const old = readdirSync(migrationsFolder).filter((file) => file < '0099' && file.endsWith('.sql'));
    for (const file of old) copyFileSync(join(migrationsFolder, file), join(before, file));
    await migrate(db, clock, { folder: before });
    const chains = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const;
    const entries = [
      { chain: chains[0], number: 1, at: 5, citizenId: null },
      { chain: chains[0], number: 2, at: 6, citizenId: null },
      { chain: chains[1], number: 1, at: 9, citizenId: 'anna' },
    ];
    for (const [index, { chain, number, at, citizenId }] of entries.entries()) {
      const sql = `insert into ledger_entry (leaf_index, event_id, at, type, client_id, chain, number, entry, citizen_id)
        values ($1, $2, $3, 'kind', null, $4, $5, $4, $6)`;
      await db.write([{ sql, args: [index, `event ${index}`, at, chain, number, citizenId] }]);
    }
    for (const [id, channel, endedAt] of [
      ['own', 'email', 8],
      ['providers', 'email', 7],
      ['inbox', 'inbox', 8],
    ] as const) {
      const notification = `insert into notification (id, client_id, citizen_id, category, status, status_at, revision, content,
          created_at, deliver_by, accepted_event) values ($1, 'c', 'anna', 'urgent', 'read', 8, 1, $2, 1, 9, 'e')`;
      const delivery = `insert into delivery (id, notification_id, channel, status, priority, run_at, attempts, ended_at)
        values ($1, $1, $2, 'delivered', 1, 1, 1, $3)`;
      await db.write([
        { sql: notification, args: [id, chains[0]] },
        { sql: delivery, args: [id, channel, endedAt] },
      ]);
    }
    assert.ok((await migrate(db, clock)).includes('0099-evidence.sql'));
    const erased = await db.read('select chain, event_id, at from citizen_erasure');
    assert.deepEqual(
      erased.map((row) => [Buffer.from(row['chain'] as Uint8Array).equals(chains[0]), row['event_id'], row['at']]),
      [[true, null, 9]],
    );
    assert.deepEqual(await db.read('select subject_id, status, at, reason from notification_history'), [
      { subject_id: 'own', status: 'confirmed', at: 8, reason: null },
    ]);
  });
}
