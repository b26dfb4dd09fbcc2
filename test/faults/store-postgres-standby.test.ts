import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { ReadUnavailable, WriteBusy } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { startPostgres } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

const random = systemRandom;

async function startServer(t: TestContext, standby: boolean): Promise<string> {
  const server = await startPostgres({ standby });
  t.after(() => server.stop());
  return server.url;
}

/** Does what `pg_ctl promote` does. */
async function promote(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
}

test('postgres: a standby is rejected at once with the fix, and accepted after it was promoted', async (t) => {
  const url = await startServer(t, true);
  const message = /: PostgreSQL 25006: this server is a standby, .*: name the primary in DATABASE_URL$/;
  await assert.rejects(openPostgres(url, { random }), message);
  await promote(url);
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null)' }]);
  assert.deepEqual(await db.read('select id from thing'), []);
});

test('postgres: while the address leads to a standby, reads are unavailable and writes are busy', async (t) => {
  const [primary, standby] = [await startServer(t, false), await startServer(t, true)];
  const proxy = await startPostgresProxy(t, primary);
  const db = await openPostgres(proxy.url, { random });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null primary key)' }]);
  const add = { sql: 'insert into thing (id) values ($1)', args: ['a'] };
  const look = () => db.read('select 1 as one');
  await look();
  proxy.redirectTo(standby);
  await assert.rejects(look(), (fault: Error) => fault instanceof ReadUnavailable && /a standby/.test(fault.message));
  // A write during the loss of the connection may be stored. A later write is not.
  await db.write([add]).catch(() => undefined);
  await assert.rejects(
    db.write([add]),
    (fault: Error) => fault instanceof WriteBusy && /a standby/.test(fault.message),
  );
  proxy.redirectTo(primary);
  await db.write([{ ...add, sql: `${add.sql} on conflict (id) do nothing` }]);
  assert.deepEqual(await db.read('select id from thing where id = $1', ['a']), [{ id: 'a' }]);
});

test('postgres: the primary of several hosts is used in any position, and the promoted host after a failover', async (t) => {
  const [standby, primary] = [await startServer(t, true), await startServer(t, false)];
  const folderOf = (url: string) => new URL(url.replace('@/', '@localhost/')).searchParams.get('host');
  const proxy = await startPostgresProxy(t, primary);
  const hosts = ['/nowhere', folderOf(standby), folderOf(proxy.url)].join(',');
  const url = `postgres://postgres@/postgres?host=${hosts}&target_session_attrs=read-write`;
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  const isPrimary = async (name: string) => (await db.read(`select pg_is_in_recovery() as ${name}`))[0]?.[name];
  assert.equal(await isPrimary('one'), false);
  await db.write([{ sql: 'create table here (id text not null)' }]);

  proxy.redirectTo('postgres://nobody@/nowhere?host=/nowhere');
  await assert.rejects(
    db.write([{ sql: 'create table other (id text not null)' }]).catch(() => db.write([{ sql: 'select 1 as x' }])),
    /no host of DATABASE_URL accepts writes: host 3: .*, host 1: .*, host 2: .*this server is a standby/,
  );
  await promote(standby);
  await db.write([{ sql: 'create table there (id text not null)' }]);
  assert.deepEqual(await db.read('select id from there'), []);
  assert.equal(await isPrimary('two'), false);
});
