import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import pg from 'pg';
import type { Clock } from '../src/kernel/clock.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import type { Db } from '../src/store/db.ts';
import { migrate } from '../src/store/migrations.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** One of the two real engines that every store is tested on. */
export type Engine = {
  readonly name: 'sqlite' | 'postgres';
  /** A fresh database, migrated; closed and thrown away when the test ends. */
  open(t: TestContext): Promise<Db>;
  /** Where a fresh database without any schema is: a file's path, or a URL. */
  place(t: TestContext): Promise<string>;
  /** Opens the database at a place; the caller closes it. */
  openAt(place: string): Promise<Db>;
};

const clock: Clock = { now: () => Date.UTC(2026, 0, 1) };
const options = { random: systemRandom };

const sqlite: Engine = {
  name: 'sqlite',
  open: async (t) => {
    const folder = makeFolder();
    const db = await openSqlite(join(folder, 'test.sqlite'), options);
    t.after(async () => {
      await db.close();
      removeFolder(folder);
    });
    await migrate(db, clock);
    return db;
  },
  place: async (t) => {
    const folder = makeFolder();
    t.after(() => removeFolder(folder));
    return join(folder, 'test.sqlite');
  },
  openAt: (place) => openSqlite(place, options),
};

const postgres: Engine = {
  name: 'postgres',
  open: async (t) => {
    const name = await createDatabase(await template());
    const db = await openPostgres(withDatabase(await serverUrl(), name), options);
    t.after(async () => {
      await db.close();
      await dropDatabase(name);
    });
    return db;
  },
  place: async (t) => {
    const name = await createDatabase('template0');
    t.after(() => dropDatabase(name));
    return withDatabase(await serverUrl(), name);
  },
  openAt: (place) => openPostgres(place, options),
};

/** Both engines: `for (const engine of engines) test(`${engine.name}: claim`, async (t) => { … })`. */
export const engines: readonly Engine[] = [sqlite, postgres];

let databaseCount = 0;
let templateName: Promise<string> | undefined;
let ownServer: Promise<PostgresServer> | undefined;

/** The URL of the server's `postgres` database: `TEST_DATABASE_URL`, or a server that this process starts for itself. */
export async function serverUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined) return given;
  ownServer ??= startPostgres();
  return (await ownServer).url;
}

/** The same server's URL with another database. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
}

/** Runs SQL on the server, outside every database of a test. */
export async function onServer(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: await serverUrl() });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Makes the database that fresh ones are copied from, migrated. `scripts/test.ts` does so once for all test files. */
export async function createTemplate(name: string): Promise<string> {
  await onServer(`create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`);
  const db = await openPostgres(withDatabase(await serverUrl(), name), options);
  await migrate(db, clock);
  await db.close();
  return name;
}

function template(): Promise<string> {
  const given = process.env['TEST_DATABASE_TEMPLATE'];
  if (given !== undefined) return Promise.resolve(given);
  templateName ??= createTemplate(`template_${process.pid}`);
  return templateName;
}

async function createDatabase(from: string): Promise<string> {
  databaseCount += 1;
  const name = `test_${process.pid}_${databaseCount}`;
  const settings = from === 'template0' ? "encoding 'UTF8' lc_collate 'C' lc_ctype 'C'" : '';
  await onServer(`create database ${name} template ${from} ${settings} strategy file_copy`);
  return name;
}

async function dropDatabase(name: string): Promise<void> {
  await onServer(`drop database ${name} with (force)`);
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cs-sqlite-'));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

after(async () => {
  if (templateName !== undefined && ownServer === undefined) await onServer(`drop database ${await templateName}`);
  await (await ownServer)?.stop();
});
