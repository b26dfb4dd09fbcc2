import type { Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import type { SchemaState } from '../../db/migrate.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Clock } from '../../kernel/clock.ts';

/** The shared dependencies of the checks. The database is opened once, by the first check that needs it. */
export type DoctorContext = {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Undefined if there is no database yet; rejects if it cannot be read. */
  readonly database: () => Promise<ReadOnlyDatabase | undefined>;
  /** Rejects if this program cannot use the database. */
  readonly schema: () => Promise<SchemaState | undefined>;
  /** Undefined if it cannot be read: the check `root-key` reports why. */
  readonly root: RootKey | undefined;
};

/** How long a check waits for another machine. */
export const checkTimeoutMs = 5_000;

/** A check did not get what it needs from another machine. */
export class CheckFailed extends Error {}

/** The database with the schema of this program, otherwise undefined: the check `database` reports why. */
export async function openMigratedDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const schema = await context.schema();
    return schema?.pending.length === 0 ? await context.database() : undefined;
  } catch {
    // The check `database` reports it.
    return undefined;
  }
}

/** Whether a server runs on this database. A server that crashed holds its leases too, until they expire. */
export async function isServerRunning({ read }: Pick<ReadOnlyDatabase, 'read'>): Promise<boolean> {
  return (await read("select name from lease where holder <> '' limit 1")).length > 0;
}

/** Splits a message that ends in an instruction into the finding and the fix. */
export function splitFix(message: string, defaultFix: string): readonly [found: string, fix: string] {
  const [, found, fix] = /^(.+?)(?:\. |; )(.+)$/s.exec(message) ?? [];
  return found === undefined || fix === undefined ? [message, defaultFix] : [found, fix];
}

/** The message of a thrown value. */
export function errorMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/** A number of bytes for people, such as `1.7 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1_024 ** power) * 10) / 10} ${units[power]}`;
}

/** A duration for people, such as `12 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Rejects with `CheckFailed` if the call has not settled in time; the call itself continues. */
export async function withTimeout<T>(ms: number, call: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const cancel = systemTimer(ms, () => timeout.reject(new CheckFailed(`no answer within ${ms / 1_000} s`)));
  try {
    return await Promise.race([call, timeout.promise]);
  } finally {
    cancel();
  }
}
