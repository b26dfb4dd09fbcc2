import type { Clock } from '../kernel/clock.ts';
import type { Db } from './db.ts';

/** Clocks agree within seconds: what is further apart than that is told to the operator. */
export const mostSkewMs = 5_000;

/** Where the machine's clock and the stopwatch come apart by more than that, the database is asked at once. */
const mostStrayMs = 1_000;

/** The time of an installation, and how the clock of this machine stands to it. */
export type Timekeeping = {
  readonly clock: Clock;
  /** Asks the database anew; gives by how many milliseconds the machine's clock is ahead, negative where it is behind. */
  look(): Promise<number>;
};

type Parts = {
  readonly db: Pick<Db, 'engine' | 'read'>;
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
export async function keepTime({ db, clock, stopwatch = () => performance.now() }: Parts): Promise<Timekeeping> {
  if (db.engine === 'sqlite') return { clock, look: async () => 0 };
  let base: number | undefined;
  let ahead = 0;
  let looking: Promise<number> | undefined;

  async function ask(): Promise<number> {
    const before = stopwatch();
    const at = await timeOf(db);
    // It was that time at some moment between the two. What fits to it stays, so that no look sets time back for nothing.
    const [least, most] = [at - stopwatch(), at - before];
    base = base === undefined ? (least + most) / 2 : Math.min(Math.max(base, least), most);
    ahead = Math.round(clock.now() - (base + stopwatch()));
    return ahead;
  }
  const look = () => {
    looking ??= ask().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const now = () => {
    const time = Math.floor((base ?? 0) + stopwatch());
    // Where it cannot be asked, time goes on as known; the look of the minute tells why.
    if (Math.abs(clock.now() - ahead - time) > mostStrayMs) look().catch(() => undefined);
    return time;
  };
  await look();
  return { clock: { now }, look };
}

/** By how many milliseconds this clock is ahead of PostgreSQL's, negative where it is behind; an SQLite file has no other. */
export async function aheadOfDatabase(db: Pick<Db, 'engine' | 'read'>, clock: Clock): Promise<number> {
  if (db.engine === 'sqlite') return 0;
  const before = clock.now();
  const at = await timeOf(db);
  return Math.round((before + clock.now()) / 2 - at);
}

async function timeOf({ read }: Pick<Db, 'read'>): Promise<number> {
  const [row] = await read('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at');
  return Number(row?.['at']);
}
