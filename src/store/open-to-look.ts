import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Db } from './db.ts';
import { type DatabaseSettings, databaseFile } from './open.ts';
import { faultFrom, withRemedy } from './sqlite-faults.ts';
import { createTexts, faultOf } from './statement-texts.ts';

/** A database that is only looked at: nothing in it or beside it is changed, and no lock is taken that a server needs. */
export type LookedAt = Pick<Db, 'engine' | 'read' | 'close'>;

const patienceMs = 5_000;

/**
 * Opens what is there to be read, also beside a server that has it open, whatever its schema; undefined where there is no
 * SQLite file yet. PostgreSQL is not connected to before the first read.
 */
export async function openToLook({
  databaseUrl,
  dataDir,
}: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'>): Promise<LookedAt | undefined> {
  if (databaseUrl !== undefined) return lookAtPostgres(databaseUrl);
  const path = join(dataDir, databaseFile);
  // `existsSync` would take a folder that is shut to us for an absent file.
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : lookAtFile(path);
}

async function lookAtFile(path: string): Promise<LookedAt> {
  const { openReader } = await import('./sqlite-reader.ts');
  const { readError, refuseNetworkFileSystem } = await import('./sqlite.ts');
  refuseNetworkFileSystem(path);
  // A reader of a file that was closed well would make the two files beside it anew, and leave them there.
  const isClosed = !existsSync(`${path}-wal`);
  const place = isClosed ? new URL(`${pathToFileURL(path)}?immutable=1`) : path;
  const reader = openedOr(path, () => openReader(place));
  return {
    engine: 'sqlite',
    read: async (sql, args) => {
      try {
        return reader.run(sql, args);
      } catch (error) {
        throw readError(error);
      }
    },
    close: async () => reader.close(),
  };
}

function openedOr<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (fault) {
    throw new Error(withRemedy(path, faultFrom(fault)), { cause: fault });
  }
}

async function lookAtPostgres(url: string): Promise<LookedAt> {
  const { connect } = await import('./postgres-connection.ts');
  const { createReaders } = await import('./postgres-readers.ts');
  const texts = createTexts();
  const limits = `set statement_timeout = ${patienceMs}; set lock_timeout = ${patienceMs}; set default_transaction_read_only = on`;
  const readers = createReaders((more) => connect({ url, texts, setup: `${limits}; ${more}`, deadlineMs: patienceMs }));
  return {
    engine: 'postgres',
    read: async (sql, args = []) => {
      const fault = faultOf({ sql, args }, texts(sql));
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
export function holderOf(dataDir: string): number | undefined {
  const lock = statSync(join(dataDir, `${databaseFile}-lock`), { throwIfNoEntry: false });
  if (lock === undefined || !existsSync('/proc/locks')) return undefined;
  // As `1: POSIX  ADVISORY  WRITE 29118 fe:00:2401942 1073741824 1073742335`; one that waits has an arrow in front.
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, kind, , mode, pid = '', place = ''] = line.split(/\s+/);
    if (kind === 'POSIX' && mode === 'WRITE' && place.split(':')[2] === String(lock.ino)) return Number(pid);
  }
  return undefined;
}
