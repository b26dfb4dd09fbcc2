import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { WriteRefused } from '../../src/store/db.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { createDatabase, databaseOf, dropDatabase, onServer } from '../postgres-databases.ts';
import { until } from '../until.ts';
import { startProxy } from './postgres-proxy.ts';

// With `lc_messages` of another language PostgreSQL translates the severity as well: ERROR is FEHLER, ERREUR or ERRORE.

const words = new Map([
  ['SERROR\0', 'SFEHLE\0'],
  ['division by zero', 'Division d. Null'],
]);

test('postgres: a server that speaks another language refuses a unit alone, as every other', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const proxy = await startProxy(t, url);
  proxy.translate(words);
  const db = await openPostgres(proxy.url, { random: systemRandom });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null primary key)' }]);
  const add = (id: string) => ({ sql: 'insert into thing (id) values ($1)', args: [id] });
  await db.write([add('a')]);
  const results = await Promise.allSettled([add('a'), add('b')].map((statement) => db.write([statement])));
  assert.deepEqual(results, [
    { status: 'rejected', reason: new WriteRefused('unique', 0, 'PostgreSQL 23505 at thing, thing_pkey') },
    { status: 'fulfilled', value: [[]] },
  ]);
  await assert.rejects(db.read('select nothing from thing'), /read failed: PostgreSQL 42703/);
  assert.deepEqual(await db.read('select id from thing order by id'), [{ id: 'a' }, { id: 'b' }]);
});

test('postgres: a server that speaks English is asked nothing that it refuses, which would be in its log', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom });
  await db.read('select 1 as one');
  await db.close();
  // A session tells its counts when it ends.
  const ends =
    'select sum(xact_commit) as commits, sum(xact_rollback) as refused from pg_stat_database where datname = ';
  const counts = async () => (await onServer(`${ends}'${databaseOf(url)}'`))[0] ?? {};
  await until(async () => Number((await counts())['commits']) > 0);
  assert.equal(Number((await counts())['refused']), 0);
});
