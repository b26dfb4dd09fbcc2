import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { checkClock, unencryptedWarning } from '../../src/app/doctor/database-checks.ts';
import { readSettings } from '../../src/config/settings.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openReadOnly } from '../../src/db/open-read-only.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type DoctorReport, runDoctor, testPassword } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import {
  createDatabase,
  databaseNameOf,
  dropDatabase,
  postgresServerUrl,
  queryServer,
  startPostgres,
} from '../support/postgres-databases.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// How `doctor` checks PostgreSQL. The server of the tests runs with fsync off, unlike a server in production.

async function doctorOf(t: TestContext, url: string): Promise<DoctorReport> {
  const dataDir = makeTestFolder('cs-pg-ill-');
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return await runDoctor({ DATA_DIR: dataDir, PORT: String(await freePort()), DATABASE_URL: url });
}

async function fresh(t: TestContext, kind: 'migrated' | 'empty'): Promise<string> {
  const url = await createDatabase(kind);
  t.after(() => dropDatabase(url));
  return url;
}

const tables = "select count(*) as count from pg_tables where schemaname = 'public'";
async function tablesIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(tables);
  await client.end();
  return Number(rows[0].count);
}

test('a server without fsync is a fault, and its database is checked', async (t) => {
  const { ofCheck, code } = await doctorOf(t, await fresh(t, 'migrated'));
  assert.deepEqual(
    ofCheck('database-server').map(({ status, found }) => `${status} ${found}`),
    ['fsync', 'full_page_writes'].map((name) => `fault ${name} is off: a power failure can destroy the database`),
  );
  assert.deepEqual([ofCheck('database')[0]?.status, ofCheck('clock')[0]?.status], ['ok', 'ok']);
  assert.deepEqual([ofCheck('clients')[0]?.status, ofCheck('register')[0]?.status, code], ['warn', 'warn', 1]);
});

test('a clock that differs from the server clock by a minute is a warning', async (t) => {
  const databaseUrl = await fresh(t, 'empty');
  const settings = readSettings({ DATABASE_URL: databaseUrl });
  const opened = openReadOnly({ databaseUrl, dataDir: settings.dataDir });
  t.after(async () => await (await opened)?.close());
  for (const [apartMs, status] of [
    [60_000, 'warn'],
    [-60_000, 'warn'],
    [0, 'ok'],
  ] as const) {
    const clock = { now: () => systemClock.now() + apartMs };
    const deps = {
      settings,
      clock,
      root: undefined,
      database: () => opened,
      schema: async () => undefined,
    };
    const [finding] = [await checkClock(deps)].flat();
    assert.equal(finding?.is, status);
    assert.match(finding?.found ?? '', /^\d+ s from the clock of PostgreSQL$/);
  }
});

test('an empty database is reported as a warning, and stays empty', async (t) => {
  const url = await fresh(t, 'empty');
  const { ofCheck } = await doctorOf(t, url);
  assert.match(ofCheck('database')[0]?.found ?? '', /^PostgreSQL \d+\S*, \d+.*, empty$/);
  assert.deepEqual([ofCheck('database')[0]?.status, ofCheck('clients'), await tablesIn(url)], ['warn', [], 0]);
});

test('a role that cannot create tables is a fault before the first start', async (t) => {
  const url = await fresh(t, 'empty');
  const role = `weak_${process.pid}`;
  await queryServer(`create role ${role} login`);
  t.after(() => queryServer(`drop role ${role}`));
  const { ofCheck } = await doctorOf(t, url.replace('postgres@', `${role}@`));
  assert.equal(ofCheck('database')[0]?.status, 'fault');
  assert.match(ofCheck('database')[0]?.found ?? '', /: this role cannot create tables$/);
});

test('tables of another role, such as after a restore, are a fault with the fix', async (t) => {
  const url = await fresh(t, 'migrated');
  const role = `reader_${process.pid}`;
  await queryServer(`create role ${role} login`);
  t.after(() => queryServer(`drop role ${role}`));
  const { ofCheck } = await doctorOf(t, url.replace('postgres@', `${role}@`));
  assert.match(ofCheck('database')[0]?.found ?? '', /permission denied for table/);
  assert.match(ofCheck('database')[0]?.fix ?? '', /^make the role in DATABASE_URL the owner of the tables/);
});

test('a connection without TLS is a warning for another machine, and not for this one', () => {
  assert.deepEqual(
    unencryptedWarning('10.0.0.5', false).map(({ is, found }) => `${is} ${found}`),
    ['warn the connection to 10.0.0.5 is not encrypted'],
  );
  for (const [address, isEncrypted] of [
    ['10.0.0.5', true],
    ['127.0.0.1', false],
    ['::1', false],
    ['', false],
  ] as const)
    assert.deepEqual(unencryptedWarning(address, isEncrypted), [], address);
});

for (const [title, order] of [
  ['not in UTF-8', "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'"],
  ['sorted by the rules of a language', "encoding 'UTF8' locale_provider 'icu' icu_locale 'en-US'"],
]) {
  test(`a database that is ${title} is a fault with the statement that creates a correct one`, async (t) => {
    const name = `ill_${process.pid}_${title?.length}`;
    await queryServer(`create database ${name} template template0 ${order}`);
    const url = (await postgresServerUrl()).replace(/\/postgres\?/, `/${name}?`);
    t.after(() => dropDatabase(url));
    assert.equal(databaseNameOf(url), name);
    const { ofCheck, code } = await doctorOf(t, url);
    assert.match(ofCheck('database')[0]?.found ?? '', /^the database does not sort by bytes in UTF-8/);
    assert.match(
      ofCheck('database')[0]?.fix ?? '',
      /^create it with `create database NAME encoding 'UTF8' lc_collate 'C'/,
    );
    assert.deepEqual([ofCheck('database-server').length, code], [2, 1]);
  });
}

test('a server or database that does not exist is one fault without the password', async (t) => {
  const away = await doctorOf(t, `postgres://cs:${testPassword}@127.0.0.1:${await freePort()}/cs`);
  assert.match(away.ofCheck('database')[0]?.found ?? '', /ECONNREFUSED/);
  assert.match(away.ofCheck('database')[0]?.fix ?? '', /DATABASE_URL has its host/);
  for (const name of ['database-server', 'clock', 'clients', 'ledger']) assert.deepEqual(away.ofCheck(name), [], name);
  const socket = await doctorOf(t, `postgres://cs@localhost/cs?host=/nowhere-at-all&password=${testPassword}`);
  assert.match(socket.ofCheck('database')[0]?.found ?? '', /connect ENOENT \/nowhere-at-all\//);
  const absent = await doctorOf(t, (await postgresServerUrl()).replace(/\/postgres\?/, '/nowhere?'));
  assert.match(absent.ofCheck('database')[0]?.found ?? '', /database "nowhere" does not exist$/);
});

test('a database of an earlier version is a warning and is not migrated', async (t) => {
  // An earlier program without migrations.
  const folder = makeTestFolder('cs-earlier-');
  t.after(() => rmSync(folder, { recursive: true }));
  const url = await fresh(t, 'empty');
  const db = await openPostgres(url, { random: systemRandom });
  await migrate(db, systemClock, { folder });
  const { ofCheck } = await doctorOf(t, url);
  assert.match(
    ofCheck('database')[0]?.found ?? '',
    /from an earlier version: the next start applies 0001-initial\.sql/,
  );
  assert.deepEqual(ofCheck('signing-keys'), []);
  const [row] = await db.read('select count(*) as count from schema_migration');
  await db.close();
  assert.equal(row?.['count'], 0);
});

test('standbys without synchronous replication are a warning that says what a failover loses', async (t) => {
  const primary = await startPostgres();
  const standby = await startPostgres({ standbyOf: primary });
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await standby.stop();
    await primary.stop();
  });
  const found = async () => {
    const { ofCheck } = await doctorOf(t, primary.url);
    return ofCheck('database-server').flatMap(({ status, found }) => (status === 'warn' ? [found] : []));
  };
  await waitUntil(async () => (await client.query('select 1 from pg_stat_replication')).rows.length === 1);
  assert.deepEqual(await found(), [
    'none of the 1 standbys is synchronous: a failover loses the last requests that received a success response',
  ]);
  await client.query("alter system set synchronous_standby_names = 'standby'");
  await client.query("alter system set synchronous_commit = 'local'");
  await client.query('select pg_reload_conf()');
  await waitUntil(
    async () => (await client.query('show synchronous_standby_names')).rows[0].synchronous_standby_names !== '',
  );
  assert.deepEqual(await found(), ['synchronous_commit is local: no commit waits for the synchronous standby']);
  await client.query('alter system reset synchronous_commit');
  await client.query('select pg_reload_conf()');
  await waitUntil(async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit === 'on');
  assert.deepEqual(await found(), []);
});
