import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import type { Database } from './database.ts';
import { isMigrated, type MigrationProgress, migrate } from './migrate.ts';
import { createSyncedFolder } from './sync-folder.ts';

export type DatabaseOptions = {
  /** A `postgres://` URL; without one the database is a SQLite file in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
  /**
   * Refuses to begin a database where none is: at a wrong place, as one that is not mounted, whatever is asked would be
   * answered from an empty one, as if nothing were wrong.
   */
  readonly mustExist?: boolean;
  /** Told of each migration of a database that has been in use, before it begins. */
  readonly onMigration?: ((step: MigrationProgress) => void) | undefined;
  /** Called once when the disk or the writer of SQLite fails: the process has to stop, the next start recovers. */
  readonly onLost?: (error: Error) => void;
};

/** The SQLite file within `DATA_DIR`. */
export const databaseFile = 'citizen-services.sqlite';

/** What a restoration makes of it before it gets its name. */
export const restoringFile = `${databaseFile}.restoring`;

/**
 * Opens, in another thread, what this process has open and has migrated; `port` is what `Db.share` gave there. A writer
 * that is lost is the first thread's to tell.
 */
export async function openDatabaseInThread(
  {
    databaseUrl,
    dataDir,
    random = systemRandom,
  }: Omit<DatabaseOptions, 'clock' | 'mustExist' | 'onLost' | 'onMigration'>,
  port: MessagePort | undefined,
): Promise<Database> {
  if (databaseUrl !== undefined)
    return (await import('./postgres/open-postgres.ts')).openPostgres(databaseUrl, { random });
  if (port === undefined) throw new TypeError('an SQLite database is joined through a port of its writer');
  return (await import('./sqlite/open-sqlite.ts')).openSqliteInThread(join(dataDir, databaseFile), port, random);
}

const migrationTimeoutMs = 3_600_000;

/** Opens the database that the settings name, migrated to this program. The adapter of the other engine is not loaded. */
export async function openDatabase(settings: DatabaseOptions): Promise<Database> {
  const { databaseUrl, clock, random = systemRandom } = settings;
  if (databaseUrl === undefined) return openSqliteFile(settings, random);
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  // A migration of a large table may take longer than any statement of a request.
  const migrationDatabase = await openPostgres(databaseUrl, { random, statementTimeoutMs: migrationTimeoutMs });
  try {
    if (settings.mustExist === true && !(await isMigrated(migrationDatabase))) {
      throw new Error(
        'the database of DATABASE_URL is empty. A new one gets its tables with: citizen-services keys create; else see that SETTINGS_FILE and DATABASE_URL name the right one',
      );
    }
    await migrate(migrationDatabase, clock, { onStep: settings.onMigration });
  } finally {
    await migrationDatabase.close();
  }
  return openPostgres(databaseUrl, { random });
}

async function openSqliteFile(settings: DatabaseOptions, random: RandomBytes): Promise<Database> {
  const { openSqlite } = await import('./sqlite/open-sqlite.ts');
  const { dataDir } = settings;
  const path = join(dataDir, databaseFile);
  // An empty database would be in the way of what is being restored.
  if (!existsSync(path) && existsSync(join(dataDir, restoringFile))) {
    throw new Error(
      `a backup is being restored into ${dataDir}, or its restoration broke off: run it again, or remove ${join(dataDir, restoringFile)}`,
    );
  }
  if (settings.mustExist === true && !fileExists(path)) {
    throw new Error(
      `there is no database in ${dataDir}. A new one is made by: citizen-services keys create; else see that SETTINGS_FILE and DATA_DIR name the right place, and that it is mounted`,
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

/** Whether the file is there; `existsSync` would take one in a folder that is shut to us for absent. */
function fileExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be looked at (${code}): the user of this process must own DATA_DIR`, { cause });
  }
}
