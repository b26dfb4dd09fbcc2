import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Clock } from '../src/kernel/clock.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import type { Db } from '../src/store/db.ts';
import { migrate } from '../src/store/migrations.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { createDatabase, dropDatabase } from './postgres-databases.ts';
import { makeTestFolder } from './test-folder.ts';

/** One of the two real engines that every store is tested on. */
export type Engine = {
  readonly name: 'sqlite' | 'postgres';
  /** A fresh database, migrated; closed and thrown away when the test ends. */
  open(t: TestContext): Promise<Db>;
  /** Where a fresh database without any schema is: the path of a file, or a URL. Thrown away when the test ends. */
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
    const path = join(folder, 'test.sqlite');
    const template = process.env['TEST_SQLITE_TEMPLATE'];
    if (template !== undefined) copyFileSync(template, path);
    const db = await openSqlite(path, options);
    t.after(async () => {
      await db.close();
      removeFolder(folder);
    });
    if (template === undefined) await migrate(db, clock);
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
    const url = await createDatabase('migrated');
    const db = await openPostgres(url, options);
    t.after(async () => {
      await db.close();
      await dropDatabase(url);
    });
    return db;
  },
  place: async (t) => {
    const url = await createDatabase('empty');
    t.after(() => dropDatabase(url));
    return url;
  },
  openAt: (place) => openPostgres(place, options),
};

/**
 * Makes the migrated file that `open` copies in all processes of a run, where `TEST_SQLITE_TEMPLATE` names it: migrating one takes
 * as long as all else that a test does. Gives its path, and it ends with this process.
 */
export async function makeSqliteTemplate(): Promise<string> {
  const path = join(makeFolder(), 'template.sqlite');
  const db = await openSqlite(path, options);
  await migrate(db, clock);
  await db.close();
  return path;
}

/** Both engines: `for (const engine of engines) test(`${engine.name}: claim`, async (t) => { … })`. */
export const engines: readonly Engine[] = [sqlite, postgres];

function makeFolder(): string {
  return makeTestFolder('cs-sqlite-');
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
