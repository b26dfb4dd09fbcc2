import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { lookupByKey } from '../../src/db/batch-statements.ts';
import { type Batch, type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

// The table has no key, so that a unit that ran twice leaves two rows.
const createTable = { sql: 'create table thing (id text not null, n bigint)' };
const add = (id: string) => ({ sql: 'insert into thing (id, n) values ($1, 0) returning id', args: [id] });
const findThing = lookupByKey('thing', 'id', 'id, n');

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

/** A plain client, which acts as an operator or another program. */
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

/** Resolves with the process ids of the sessions that wait for a lock, as soon as there are `count` of them. */
async function blockedSessions(client: pg.Client, count: number): Promise<number[]> {
  const sql = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  for (;;) {
    // Within a transaction the view would not change after its first read.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(sql);
    if (rows.length >= count) return rows.map((row) => row.pid);
  }
}

for (const rows of [undefined, 1]) {
  const how = rows === undefined ? 'in one round trip' : 'with expected rows';
  const unit = (id: string) => [rows === undefined ? add(id) : { ...add(id), rows }];

  test(`postgres: a unit ${how} whose connection is lost before COMMIT arrives is unknown, not stored and not repeated`, async (t) => {
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

  test(`postgres: a unit ${how} whose connection is lost after COMMIT arrived is unknown, stored and not repeated`, async (t) => {
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

test('postgres: a session that ends during a write makes it unknown, and the next write uses a new session', async (t) => {
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

test('postgres: after a deadlock between committers, every unit is stored once', async (t) => {
  const url = await freshDatabase(t);
  const proxy = await startPostgresProxy(t, url);
  const db = await open(t, proxy.url);
  const client = await outsider(t, url);
  await db.write([createTable, add('a'), add('b'), add('barrier')]);
  const step = (id: string) => ({ sql: 'update thing set n = n + 1 where id = $1', args: [id] });
  const barrier = { sql: "select id from thing where id = 'barrier' for share" };
  const begins = proxy.transactionCount();
  // Each unit locks one row, waits for the barrier, and then needs the row of the other.
  await client.query("begin; select id from thing where id = 'barrier' for update");
  const first = db.write([step('a'), barrier, step('b')]);
  await blockedSessions(client, 1);
  const second = db.write([step('b'), barrier, step('a')]);
  await blockedSessions(client, 2);
  await client.query('commit');
  await Promise.all([first, second]);
  assert.equal(proxy.transactionCount(), begins + 3);
  assert.deepEqual(await db.read("select id, n from thing where id <> 'barrier' order by id"), [
    { id: 'a', n: 2 },
    { id: 'b', n: 2 },
  ]);
});

test('postgres: reads whose session ended are repeated on a new one', async (t) => {
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

test('postgres: a prepared statement still succeeds after another process has altered its table', async (t) => {
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

test('postgres: a statement that is first sent after a refused one is stored', async (t) => {
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

test('postgres: without its server a start is rejected, and later writes are busy and reads are unavailable', async (t) => {
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
  // Each part of a merged lookup is rejected.
  const lookups = ['a', 'b', 'c'].map((id) => findThing(db.read, id));
  await Promise.all(lookups.map((lookup) => assert.rejects(lookup, ReadUnavailable)));
});

for (const [which, how] of [
  ['that does not sort by bytes', "locale_provider icu icu_locale 'en' encoding 'UTF8'"],
  ['that is not in UTF-8', "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'"],
] as const) {
  test(`postgres: a database ${which} is rejected, and the message contains the fix`, async (t) => {
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

const findNamed = lookupByKey('named', 'id', 'id, name');
const renameSql = 'update named set name = $2 where id = $1 returning id';
const renameBatch: Batch = {
  kind: 'update',
  idIndex: 0,
  sql: `update named set name = input.name from unnest(cast($1 as text[]), cast($2 as text[])) as input (id, name)
    where named.id = input.id returning named.id`,
};
const rename = (id: string) => ({ sql: renameSql, args: [id, 'new'], batch: renameBatch });
for (const [what, callFor] of [
  ['looked up', (db: Database, id: string) => findNamed(db.read, id)],
  ['changed', async (db: Database, id: string) => (await db.write([rename(id)])).flat()],
] as const) {
  test(`postgres: rows of a large table are ${what} by the index, even if a plan was cached while it was small`, async (t) => {
    const url = await freshDatabase(t);
    const db = await open(t, url);
    await db.write([{ sql: 'create table named (id text not null primary key, name text not null)' }]);
    const ids = Array.from({ length: 16 }, (_, n) => `n${n}`);
    const lookUp = () => Promise.all(ids.map((id) => callFor(db, id)));
    const client = await outsider(t, url);
    await client.query("insert into named (id, name) values ('few', 'name')");
    await client.query('analyze named');
    // The server caches its plan during these calls.
    for (let times = 0; times < 10; times += 1) await lookUp();
    await client.query("insert into named (id, name) select 'n' || n, 'name' from generate_series(0, 9999) n");
    for (let times = 0; times < 10; times += 1) assert.equal((await lookUp()).flat().length, ids.length);
    await db.close();
    const statistics = "select seq_tup_read, idx_tup_fetch from pg_stat_user_tables where relname = 'named'";
    // A session reports its statistics when it ends.
    for (;;) {
      await client.query('select pg_stat_clear_snapshot()');
      const [row] = (await client.query(statistics)).rows;
      assert.equal(Number(row.seq_tup_read), 0);
      if (Number(row.idx_tup_fetch) >= 10 * ids.length) return;
    }
  });
}

// The tests wait at the same time, each in a database of its own.
describe('timeouts', { concurrency: 3 }, () => {
  test('postgres: a connection without a reply after the login is dropped, and the next one is used', async (t) => {
    const url = await freshDatabase(t);
    const proxy = await startPostgresProxy(t, url);
    const db = await open(t, proxy.url);
    await (await outsider(t, url)).query(createTable.sql);
    proxy.muteNewConnections(true);
    const written = db.write([add('a')]);
    const reads = [db.read('select n from thing'), findThing(db.read, 'a')];
    await Promise.all(reads.map((read) => assert.rejects(read, ReadUnavailable)));
    proxy.muteNewConnections(false);
    await written;
    assert.deepEqual(await db.read('select id from thing'), [{ id: 'a' }]);
  });

  test('postgres: a lock timeout makes its unit busy, and the other units of the batch are stored', async (t) => {
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

  test('postgres: a read that waits for a lock until its timeout fails as unavailable, also within a merged lookup', async (t) => {
    const url = await freshDatabase(t);
    const db = await open(t, url, { statementTimeoutMs: 2_500 });
    const client = await outsider(t, url);
    await db.write([createTable, add('a')]);
    await client.query('begin; lock table thing in access exclusive mode');
    const reads = () => [db.read('select id, n from thing'), ...['a', 'b'].map((id) => findThing(db.read, id))];
    // After one timeout: only a lost read is repeated.
    const timedOut = (fault: Error) => fault instanceof ReadUnavailable && fault.message.includes('57014');
    await Promise.all(reads().map((read) => assert.rejects(read, timedOut)));
    await client.query('rollback');
    assert.deepEqual(await Promise.all(reads()), [[{ id: 'a', n: 0 }], [{ id: 'a', n: 0 }], []]);
  });
});
