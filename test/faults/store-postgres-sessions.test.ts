import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { lookupByKey } from '../../src/db/batch-statements.ts';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

// Each session is a process of the server, and a server has few of them.

async function open(
  t: TestContext,
  statementTimeoutMs?: number,
): Promise<{ db: Database; sessions(): Promise<number>; url: string }> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom, statementTimeoutMs });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null)' }]);
  const all = `select pid from pg_stat_activity where datname = '${databaseNameOf(url)}'`;
  return { url, db, sessions: async () => (await queryServer(all)).length };
}

const add = { sql: 'insert into thing (id) values ($1)', args: ['a'] };
const findThing = lookupByKey('thing', 'id', 'id');
const lookUp = (db: Database) => findThing(db.read, 'a');
const readAll = (db: Database) => db.read('select id from thing');

test('postgres: sequential calls use one session for writes, one for lookups and one for other reads, and close ends them', async (t) => {
  const { db, sessions } = await open(t);
  for (let times = 0; times < 20; times += 1) {
    await db.write([add]);
    await lookUp(db);
    await readAll(db);
  }
  assert.equal(await sessions(), 3);
  const last = [readAll(db), lookUp(db)];
  await db.close();
  assert.equal((await Promise.all(last)).length, 2);
  await waitUntil(async () => (await sessions()) === 0);
});

test('postgres: a busy database opens 10 sessions at most, and close ends all of them', async (t) => {
  const { db, sessions, url } = await open(t, 2_500);
  const busy = () => [
    ...Array.from({ length: 200 }, () => db.write([add])),
    ...Array.from({ length: 600 }, () => lookUp(db)),
    ...Array.from({ length: 80 }, () => readAll(db)),
  ];
  await Promise.all(busy());
  assert.equal(await sessions(), 8);
  const operator = new pg.Client({ connectionString: url });
  await operator.connect();
  await operator.query('begin; lock table thing in access exclusive mode');
  // After the first timeout, statements on the locked table use sessions of their own.
  const timesOut = async (call: () => Promise<unknown>) => {
    for (let times = 0; times < 2; times += 1) await assert.rejects(call());
  };
  await Promise.all([timesOut(() => db.write([add])), timesOut(() => readAll(db))]);
  await operator.end();
  assert.equal(await sessions(), 10);
  await db.close();
  await waitUntil(async () => (await sessions()) === 0);
});

test('postgres: a session that lost its prepared statements is replaced, and the call succeeds', async (t) => {
  const { db } = await open(t);
  for (let times = 0; times < 2; times += 1) {
    await db.write([add]);
    assert.equal((await readAll(db)).length, times + 1);
    await db.read('deallocate all');
    await db.write([{ sql: 'deallocate all' }]);
  }
});
