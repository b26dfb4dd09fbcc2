import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, dropDatabase } from './postgres-databases.ts';
import { makeTestFolder } from './test-folder.ts';

/** One of the two real engines that every store is tested on. */
export type Engine = {
  readonly name: 'sqlite' | 'postgres';
  /** A fresh database, migrated; closed and thrown away when the test ends. */
  open(t: TestContext): Promise<Database>;
  /** Where a fresh database without any schema is: the path of a file, or a URL. Thrown away when the test ends. */
  createLocation(t: TestContext): Promise<string>;
  /** Opens the database at a place; the caller closes it. */
  openAt(createLocation: string): Promise<Database>;
};

const fixedClock: Clock = { now: () => Date.UTC(2026, 0, 1) };
const openOptions = { random: systemRandom };

const sqliteEngine: Engine = {
  name: 'sqlite',
  open: async (t) => {
    const folder = makeSqliteFolder();
    const path = join(folder, 'test.sqlite');
    const template = process.env['TEST_SQLITE_TEMPLATE'];
    if (template !== undefined) copyFileSync(template, path);
    const db = await openSqlite(path, openOptions);
    t.after(async () => {
      await db.close();
      removeSqliteFolder(folder);
    });
    if (template === undefined) await migrate(db, fixedClock);
    return db;
  },
  createLocation: async (t) => {
    const folder = makeSqliteFolder();
    t.after(() => removeSqliteFolder(folder));
    return join(folder, 'test.sqlite');
  },
  openAt: (place) => openSqlite(place, openOptions),
};

const postgresEngine: Engine = {
  name: 'postgres',
  open: async (t) => {
    const url = await createDatabase('migrated');
    const db = await openPostgres(url, openOptions);
    t.after(async () => {
      await db.close();
      await dropDatabase(url);
    });
    return db;
  },
  createLocation: async (t) => {
    const url = await createDatabase('empty');
    t.after(() => dropDatabase(url));
    return url;
  },
  openAt: (place) => openPostgres(place, openOptions),
};

/**
 * Makes the migrated file that `open` copies in all processes of a run, where `TEST_SQLITE_TEMPLATE` names it: migrating one takes
 * as long as all else that a test does. Gives its path, and it ends with this process.
 */
export async function makeSqliteTemplate(): Promise<string> {
  const path = join(makeSqliteFolder(), 'template.sqlite');
  const db = await openSqlite(path, openOptions);
  await migrate(db, fixedClock);
  await db.close();
  return path;
}

/** Both engines: `for (const engine of engines) test(`${engine.name}: claim`, async (t) => { … })`. */
export const engines: readonly Engine[] = [sqliteEngine, postgresEngine];

function makeSqliteFolder(): string {
  return makeTestFolder('cs-sqlite-');
}

function removeSqliteFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
