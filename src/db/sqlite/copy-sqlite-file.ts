import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

/**
 * Copies an SQLite database as it is at one instant into a file that is not there yet, synced, while another process
 * writes. It stands on the caller's thread for as long as it takes, and needs as much room as the database.
 */
export async function copySqliteFile(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    source.prepare('vacuum into ?').run(to);
  } catch (cause) {
    throw new Error(`the database cannot be copied to ${to}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  await using file = await open(to, 'r+');
  await file.sync();
}

/** The rows of one statement, each as it is read. */
export function* iterateRows(path: string, sql: string): Generator<Readonly<Record<string, unknown>>> {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  yield* db.prepare(sql).iterate();
}
