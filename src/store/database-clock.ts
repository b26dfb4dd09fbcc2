import type { Clock } from '../kernel/clock.ts';
import type { Db } from './db.ts';

/** Processes agree on time within seconds: what is further apart than that is told to the operator. */
export const mostSkewMs = 5_000;

/** By how many milliseconds this clock is ahead of PostgreSQL's, negative where it is behind; an SQLite file has no other. */
export async function aheadOfDatabase({ engine, read }: Pick<Db, 'engine' | 'read'>, clock: Clock): Promise<number> {
  if (engine === 'sqlite') return 0;
  const before = clock.now();
  const [row] = await read('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at');
  return Math.round((before + clock.now()) / 2 - Number(row?.['at']));
}
