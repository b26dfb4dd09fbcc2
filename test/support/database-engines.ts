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

/** One of the two real engines. Every store is tested on both. */
export type Engine = {
  readonly name: 'sqlite' | 'postgres';
  /** A new migrated database, which is closed and deleted when the test ends. */
  open(t: TestContext): Promise<Database>;
  /** The location of a new empty database: the path of a file, or a URL. It is deleted when the test ends. */
  createLocation(t: TestContext): Promise<string>;
  /** Opens the database at a location. The caller closes it. */
  openAt(location: string): Promise<Database>;
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
  openAt: (location) => openSqlite(location, openOptions),
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
  openAt: (location) => openPostgres(location, openOptions),
};

/**
 * Creates the migrated file that `open` copies in all test processes of a run: `TEST_SQLITE_TEMPLATE` names it. A migration takes
 * as long as the rest of a test. Returns its path. The file is deleted when this process ends.
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
