import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { migrate, migrationsFolder } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { waitUntil } from './wait-until.ts';

const createOptions = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'";
const migrationClock: Clock = { now: () => Date.UTC(2026, 0, 1) };

let databaseCount = 0;
let startedServer: Promise<PostgresServer> | undefined;
let template: Promise<string> | undefined;

/** The URL of the server's `postgres` database: `TEST_DATABASE_URL`, or a server that this process starts for itself. */
export async function postgresServerUrl(): Promise<string> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url !== undefined) return url;
  // The server ends with this process.
  startedServer ??= startPostgres();
  return (await startedServer).url;
}

/** Runs SQL in the `postgres` database of the server. */
export function queryServer(sql: string): Promise<pg.QueryResultRow[]> {
  return withServer(async (client) => (await client.query(sql)).rows);
}

async function withServer<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: await postgresServerUrl() });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Creates a database, migrated or empty, and returns its URL. */
export async function createDatabase(kind: 'migrated' | 'empty'): Promise<string> {
  databaseCount += 1;
  const name = `cs_test_${process.pid}_${databaseCount}`;
  if (kind === 'empty') await queryServer(`create database ${name} ${createOptions} strategy file_copy`);
  else {
    template ??= findTemplate();
    await queryServer(`create database ${name} template ${await template} strategy file_copy`);
  }
  return urlOfDatabase(name);
}

/** Drops the database at a URL of `createDatabase`, also while clients are connected. */
export async function dropDatabase(url: string): Promise<void> {
  const name = databaseNameOf(url);
  await withServer(async (client) => {
    // Otherwise a running server of the test would reconnect, and `drop database` would fail after five seconds.
    await client.query(`alter database ${name} allow_connections false`);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    // `drop database` would check only every 100 ms whether a session has ended.
    while ((await client.query(end)).rows.length > 0);
    await client.query(`drop database ${name}`);
  });
}

/** Resolves when no client is connected. The last statements of a killed process may still run until then. */
export async function waitUntilNoSessions(url: string): Promise<void> {
  const sessions = `select 1 from pg_stat_activity where datname = '${databaseNameOf(url)}'`;
  await waitUntil(async () => (await queryServer(sessions)).length === 0);
}

/** The name of the database at a URL. */
export function databaseNameOf(url: string): string {
  return new URL(url.replace('@/', '@localhost/')).pathname.slice(1);
}

async function urlOfDatabase(name: string): Promise<string> {
  return (await postgresServerUrl()).replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
}

// One migrated database for each set of migrations. All test processes on a server copy it.
async function findTemplate(): Promise<string> {
  const name = `cs_template_${migrationsDigest()}`;
  const exists = `select 1 from pg_database where datname = '${name}'`;
  if ((await queryServer(exists)).length > 0) return name;
  const temporaryName = `${name}_${process.pid}`;
  await queryServer(`create database ${temporaryName} ${createOptions}`);
  const db = await openPostgres(await urlOfDatabase(temporaryName), { random: systemRandom });
  await migrate(db, migrationClock);
  await db.close();
  try {
    await queryServer(`alter database ${temporaryName} rename to ${name}`);
  } catch (error) {
    // Another test process may have created it first.
    await queryServer(`drop database ${temporaryName}`);
    if ((await queryServer(exists)).length === 0) throw error;
  }
  return name;
}

function migrationsDigest(): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(migrationsFolder).sort()) digest.update(readFileSync(join(migrationsFolder, file)));
  return digest.digest('hex').slice(0, 12);
}

/** A new migrated database, opened as a server does, and a connection of an operator. Both are closed after the test. */
export async function openMigratedDatabase(t: Pick<TestContext, 'after'>) {
  const url = await createDatabase('migrated');
  const operator = new pg.Client({ connectionString: url });
  await operator.connect();
  const db = await openPostgres(url, { random: systemRandom });
  t.after(async () => {
    await Promise.all([operator.end(), db.close()]);
    await dropDatabase(url);
  });
  return { db, operator };
}
