import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../database.ts';

/**
 * Locks an SQLite file for this process until the returned lock is closed; throws where another process holds the lock. The
 * lock is an exclusive transaction on a file of its own. The operating system releases it when the process ends.
 */
export function lockDatabase(path: string): DatabaseSync {
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(`${path}-lock`, { timeout: 0 });
  } catch (cause) {
    const fix = 'the user of this process must own DATA_DIR and what is in it';
    throw new DatabaseUnusable(`${path}-lock cannot be opened: ${fix}`, { cause });
  }
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    const fix = 'stop it first, or use PostgreSQL for several processes';
    throw new DatabaseUnusable(`another process has ${path} open; ${fix}`, { cause });
  }
}
