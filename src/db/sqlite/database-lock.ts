import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../database.ts';

/**
 * Locks an SQLite file for this process until the returned lock is closed; throws where another process holds the lock. The
 * lock is an exclusive transaction on a file of its own. The operating system releases it when the process ends.
 */
export function lockDatabase(path: string): DatabaseSync {
  const lock = openLock(`${path}-lock`);
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    throw new DatabaseUnusable(
      `another process has ${path} open; stop it first, or use PostgreSQL for several processes`,
      {
        cause,
      },
    );
  }
}

function openLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw new DatabaseUnusable(
      `${path} cannot be opened: the user of this process must own DATA_DIR and what is in it`,
      {
        cause,
      },
    );
  }
}
