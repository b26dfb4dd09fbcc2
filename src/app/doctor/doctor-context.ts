import type { Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import type { SchemaState } from '../../db/migrate.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import type { Clock } from '../../kernel/clock.ts';

/** The shared dependencies of the checks. The database is opened once, by the first check that needs it. */
export type DoctorContext = {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Undefined if there is no database yet; rejects if it cannot be opened. */
  readonly database: () => Promise<ReadOnlyDatabase | undefined>;
  /** Rejects if this program cannot use the database. */
  readonly schema: () => Promise<SchemaState | undefined>;
  /** Undefined if it cannot be read: the check `root-key` reports why. */
  readonly root: RootKey | undefined;
};

/** How long a check waits for one other machine. */
export const checkTimeoutMs = 5_000;

/** A check did not get what it needs. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/** The database if it answers, otherwise undefined: the check `database` reports why. */
export async function openReadableDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const db = await context.database();
    await db?.read('select 1 as one');
    return db;
  } catch {
    return undefined;
  }
}

/** The database with the schema of this program, otherwise undefined: the check `database` reports why. */
export async function openMigratedDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const schema = await context.schema();
    return schema?.pending.length === 0 ? await context.database() : undefined;
  } catch {
    return undefined;
  }
}

/** A number of bytes for people, such as `1.7 MiB`. */
export function formatMebibytes(bytes: number): string {
  return `${Math.round((bytes * 10) / 2 ** 20) / 10} MiB`;
}
