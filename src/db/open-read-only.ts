import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { splitPostgresUrl } from '../kernel/postgres-url.ts';
import { type Database, DatabaseUnusable } from './database.ts';
import { type DatabaseOptions, databaseFile } from './open-database.ts';
import { explainSqliteError, sqliteErrorInfo } from './sqlite/sqlite-error.ts';
import type { SqliteReader } from './sqlite/sqlite-reader.ts';
import { createStatementTexts, validateStatement } from './statement-texts.ts';

/** A database for reads: no file is changed or created, and no lock that a server needs is taken. */
export type ReadOnlyDatabase = Pick<Database, 'engine' | 'read' | 'close'>;

const timeoutMs = 5_000;

/**
 * Opens a database with any schema for reads, even while a server has it open. Returns undefined where there is no SQLite file.
 * It connects to PostgreSQL at the first read.
 */
export async function openReadOnly({
  databaseUrl,
  dataDir,
}: Pick<DatabaseOptions, 'databaseUrl' | 'dataDir'>): Promise<ReadOnlyDatabase | undefined> {
  if (databaseUrl !== undefined) return openPostgresReadOnly(databaseUrl);
  const path = join(dataDir, databaseFile);
  // `existsSync` would return false for a folder that this process may not read.
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : openSqliteReadOnly(path);
}

async function openSqliteReadOnly(path: string): Promise<ReadOnlyDatabase> {
  const { openSqliteReader } = await import('./sqlite/sqlite-reader.ts');
  const { toReadError, refuseNetworkFileSystem } = await import('./sqlite/open-sqlite.ts');
  refuseNetworkFileSystem(path);
  // A reader of a properly closed file would create its `-wal` and `-shm` files, and leave them there.
  const isClosed = !existsSync(`${path}-wal`);
  const location = isClosed ? new URL(`${pathToFileURL(path)}?immutable=1`) : path;
  let reader: SqliteReader;
  try {
    reader = openSqliteReader(location);
  } catch (cause) {
    throw new DatabaseUnusable(explainSqliteError(path, sqliteErrorInfo(cause)), { cause });
  }
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

async function openPostgresReadOnly(url: string): Promise<ReadOnlyDatabase> {
  const { createPostgresConnector } = await import('./postgres/postgres-connection.ts');
  const { requirePrimarySql } = await import('./postgres/open-postgres.ts');
  const { createReadPool } = await import('./postgres/read-pool.ts');
  const texts = createStatementTexts();
  const connect = createPostgresConnector(url);
  const limits = `set statement_timeout = ${timeoutMs}; set lock_timeout = ${timeoutMs}; set default_transaction_read_only = on`;
  // Of several hosts the primary is read, as a server does. A single host may be a standby, which the doctor reports.
  const hostCheck = (splitPostgresUrl(url)?.length ?? 1) > 1 ? `${requirePrimarySql}; ` : '';
  const readers = createReadPool((setup) =>
    connect({ texts, setup: `${hostCheck}${limits}; ${setup}`, deadlineMs: timeoutMs }),
  );
  return {
    engine: 'postgres',
    read: async (sql, args = [], options = {}) => {
      const fault = validateStatement({ sql, args }, texts(sql));
      if (fault !== undefined) throw new TypeError(fault);
      return readers.read(sql, args, options);
    },
    close: () => readers.close(),
  };
}

/**
 * The id of the process that has an SQLite database open, from /proc/locks: taking the lock itself could stop a server that
 * starts at this moment. Undefined where there is none, or where the system has no /proc/locks.
 */
export function lockHolderPid(dataDir: string): number | undefined {
  const lock = statSync(join(dataDir, `${databaseFile}-lock`), { throwIfNoEntry: false });
  if (lock === undefined || !existsSync('/proc/locks')) return undefined;
  // Such as `1: POSIX  ADVISORY  WRITE 29118 fe:00:2401942 1073741824 1073742335`. A waiting lock has `->` as its second field.
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, kind, , mode, pid = '', device = ''] = line.split(/\s+/);
    if (kind === 'POSIX' && mode === 'WRITE' && device.split(':')[2] === String(lock.ino)) return Number(pid);
  }
  return undefined;
}
