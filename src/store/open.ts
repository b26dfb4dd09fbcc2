import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock, Random } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import type { Db } from './db.ts';
import { migrate, type Step } from './migrations.ts';
import { makeFolder } from './sync-folder.ts';

export type DatabaseSettings = {
  /** A `postgres://` URL; without one the database is a SQLite file in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random?: Random;
  /** Told of each migration of a database that has been in use, before it begins. */
  readonly onMigration?: ((step: Step) => void) | undefined;
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
export async function joinDatabase(
  { databaseUrl, dataDir, random = systemRandom }: Omit<DatabaseSettings, 'clock' | 'onLost' | 'onMigration'>,
  port: MessagePort | undefined,
): Promise<Db> {
  if (databaseUrl !== undefined) return (await import('./postgres.ts')).openPostgres(databaseUrl, { random });
  if (port === undefined) throw new TypeError('an SQLite database is joined through a port of its writer');
  return (await import('./sqlite.ts')).joinSqlite(join(dataDir, databaseFile), port, random);
}

const migrationTimeoutMs = 3_600_000;

/** Opens the database that the settings name, migrated to this program. The adapter of the other engine is not loaded. */
export async function openDatabase(settings: DatabaseSettings): Promise<Db> {
  const { databaseUrl, clock, random = systemRandom } = settings;
  if (databaseUrl === undefined) return openFile(settings, random);
  const { openPostgres } = await import('./postgres.ts');
  // A migration of a large table may take longer than any statement of a request.
  const patient = await openPostgres(databaseUrl, { random, statementTimeoutMs: migrationTimeoutMs });
  try {
    await migrate(patient, clock, { onStep: settings.onMigration });
  } finally {
    await patient.close();
  }
  return openPostgres(databaseUrl, { random });
}

async function openFile(settings: DatabaseSettings, random: Random): Promise<Db> {
  const { openSqlite } = await import('./sqlite.ts');
  const { dataDir } = settings;
  await makeFolder(dataDir);
  const path = join(dataDir, databaseFile);
  // An empty database would be in the way of what is being restored.
  if (!existsSync(path) && existsSync(join(dataDir, restoringFile))) {
    throw new Error(
      `a backup is being restored into ${dataDir}, or its restoration broke off: run it again, or remove ${join(dataDir, restoringFile)}`,
    );
  }
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
