import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

// Without a key on purpose: a unit that ran twice would show.
const createTable = { sql: 'create table thing (id text not null, n bigint)' };
const add = (id: string) => ({ sql: 'insert into thing (id, n) values ($1, 0) returning id', args: [id] });

async function freshDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  return url;
}

async function open(t: TestContext, url: string, options = {}): Promise<Database> {
  const db = await openPostgres(url, { random: systemRandom, ...options });
  t.after(() => db.close());
  return db;
}

/** A plain client, for what an operator or another program does to the database. */
async function outsider(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}

async function things(client: pg.Client): Promise<unknown[]> {
  return (await client.query('select id from thing order by id')).rows.map((row) => row.id);
}

/** Resolves with the process ids of the sessions that wait for a lock, as soon as there are so many. */
async function blockedSessions(client: pg.Client, count: number): Promise<number[]> {
  const sql = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  for (;;) {
    // Within a transaction the view would stay as it was first seen.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(sql);
    if (rows.length >= count) return rows.map((row) => row.pid);
  }
}

for (const rows of [undefined, 1]) {
  const how = rows === undefined ? 'in one round trip' : 'with stated rows';
  const unit = (id: string) => [rows === undefined ? add(id) : { ...add(id), rows }];

  test(`postgres: a connection lost before COMMIT arrives ${how} is unknown, not stored, never repeated`, async (t) => {
    const url = await freshDatabase(t);
    const proxy = await startPostgresProxy(t, url);
    const db = await open(t, proxy.url);
    await db.write([createTable]);
    const begins = proxy.transactionCount();
    proxy.cutNextCommit('before commit');
    const results = await Promise.allSettled([db.write(unit('a')), db.write(unit('b'))]);
    for (const result of results) assert.ok(result.status === 'rejected' && result.reason instanceof WriteUnknown);
    assert.equal(proxy.transactionCount(), begins + 1);
    await db.write(unit('c'));
    assert.deepEqual(await things(await outsider(t, url)), ['c']);
  });

  test(`postgres: a connection lost after COMMIT arrived ${how} is unknown, stored, never repeated`, async (t) => {
    const url = await freshDatabase(t);
    const proxy = await startPostgresProxy(t, url);
    const db = await open(t, proxy.url);
    await db.write([createTable]);
    const begins = proxy.transactionCount();
    proxy.cutNextCommit('after commit');
    const results = await Promise.allSettled([db.write(unit('a')), db.write(unit('b'))]);
    for (const result of results) assert.ok(result.status === 'rejected' && result.reason instanceof WriteUnknown);
    assert.equal(proxy.transactionCount(), begins + 1);
    await db.write(unit('c'));
    assert.deepEqual(await things(await outsider(t, url)), ['a', 'b', 'c']);
  });
}

test('postgres: a session that is ended in the middle of a write is unknown, and the lane goes on with a new one', async (t) => {
  const url = await freshDatabase(t);
  const db = await open(t, url);
  const client = await outsider(t, url);
  await db.write([createTable, add('a')]);
  await client.query('begin; lock table thing in exclusive mode');
  const results = Promise.allSettled([db.write([add('b')]), db.write([add('c')])]);
  const [pid] = await blockedSessions(client, 1);
  await client.query('select pg_terminate_backend($1)', [pid]);
  await client.query('commit');
  for (const result of await results) {
    assert.ok(result.status === 'rejected' && result.reason instanceof WriteUnknown, JSON.stringify(result));
    assert.match(result.reason.message, /57P01/);
  }
  assert.deepEqual(await things(client), ['a']);
  await db.write([add('d')]);
  assert.deepEqual(await things(client), ['a', 'd']);
});

test('postgres: a deadlock between lanes is tried again, and every unit is stored once', async (t) => {
  const url = await freshDatabase(t);
  const proxy = await startPostgresProxy(t, url);
  const db = await open(t, proxy.url);
  const client = await outsider(t, url);
  await db.write([createTable, add('a'), add('b'), add('gate')]);
  const step = (id: string) => ({ sql: 'update thing set n = n + 1 where id = $1', args: [id] });
  const gate = { sql: "select id from thing where id = 'gate' for share" };
  const begins = proxy.transactionCount();
  // Both units hold one row, wait at the gate, and then want the row of the other.
  await client.query("begin; select id from thing where id = 'gate' for update");
  const first = db.write([step('a'), gate, step('b')]);
  await blockedSessions(client, 1);
  const second = db.write([step('b'), gate, step('a')]);
  await blockedSessions(client, 2);
  await client.query('commit');
  await Promise.all([first, second]);
  assert.equal(proxy.transactionCount(), begins + 3);
  assert.deepEqual(await db.read("select id, n from thing where id <> 'gate' order by id"), [
    { id: 'a', n: 2 },
    { id: 'b', n: 2 },
  ]);
});

test('postgres: reads whose session is ended are read again on a new one', async (t) => {
  const url = await freshDatabase(t);
  const db = await open(t, url);
  const client = await outsider(t, url);
  await db.write([createTable, add('a')]);
  const end =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  for (let round = 0; round < 3; round += 1) {
    const readAll = () => Promise.all(Array.from({ length: 20 }, () => db.read('select id from thing')));
    await readAll();
    const reads = readAll();
    await client.query(end);
    assert.deepEqual(await reads, new Array(20).fill([{ id: 'a' }]));
  }
});

test('postgres: a statement keeps working after another process has altered its table', async (t) => {
  const url = await freshDatabase(t);
  const db = await open(t, url);
  const client = await outsider(t, url);
  await db.write([createTable]);
  const insert = { sql: 'insert into thing (id, n) values ($1, 0) returning *', args: ['a'] };
  await db.write([insert]);
  await db.read('select * from thing');
  await client.query('alter table thing add column more bigint');
  assert.deepEqual(await db.write([insert]), [[{ id: 'a', n: 0, more: null }]]);
  assert.equal((await db.read('select * from thing')).length, 2);
});

test('postgres: what was first sent behind a statement that is refused is stored all the same', async (t) => {
  const db = await open(t, await freshDatabase(t));
  await db.write([createTable, { sql: 'create unique index on thing (id)' }, add('a')]);
  for (let round = 0; round < 4; round += 1) {
    const fresh = { sql: `update thing set n = ${round} where id = 'a' returning n` };
    const [refused, ...others] = await Promise.allSettled([db.write([add('a')]), db.write([fresh]), db.write([fresh])]);
    assert.equal(refused?.status, 'rejected');
    const stored = { status: 'fulfilled', value: [[{ n: round }]] };
    assert.deepEqual(others, [stored, stored], `round ${round}`);
  }
});

test('postgres: a read cannot write', async (t) => {
  const db = await open(t, await freshDatabase(t));
  await db.write([createTable]);
  await assert.rejects(db.read("insert into thing (id) values ('a') returning id"));
  assert.deepEqual(await db.read('select id from thing'), []);
});

test('postgres: a server that is not there refuses the start, and makes writes busy and reads unavailable', async (t) => {
  await assert.rejects(
    openPostgres('postgres://nobody@/nothing?host=/nowhere', { random: systemRandom }),
    ReadUnavailable,
  );
  const url = await createDatabase('empty');
  const db = await open(t, url);
  await db.write([createTable]);
  await dropDatabase(url);
  await assert.rejects(db.write([add('a')]), (error) => error instanceof WriteBusy || error instanceof WriteUnknown);
  await assert.rejects(db.write([add('a')]), WriteBusy);
  await assert.rejects(db.read('select id from thing'), ReadUnavailable);
  // Asked together, each is told.
  const lookups = ['a', 'b', 'c'].map((id) => db.read('select n from thing where id = $1', [id]));
  await Promise.all(lookups.map((lookup) => assert.rejects(lookup, ReadUnavailable)));
});

for (const [which, how] of [
  ['that does not sort by bytes', "locale_provider icu icu_locale 'en' encoding 'UTF8'"],
  ['that is not in UTF-8', "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'"],
] as const) {
  test(`postgres: a database ${which} is refused with the remedy`, async (t) => {
    const name = `cs_other_${process.pid}`;
    await queryServer(`create database ${name} template template0 ${how}`);
    const url = (await createDatabase('empty')).replace(/\/cs_test_[^?]*/, `/${name}`);
    t.after(() => queryServer(`drop database ${name} with (force)`));
    await assert.rejects(
      openPostgres(url, { random: systemRandom }),
      /does not sort by bytes in UTF-8.*lc_collate 'C'/,
    );
    const sessions = `select pid from pg_stat_activity where datname = '${name}'`;
    await waitUntil(async () => (await queryServer(sessions)).length === 0);
  });
}

const rename = 'update named set name = cast($2 as text) where id = cast($1 as text) returning id';
for (const [what, askFor] of [
  ['looked up', (db: Database, id: string) => db.read('select name from named where id = $1', [id])],
  ['changed', async (db: Database, id: string) => (await db.write([{ sql: rename, args: [id, 'new'] }])).flat()],
] as const) {
  test(`many rows are ${what} by the index, also behind a plan that was made while the table was small`, async (t) => {
    const url = await freshDatabase(t);
    const db = await open(t, url);
    await db.write([{ sql: 'create table named (id text not null primary key, name text not null)' }]);
    const ids = Array.from({ length: 16 }, (_, n) => `n${n}`);
    const lookUp = () => Promise.all(ids.map((id) => askFor(db, id)));
    const client = await outsider(t, url);
    await client.query("insert into named (id, name) values ('few', 'name')");
    await client.query('analyze named');
    // The server keeps the plan that it has made by then.
    for (let times = 0; times < 10; times += 1) await lookUp();
    await client.query("insert into named (id, name) select 'n' || n, 'name' from generate_series(0, 9999) n");
    for (let times = 0; times < 10; times += 1) assert.equal((await lookUp()).flat().length, ids.length);
    await db.close();
    const statistics = "select seq_tup_read, idx_tup_fetch from pg_stat_user_tables where relname = 'named'";
    // The sessions tell their counts when they end.
    for (;;) {
      await client.query('select pg_stat_clear_snapshot()');
      const [row] = (await client.query(statistics)).rows;
      assert.equal(Number(row.seq_tup_read), 0);
      if (Number(row.idx_tup_fetch) >= 10 * ids.length) return;
    }
  });
}

// Each waits in a database of its own, side by side.
describe('what is waited for', { concurrency: 3 }, () => {
  test('postgres: a connection that logs in and answers nothing more is given up, and the next one works', async (t) => {
    const url = await freshDatabase(t);
    const proxy = await startPostgresProxy(t, url);
    const db = await open(t, proxy.url);
    await (await outsider(t, url)).query(createTable.sql);
    proxy.muteNewConnections(true);
    const written = db.write([add('a')]);
    const reads = [db.read('select n from thing'), db.read('select n from thing where id = $1', ['a'])];
    await Promise.all(reads.map((read) => assert.rejects(read, ReadUnavailable)));
    proxy.muteNewConnections(false);
    await written;
    assert.deepEqual(await db.read('select id from thing'), [{ id: 'a' }]);
  });

  test('postgres: a statement behind a lock for too long makes its unit busy, and its neighbours are stored', async (t) => {
    const url = await freshDatabase(t);
    const db = await open(t, url, { statementTimeoutMs: 2_500 });
    const client = await outsider(t, url);
    await db.write([createTable, add('a')]);
    await client.query("begin; update thing set n = 5 where id = 'a'");
    const update = { sql: "update thing set n = n + 1 where id = 'a'" };
    const [slow, neighbour] = await Promise.allSettled([db.write([update]), db.write([add('b')])]);
    assert.ok(slow?.status === 'rejected' && slow.reason instanceof WriteBusy);
    assert.equal(neighbour?.status, 'fulfilled');
    await client.query('rollback');
    await db.write([update]);
    assert.deepEqual(await db.read('select id, n from thing order by id'), [
      { id: 'a', n: 1 },
      { id: 'b', n: 0 },
    ]);
  });

  test('postgres: a read behind a lock for too long is unavailable, also of several that were asked together', async (t) => {
    const url = await freshDatabase(t);
    const db = await open(t, url, { statementTimeoutMs: 2_500 });
    const client = await outsider(t, url);
    await db.write([createTable, add('a')]);
    await client.query('begin; lock table thing in access exclusive mode');
    const sql = 'select n from thing where id = $1';
    const reads = () => [db.read('select n from thing'), ...['a', 'b'].map((id) => db.read(sql, [id]))];
    // At once, and not after as many tries as a read has that was lost.
    const inVain = (fault: Error) => fault instanceof ReadUnavailable && fault.message.includes('57014');
    await Promise.all(reads().map((read) => assert.rejects(read, inVain)));
    await client.query('rollback');
    assert.deepEqual(await Promise.all(reads()), [[{ n: 0 }], [{ n: 0 }], []]);
  });
});
