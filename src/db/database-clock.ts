import type { Clock } from '../kernel/clock.ts';
import type { Database } from './database.ts';

/** Synchronised clocks agree within seconds. A larger difference is reported to the operator. */
export const maxClockSkewMs = 5_000;

/** If the machine's clock and the stopwatch differ by more than this, the skew is measured again at once. */
const maxDriftMs = 1_000;

/** The time of an installation, and the skew of this machine's clock. */
type DatabaseClock = {
  readonly clock: Clock;
  /**
   * Reads the time of the database. Returns by how many milliseconds the machine's clock is ahead; negative if it is late, and
   * always 0 on SQLite, which has no clock.
   */
  measureSkewMs(): Promise<number>;
};

type DatabaseClockDeps = {
  readonly db: Pick<Database, 'engine' | 'read'>;
  /** The clock of the machine. */
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly stopwatch?: () => number;
};

/**
 * All processes of an installation use the clock of their PostgreSQL, so that none is ahead of the others. Each measurement
 * reads the time of the database; between measurements a stopwatch counts. If the machine's clock and the stopwatch diverge,
 * because the clock was set or the machine was suspended, the time is measured again at once. An SQLite file has one process,
 * which uses the clock of the machine.
 */
export async function createDatabaseClock({
  db,
  clock,
  stopwatch = () => performance.now(),
}: DatabaseClockDeps): Promise<DatabaseClock> {
  if (db.engine === 'sqlite') return { clock, measureSkewMs: async () => 0 };
  let offsetMs: number | undefined;
  let skewMs = 0;
  let measuring: Promise<number> | undefined;

  async function measure(): Promise<number> {
    const before = stopwatch();
    const at = await readDatabaseTime(db);
    // The database read its clock between the two instants. An offset that fits stays, so that time does not jump.
    const [earliestOffset, latestOffset] = [at - stopwatch(), at - before];
    offsetMs =
      offsetMs === undefined
        ? (earliestOffset + latestOffset) / 2
        : Math.min(Math.max(offsetMs, earliestOffset), latestOffset);
    skewMs = Math.round(clock.now() - (offsetMs + stopwatch()));
    return skewMs;
  }
  const measureSkewMs = () => {
    measuring ??= measure().finally(() => {
      measuring = undefined;
    });
    return measuring;
  };
  const now = () => {
    const time = Math.floor((offsetMs ?? 0) + stopwatch());
    // If the database does not answer, the known offset stays. The measurement of each minute reports the error.
    if (Math.abs(clock.now() - skewMs - time) > maxDriftMs) measureSkewMs().catch(() => undefined);
    return time;
  };
  await measureSkewMs();
  return { clock: { now }, measureSkewMs };
}

async function readDatabaseTime({ read }: Pick<Database, 'read'>): Promise<number> {
  const [row] = await read('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at');
  return Number(row?.['at']);
}
