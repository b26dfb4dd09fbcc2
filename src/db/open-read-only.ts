import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from './database.ts';
import { type DatabaseOptions, databaseFile } from './open-database.ts';
import { explainSqliteError, sqliteErrorInfo } from './sqlite/sqlite-error.ts';
import { createStatementTexts, validateStatement } from './statement-texts.ts';

/** A database that is only looked at: nothing in it or beside it is changed, and no lock is taken that a server needs. */
export type ReadOnlyDatabase = Pick<Database, 'engine' | 'read' | 'close'>;

const timeoutMs = 5_000;

/**
 * Opens what is there to be read, also beside a server that has it open, whatever its schema; undefined where there is no
 * SQLite file yet. PostgreSQL is not connected to before the first read.
 */
export async function openReadOnly({
  databaseUrl,
  dataDir,
}: Pick<DatabaseOptions, 'databaseUrl' | 'dataDir'>): Promise<ReadOnlyDatabase | undefined> {
  if (databaseUrl !== undefined) return openPostgresReadOnly(databaseUrl);
  const path = join(dataDir, databaseFile);
  // `existsSync` would take a folder that is shut to us for an absent file.
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : openSqliteReadOnly(path);
}

async function openSqliteReadOnly(path: string): Promise<ReadOnlyDatabase> {
  const { openSqliteReader } = await import('./sqlite/sqlite-reader.ts');
  const { toReadError, refuseNetworkFileSystem } = await import('./sqlite/open-sqlite.ts');
  refuseNetworkFileSystem(path);
  // A reader of a file that was closed well would make the two files beside it anew, and leave them there.
  const isClosed = !existsSync(`${path}-wal`);
  const place = isClosed ? new URL(`${pathToFileURL(path)}?immutable=1`) : path;
  const reader = openOrExplain(path, () => openSqliteReader(place));
  return {
    engine: 'sqlite',
    read: async (sql, args) => {
      try {
        return reader.run(sql, args);
      } catch (error) {
        throw toReadError(error);
      }
    },
    close: async () => reader.close(),
  };
}

function openOrExplain<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (fault) {
    throw new Error(explainSqliteError(path, sqliteErrorInfo(fault)), { cause: fault });
  }
}

async function openPostgresReadOnly(url: string): Promise<ReadOnlyDatabase> {
  const { connectPostgres } = await import('./postgres/postgres-connection.ts');
  const { createReadPool } = await import('./postgres/read-pool.ts');
  const texts = createStatementTexts();
  const limits = `set statement_timeout = ${timeoutMs}; set lock_timeout = ${timeoutMs}; set default_transaction_read_only = on`;
  const readers = createReadPool((more) =>
    connectPostgres({ url, texts, setup: `${limits}; ${more}`, deadlineMs: timeoutMs }),
  );
  return {
    engine: 'postgres',
    read: async (sql, args = []) => {
      const fault = validateStatement({ sql, args }, texts(sql));
      if (fault !== undefined) throw new TypeError(fault);
      return readers.read(sql, args);
    },
    close: () => readers.close(),
  };
}

/**
 * The process that has an SQLite database open, by the word of the system: asking for the lock itself could refuse a server
 * that starts at this moment. Undefined where there is none, or where the system does not tell.
 */
export function lockHolderPid(dataDir: string): number | undefined {
  const lock = statSync(join(dataDir, `${databaseFile}-lock`), { throwIfNoEntry: false });
  if (lock === undefined || !existsSync('/proc/locks')) return undefined;
  // As `1: POSIX  ADVISORY  WRITE 29118 fe:00:2401942 1073741824 1073742335`; one that waits has an arrow in front.
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, kind, , mode, pid = '', place = ''] = line.split(/\s+/);
    if (kind === 'POSIX' && mode === 'WRITE' && place.split(':')[2] === String(lock.ino)) return Number(pid);
  }
  return undefined;
}
