import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { type Database, DatabaseUnusable } from './database.ts';
import { isMigrated, type MigrationProgress, migrate } from './migrate.ts';
import { createSyncedFolder } from './sync-folder.ts';

/** The database to open, and how to open it. */
export type DatabaseOptions = {
  /** A `postgres://` URL. Without one, the database is an SQLite file in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
  /**
   * Rejects instead of creating a database. With a wrong path, or a disk that is not mounted, the server would otherwise answer
   * from an empty database.
   */
  readonly mustExist?: boolean;
  /** Called before each migration of a database that is not new. */
  readonly onMigration?: ((step: MigrationProgress) => void) | undefined;
  /** Called before a PostgreSQL database that is not new is migrated; may reject. Only one process can have an SQLite file open. */
  readonly mayMigrate?: ((read: Database['read']) => Promise<void>) | undefined;
  /** Called once when the disk or the writer of SQLite fails. The process must stop; the next start recovers. */
  readonly onLost?: (error: Error) => void;
};

/** The SQLite file within `DATA_DIR`. */
export const databaseFile = 'citizen-services.sqlite';

/** The name of the SQLite file while a backup is being restored. */
export const restoringFile = `${databaseFile}.restoring`;

/**
 * Opens, in another thread, the database that the main thread has opened and migrated. `port` comes from `Database.share` of
 * the main thread, which also reports a lost writer.
 */
export async function openDatabaseInThread(
  { databaseUrl, dataDir, random = systemRandom }: Pick<DatabaseOptions, 'databaseUrl' | 'dataDir' | 'random'>,
  port: MessagePort | undefined,
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(databaseUrl, { random });
  }
  if (port === undefined) throw new TypeError('expected a port of the SQLite writer, received none');
  const { openSqliteInThread } = await import('./sqlite/open-sqlite.ts');
  return openSqliteInThread({ path: join(dataDir, databaseFile), port, random });
}

const migrationTimeoutMs = 3_600_000;

/** Opens the database that the settings name, and applies pending migrations. The adapter of the other engine is not loaded. */
export async function openDatabase(settings: DatabaseOptions): Promise<Database> {
  const { databaseUrl, clock, random = systemRandom } = settings;
  if (databaseUrl === undefined) return openSqliteFile(settings, random);
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  // The migration of a large table can take longer than any statement of a request.
  const migrationDatabase = await openPostgres(databaseUrl, { random, statementTimeoutMs: migrationTimeoutMs });
  try {
    if (settings.mustExist === true && !(await isMigrated(migrationDatabase))) {
      throw new DatabaseUnusable(
        'the database of DATABASE_URL is empty. To create its tables, run: citizen-services keys create. Otherwise check that SETTINGS_FILE and DATABASE_URL name the right database',
      );
    }
    await migrate(migrationDatabase, clock, { onStep: settings.onMigration, mayChange: settings.mayMigrate });
  } finally {
    await migrationDatabase.close();
  }
  return openPostgres(databaseUrl, { random });
}

async function openSqliteFile(settings: DatabaseOptions, random: RandomBytes): Promise<Database> {
  const { openSqlite } = await import('./sqlite/open-sqlite.ts');
  const { dataDir } = settings;
  const path = join(dataDir, databaseFile);
  // A new empty database would block the restoration.
  if (!existsSync(path) && existsSync(join(dataDir, restoringFile))) {
    throw new DatabaseUnusable(
      `a backup is being restored into ${dataDir}, or its restoration was interrupted: run it again, or remove ${join(dataDir, restoringFile)}`,
    );
  }
  if (settings.mustExist === true && !fileExists(path)) {
    throw new DatabaseUnusable(
      `there is no database in ${dataDir}. To create one, run: citizen-services keys create. Otherwise check that SETTINGS_FILE and DATA_DIR name the right folder, and that its disk is mounted`,
    );
  }
  await createSyncedFolder(dataDir);
  const options = settings.onLost === undefined ? { random } : { random, onLost: settings.onLost };
  const db = await openSqlite(path, options);
  try {
    await migrate(db, settings.clock, { onStep: settings.onMigration });
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Whether the file exists. `existsSync` would return false for a folder that this process may not read. */
function fileExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DatabaseUnusable(`${path} cannot be read (${code}): the user of this process must own DATA_DIR`, {
      cause,
    });
  }
}
