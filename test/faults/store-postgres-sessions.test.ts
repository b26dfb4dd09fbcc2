import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

// Each session is a process of the server, and there are few of them.

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
const lookUp = (db: Database) => db.read('select id from thing where id = $1', ['a']);
const readAll = (db: Database) => db.read('select id from thing');

test('postgres: what is asked one after the other goes over one session for writes, one for lookups, one for other reads, until it ends', async (t) => {
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

test('postgres: a database that is closed leaves no session behind, however busy it was', async (t) => {
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
  // What comes behind the first that waited in vain goes over sessions of its own.
  const inVain = async (ask: () => Promise<unknown>) => {
    for (let times = 0; times < 2; times += 1) await assert.rejects(ask());
  };
  await Promise.all([inVain(() => db.write([add])), inVain(() => readAll(db))]);
  await operator.end();
  assert.equal(await sessions(), 10);
  await db.close();
  await waitUntil(async () => (await sessions()) === 0);
});

test('postgres: a session that has lost its prepared statements, as a pooler may reset one, is given up for another', async (t) => {
  const { db } = await open(t);
  for (let times = 0; times < 2; times += 1) {
    await db.write([add]);
    assert.equal((await readAll(db)).length, times + 1);
    await db.read('deallocate all');
    await db.write([{ sql: 'deallocate all' }]);
  }
});
