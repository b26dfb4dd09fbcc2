import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteRefused } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

// With another `lc_messages`, PostgreSQL translates the severity: ERROR is FEHLER, ERREUR or ERRORE.

const translations = new Map([['SERROR\0', 'SFEHLE\0']]);

test('postgres: a constraint violation on a server with translated messages refuses one unit, and the other is stored', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const proxy = await startPostgresProxy(t, url);
  proxy.replaceServerMessages(translations);
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

test('postgres: opening and closing a database causes no error on the server', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom });
  await db.read('select 1 as one');
  await db.close();
  // A session reports its counts when it ends.
  const ends =
    'select sum(xact_commit) as commits, sum(xact_rollback) as refused from pg_stat_database where datname = ';
  const counts = async () => (await queryServer(`${ends}'${databaseNameOf(url)}'`))[0] ?? {};
  await waitUntil(async () => Number((await counts())['commits']) > 0);
  assert.equal(Number((await counts())['refused']), 0);
});
