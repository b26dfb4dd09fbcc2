import type { Clock } from '../kernel/clock.ts';
import type { Database } from './database.ts';

/** Clocks agree within seconds: what is further apart than that is told to the operator. */
export const maxClockSkewMs = 5_000;

/** Where the machine's clock and the stopwatch come apart by more than that, the database is asked at once. */
const maxDriftMs = 1_000;

/** The time of an installation, and how the clock of this machine stands to it. */
export type DatabaseClock = {
  readonly clock: Clock;
  /** Asks the database anew; gives by how many milliseconds the machine's clock is ahead, negative where it is behind. */
  measureSkewMs(): Promise<number>;
};

type DatabaseClockDeps = {
  readonly db: Pick<Database, 'engine' | 'read'>;
  /** The machine's. */
  readonly clock: Clock;
  /** Milliseconds that never go back. */
  readonly stopwatch?: () => number;
};

/**
 * All processes of an installation go by the clock of their PostgreSQL, so that none is ahead of the others: asked at each
 * look, and counted on by a stopwatch, whatever the machine's own is set to meanwhile. Where the two come apart, because
 * it was set or because the machine stood still, the database is asked at once. An SQLite file has one process, and no
 * other clock than the machine's.
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

  async function ask(): Promise<number> {
    const before = stopwatch();
    const at = await readDatabaseTime(db);
    // It was that time at some moment between the two. What fits to it stays, so that no look sets time back for nothing.
    const [earliestOffset, latestOffset] = [at - stopwatch(), at - before];
    offsetMs =
      offsetMs === undefined
        ? (earliestOffset + latestOffset) / 2
        : Math.min(Math.max(offsetMs, earliestOffset), latestOffset);
    skewMs = Math.round(clock.now() - (offsetMs + stopwatch()));
    return skewMs;
  }
  const measureSkewMs = () => {
    measuring ??= ask().finally(() => {
      measuring = undefined;
    });
    return measuring;
  };
  const now = () => {
    const time = Math.floor((offsetMs ?? 0) + stopwatch());
    // Where it cannot be asked, time goes on as known; the look of the minute tells why.
    if (Math.abs(clock.now() - skewMs - time) > maxDriftMs) measureSkewMs().catch(() => undefined);
    return time;
  };
  await measureSkewMs();
  return { clock: { now }, measureSkewMs };
}

/** By how many milliseconds this clock is ahead of PostgreSQL's, negative where it is behind; an SQLite file has no other. */
export async function measureClockSkewMs(db: Pick<Database, 'engine' | 'read'>, clock: Clock): Promise<number> {
  if (db.engine === 'sqlite') return 0;
  const before = clock.now();
  const at = await readDatabaseTime(db);
  return Math.round((before + clock.now()) / 2 - at);
}

async function readDatabaseTime({ read }: Pick<Database, 'read'>): Promise<number> {
  const [row] = await read('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at');
  return Number(row?.['at']);
}
