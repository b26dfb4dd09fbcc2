import type { Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import type { SchemaState } from '../../db/migrate.ts';
import type { ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Clock } from '../../kernel/clock.ts';

/** What the checks of an installation share. Each part is opened once, by the first that asks for it. */
export type DoctorContext = {
  readonly settings: Settings;
  readonly clock: Clock;
  /** undefined where there is none yet; rejects where it cannot be read. */
  readonly database: () => Promise<ReadOnlyDatabase | undefined>;
  /** Rejects where this program cannot use the database. */
  readonly schema: () => Promise<SchemaState | undefined>;
  /** undefined where it cannot be had: a check of its own says why. */
  readonly root: RootKey | undefined;
  /** Places that give no answer: who looks at one hangs. */
  readonly silent: ReadonlySet<string>;
};

/** The database with the schema of this program; undefined where there is none: the check of the database says why. */
export async function openMigratedDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const schema = await context.schema();
    return schema?.pending.length === 0 ? await context.database() : undefined;
  } catch {
    // Told by the check of the database.
    return undefined;
  }
}

/** Whether a server runs on that database, or one ended without a word: then it holds its leases. */
export async function isServerRunning({ read }: Pick<ReadOnlyDatabase, 'read'>): Promise<boolean> {
  return (await read("select name from lease where holder <> '' limit 1")).length > 0;
}

/** A message that ends in what to do, in its two parts. */
export function splitFix(message: string, otherwise: string): readonly [found: string, fix: string] {
  const [, found, fix] = /^(.+?)(?:\. |; )(.+)$/s.exec(message) ?? [];
  return found === undefined || fix === undefined ? [message, otherwise] : [found, fix];
}

/** What a thrown thing says of itself. */
export function errorMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/** So many bytes for people. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1_024 ** power) * 10) / 10} ${units[power]}`;
}

/** A time for people. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Gives a call of which another machine has its part so long; what it gives later is left. */
export async function withTimeout<T>(ms: number, call: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const cancel = systemTimer(ms, () => over.reject(new Error(`no answer within ${ms / 1_000} s`)));
  try {
    return await Promise.race([call, over.promise]);
  } finally {
    cancel();
  }
}
