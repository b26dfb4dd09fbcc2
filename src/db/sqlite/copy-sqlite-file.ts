import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../database.ts';

/**
 * Copies a consistent snapshot of an SQLite database into a new file and syncs it. Another process may write meanwhile. It
 * blocks the caller's thread until it ends, and needs as much disk space as the database.
 */
export async function copySqliteFile(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    source.prepare('vacuum into ?').run(to);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new DatabaseUnusable(`the database cannot be copied to ${to}: ${reason}`, { cause });
  }
  await using file = await open(to, 'r+');
  await file.sync();
}

/** Reads the rows of one statement one by one, without holding all of them in memory. */
export function* iterateRows(path: string, sql: string): Generator<Readonly<Record<string, unknown>>> {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  yield* db.prepare(sql).iterate();
}
