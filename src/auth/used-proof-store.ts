import { createHash } from 'node:crypto';
import { type Database, WriteRefused } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';

/** Remembers proofs that were used; gives whether this is the first use. `endsAt`: from when on it is refused anyway. */
export type IsFirstUse = (owner: string, jti: string, endsAt: number) => Promise<boolean>;

/**
 * So long what has ended is kept on: longer than any proof or assertion is good. A clock that leaps ahead would have those forgotten
 * that are good again when it is set right, and a copy of them would open what they opened.
 */
const expiredKeptMs = 6 * 60_000;
/** So many that have ended go with one use, which others wait for; where there are more, the next use takes them out. */
const cleanupBatchSize = 100;

type ReplayDetectorDeps = {
  readonly db: Pick<Database, 'write'>;
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
};

/**
 * The used assertions or proofs of all processes, as rows. The primary key decides, not an earlier look: of two requests
 * with one proof at the same time, in whatever process, one is refused; and a restart forgets nothing. Memory would cost
 * no write, but a copy of the request sent to another process would find it empty.
 */
export function createReplayDetector(
  { db, clock, stopwatch = () => performance.now() }: ReplayDetectorDeps,
  model: 'ReplayDetection' | 'DPoP',
): IsFirstUse {
  // What the clock showed some minutes ago, whatever it was set to since.
  let clockSample = { at: stopwatch(), now: clock.now() };
  let endedBefore: number | undefined;
  let isCleaning = false;

  /** Before when all has ended that may be taken out now; undefined when nothing is to be. */
  function cleanupCutoff(): number | undefined {
    const [at, now] = [stopwatch(), clock.now()];
    if (at - clockSample.at >= expiredKeptMs) {
      endedBefore = Math.min(clockSample.now, now);
      clockSample = { at, now };
    }
    return isCleaning ? undefined : endedBefore;
  }

  return async (owner, jti, endsAt) => {
    const id = createHash('sha256').update(`${owner}\0${jti}`).digest('base64url');
    const insert = {
      sql: `insert into oauth_record (model, id, payload, expires_at) values ($1, $2, '{}', $3)
        on conflict (model, id) do nothing returning id`,
      args: [model, id, endsAt],
      rows: 1,
    };
    const cutoff = cleanupCutoff();
    const isCleanupDue = cutoff !== undefined;
    const clean = {
      sql: `delete from oauth_record where (model, id) in
        (select model, id from oauth_record where expires_at < $1 order by expires_at limit ${cleanupBatchSize}) returning id`,
      args: [cutoff ?? 0],
    };
    isCleaning ||= isCleanupDue;
    try {
      const [, cleaned = []] = await db.write(isCleanupDue ? [insert, clean] : [insert]);
      if (isCleanupDue && cleaned.length < cleanupBatchSize) endedBefore = undefined;
      return true;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
      throw fault;
    } finally {
      if (isCleanupDue) isCleaning = false;
    }
  };
}
