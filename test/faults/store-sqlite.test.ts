import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';
import { waitUntil } from '../support/wait-until.ts';

const createTable = { sql: 'create table thing (id text not null primary key)' };
const add = (id: string) => ({ sql: 'insert into thing (id) values ($1)', args: [id] });
const all = 'select id from thing order by id';

async function freshPath(t: TestContext): Promise<string> {
  const [sqlite] = engines;
  assert.equal(sqlite?.name, 'sqlite');
  return sqlite.createLocation(t);
}

/** Opens a file, and returns the thread of its writer too: Node.js emits `worker` when a thread starts. */
async function openWithWorker(path: string) {
  const lost: Error[] = [];
  const announced = once(process, 'worker');
  const db = await openSqlite(path, { random: systemRandom, onLost: (error) => lost.push(error) });
  const [worker] = (await announced) as [Worker];
  return { db, worker, lost };
}

async function storedIds(path: string): Promise<unknown[]> {
  const db = await openSqlite(path, { random: systemRandom });
  const rows = await db.read(all);
  await db.close();
  return rows.map((row) => row['id']);
}

test('sqlite: when the writer thread ends, pending units are unknown and onLost is called once', async (t) => {
  const path = await freshPath(t);
  const { db, worker, lost } = await openWithWorker(path);
  await db.write([createTable]);
  // The thread ends while SQLite counts, before it can commit.
  const slow = {
    sql: 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000000) select max(i) from n',
  };
  const results = Promise.allSettled([db.write([add('a'), slow]), db.write([add('b')])]);
  await new Promise((resolve) => setImmediate(resolve));
  await worker.terminate();
  for (const result of await results) {
    assert.ok(result.status === 'rejected' && result.reason instanceof WriteUnknown);
  }
  await assert.rejects(db.write([add('later')]), WriteBusy);
  assert.equal(lost.length, 1);
  assert.ok(Array.isArray(await db.read(all)));
  await db.close();
  assert.deepEqual(await storedIds(path), []);
});

test('sqlite: a full disk makes units unknown and stops the writer, and acknowledged units stay', async (t) => {
  const path = await freshPath(t);
  const script = `
    import { openSqlite } from ${JSON.stringify(new URL('../../src/db/sqlite/open-sqlite.ts', import.meta.url).href)};
    let lost = 0;
    const random = (bytes) => new Uint8Array(bytes);
    const db = await openSqlite(${JSON.stringify(path)}, { random, onLost: () => { lost += 1; } });
    await db.write([${JSON.stringify(createTable)}]);
    let acknowledged = 0;
    let error;
    while (error === undefined) {
      await db.write([{ sql: 'insert into thing (id) values ($1)', args: [String(acknowledged).padStart(9_000, '0')] }])
        .then(() => { acknowledged += 1; }, (reason) => { error = reason.name; });
    }
    const after = await db.write([{ sql: 'insert into thing (id) values ($1)', args: ['x'] }]).catch((reason) => reason.name);
    console.log(JSON.stringify({ acknowledged, error, after, lost }));
    process.exit(0);`;
  // No file of this process may grow beyond 2 MiB. SQLite reports that like a full disk.
  const limited = 'ulimit -f 2048 && exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
  const report = JSON.parse(stdout || JSON.stringify(stderr));
  assert.ok(report.acknowledged > 50, stdout + stderr);
  assert.deepEqual(report, { acknowledged: report.acknowledged, error: 'WriteUnknown', after: 'WriteBusy', lost: 1 });
  const ids = await storedIds(path);
  assert.ok(ids.length === report.acknowledged || ids.length === report.acknowledged + 1);
});

test('sqlite: a database that becomes full within a statement is lost, and the other units of the batch are unknown', async (t) => {
  const path = await freshPath(t);
  const { db, lost } = await openWithWorker(path);
  await db.write([createTable]);
  await db.write([{ sql: 'pragma max_page_count = 16' }]);
  const results = await Promise.allSettled([db.write([add('a')]), db.write([add('b'.repeat(100_000))])]);
  for (const result of results) assert.ok(result.status === 'rejected' && result.reason instanceof WriteUnknown);
  assert.deepEqual(
    lost.map(({ message }) => message),
    [`the SQLite writer is lost: ${path}: database or disk is full; make room, and start`],
  );
  await db.close();
  assert.deepEqual(await storedIds(path), []);
});

test('sqlite: the error for a file that cannot be opened names the file and the fix', async (t) => {
  const path = await freshPath(t);
  const refused = async () => {
    const fault: unknown = await openSqlite(path, { random: systemRandom }).catch((error: unknown) => error);
    assert.ok(fault instanceof Error);
    return fault.message.replaceAll(path, 'FILE');
  };
  writeFileSync(path, 'no database, and longer than the header of one. '.repeat(100));
  assert.equal(await refused(), 'FILE: file is not a database; restore the newest backup');
  rmSync(path);
  mkdirSync(path);
  assert.match(await refused(), /^FILE: unable to open database file; the user of this process must own DATA_DIR/);
});

test('sqlite: a corrupt file is rejected at the start', async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  await db.write([createTable]);
  await Promise.all(Array.from({ length: 2_000 }, (_, n) => db.write([add(`thing ${n}`)])));
  await db.close();
  const file = openSync(path, 'r+');
  const bytes = statSync(path).size;
  for (let page = 1; page * 4096 < bytes; page += 3) writeSync(file, Buffer.alloc(64, 0xff), 0, 64, page * 4096);
  closeSync(file);
  await assert.rejects(openSqlite(path, { random: systemRandom }), /quick_check|malformed/);
});

test('sqlite: a large file is checked after a crash, and opened without a check after a proper close', async (t) => {
  const path = await freshPath(t);
  const file = new DatabaseSync(path, { defensive: false });
  // A large file with a row that violates a check constraint, which only a check of the whole file finds.
  file.exec(`pragma journal_mode = wal; pragma synchronous = off; create table large (bytes blob);
    insert into large values (zeroblob(${65 * 2 ** 20})); create table thing (id text not null primary key);
    insert into thing values ('a'); pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, 'id text', 'id text check (id <> ''a'')') where name = 'thing'`);
  file.close();
  const db = await openSqlite(path, { random: systemRandom });
  assert.deepEqual(await db.read(all), [{ id: 'a' }]);
  await db.close();
  writeFileSync(`${path}-wal`, 'left by a crash');
  await assert.rejects(openSqlite(path, { random: systemRandom }), /quick_check of .*restore the newest backup/);
});

test('sqlite: a write waits for a short lock of another program, and is refused as busy after a long one', async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  await db.write([createTable]);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  await assert.rejects(db.write([add('a')]), WriteBusy);
  other.exec('rollback');
  // On a slow machine the short lock may last too long: then it is tried again.
  await waitUntil(async () => {
    other.exec('begin immediate');
    const stored = db.write([add('b')]).then(
      () => true,
      () => false,
    );
    await pause(50);
    other.exec('rollback');
    return await stored;
  });
  other.close();
  assert.deepEqual(await db.read(all), [{ id: 'b' }]);
  await db.close();
});

test('sqlite: a second open is rejected, in this process and in another, until the first one closes', async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  await assert.rejects(openSqlite(path, { random: systemRandom }), /another process has .* open/);
  assert.match(openElsewhere(path), /another process has .* open/);
  await db.close();
  assert.equal(openElsewhere(path), 'opened');
});

test('sqlite: the lock of a process ends when the process is killed', async (t) => {
  const path = await freshPath(t);
  const holder = spawn(process.execPath, ['--input-type=module', '-e', opener(path, 'setInterval(() => {}, 1000)')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  const [output] = await once(holder.stdout, 'data');
  assert.equal(String(output), 'opened\n');
  await assert.rejects(openSqlite(path, { random: systemRandom }), /another process/);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await openSqlite(path, { random: systemRandom })).close();
});

test('sqlite: a copy of the files of an open database contains the acknowledged units', async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  await db.write([createTable]);
  await db.write([add('a')]);
  const copy = join(dirname(path), 'copy.sqlite');
  for (const file of readdirSync(dirname(path)).filter((name) => /^test\.sqlite(-wal)?$/.test(name))) {
    copyFileSync(join(dirname(path), file), join(dirname(path), file.replace('test', 'copy')));
  }
  await db.close();
  assert.deepEqual(await storedIds(copy), ['a']);
});

test('sqlite: erased content is in no file when the unit is acknowledged, or at the next commit if a reader blocked it', async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  const files = () => readdirSync(dirname(path)).filter((name) => /^test\.sqlite(-wal)?$/.test(name));
  const filesWith = (text: string) => files().filter((name) => readFileSync(join(dirname(path), name)).includes(text));
  const erase = (id: string) => ({ sql: 'delete from thing where id = $1', args: [id], erase: true as const });
  await db.write([createTable]);
  for (const id of ['KEY-OF-ANNA', 'KEY-OF-BERT']) {
    await db.write([add(id)]);
    assert.notDeepEqual(filesWith(id), []);
  }
  await db.write([erase('KEY-OF-ANNA')]);
  assert.deepEqual(filesWith('KEY-OF-ANNA'), []);

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('begin');
  reader.prepare(all).all();
  await db.write([erase('KEY-OF-BERT')]);
  assert.notDeepEqual(filesWith('KEY-OF-BERT'), []);
  reader.close();
  await db.write([add('c')]);
  assert.deepEqual(filesWith('KEY-OF-BERT'), []);
  await db.close();
});

// A backup reads for minutes. The timeout of the test is far longer than it needs.
test('sqlite: commits after an erasure that a reader blocks do not wait for the reader', {
  timeout: 30_000,
}, async (t) => {
  const path = await freshPath(t);
  const db = await openSqlite(path, { random: systemRandom });
  await db.write([createTable]);
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('begin');
  reader.prepare(all).all();
  const ids = Array.from({ length: 250 }, (_, n) => `a${n}`);
  for (const id of ids) {
    await db.write([add(id)]);
    await db.write([{ sql: 'delete from thing where id = $1', args: [id], erase: true }]);
  }
  reader.close();
  await db.close();
});

test('sqlite: content that a killed process had erased is in no file after the next process writes', async (t) => {
  const path = await freshPath(t);
  const erase = `await db.write([{ sql: "delete from thing where id = 'KEY-OF-ANNA'", erase: true }]);`;
  // A reader blocks the checkpoint until the process ends.
  const killed = spawnSync(process.execPath, [
    ...['--input-type=module', '-e'],
    `import { DatabaseSync } from 'node:sqlite';
      import { openSqlite } from ${JSON.stringify(new URL('../../src/db/sqlite/open-sqlite.ts', import.meta.url).href)};
      const db = await openSqlite(${JSON.stringify(path)}, { random: (bytes) => new Uint8Array(bytes) });
      await db.write([${JSON.stringify(createTable)}, ${JSON.stringify(add('KEY-OF-ANNA'))}]);
      const reader = new DatabaseSync(${JSON.stringify(path)}, { readOnly: true });
      reader.exec('begin');
      reader.prepare(${JSON.stringify(all)}).all();
      ${erase}
      process.kill(process.pid, 'SIGKILL');`,
  ]);
  assert.equal(killed.signal, 'SIGKILL', String(killed.stderr));
  const files = () => readdirSync(dirname(path)).filter((name) => /^test\.sqlite(-wal)?$/.test(name));
  const filesWithKey = () => files().filter((name) => readFileSync(join(dirname(path), name)).includes('KEY-OF-ANNA'));
  assert.notDeepEqual(filesWithKey(), []);
  const db = await openSqlite(path, { random: systemRandom });
  await db.write([add('b')]);
  assert.deepEqual(filesWithKey(), []);
  await db.close();
});

function opener(path: string, then: string): string {
  const module = JSON.stringify(new URL('../../src/db/sqlite/open-sqlite.ts', import.meta.url).href);
  return `import { openSqlite } from ${module};
    const random = (bytes) => new Uint8Array(bytes);
    // The global reference prevents that the lock is garbage-collected.
    globalThis.db = await openSqlite(${JSON.stringify(path)}, { random }).catch((error) => error);
    console.log(db instanceof Error ? db.message : 'opened');
    ${then}`;
}

function openElsewhere(path: string): string {
  const code = opener(path, 'process.exit(0)');
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stdout.trim();
}
