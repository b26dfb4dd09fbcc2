import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { type Db, WriteRefused } from '../store/db.ts';

/** Remembers proofs that were used; gives whether this is the first use. `endsAt`: from when on it is refused anyway. */
export type UsedProofs = (owner: string, jti: string, endsAt: number) => Promise<boolean>;

/**
 * So long what has ended is kept on: longer than any proof or assertion is good. A clock that leaps ahead would have those forgotten
 * that are good again when it is set right, and a copy of them would open what they opened.
 */
const keptOnMs = 6 * 60_000;
/** So many that have ended go with one use, which others wait for; where there are more, the next use takes them out. */
const cleanedAtOnce = 100;

type ProofRoom = {
  readonly db: Pick<Db, 'write'>;
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
};

/**
 * The used assertions or proofs of all processes, as rows. The primary key decides, not an earlier look: of two requests
 * with one proof at the same time, in whatever process, one is refused; and a restart forgets nothing. Memory would cost
 * no write, but a copy of the request sent to another process would find it empty.
 */
export function createUsedProofs(
  { db, clock, stopwatch = () => performance.now() }: ProofRoom,
  model: 'ReplayDetection' | 'DPoP',
): UsedProofs {
  // What the clock showed some minutes ago, whatever it was set to since.
  let shown = { at: stopwatch(), now: clock.now() };
  let endedBefore: number | undefined;
  let atWork = false;

  /** Before when all has ended that may be taken out now; undefined when nothing is to be. */
  function dueForCleaning(): number | undefined {
    const [at, now] = [stopwatch(), clock.now()];
    if (at - shown.at >= keptOnMs) {
      endedBefore = Math.min(shown.now, now);
      shown = { at, now };
    }
    return atWork ? undefined : endedBefore;
  }

  return async (owner, jti, endsAt) => {
    const id = createHash('sha256').update(`${owner}\0${jti}`).digest('base64url');
    const insert = {
      sql: `insert into oauth_record (model, id, payload, expires_at) values ($1, $2, '{}', $3)
        on conflict (model, id) do nothing returning id`,
      args: [model, id, endsAt],
      rows: 1,
    };
    const ended = dueForCleaning();
    const cleaning = ended !== undefined;
    const clean = {
      sql: `delete from oauth_record where (model, id) in
        (select model, id from oauth_record where expires_at < $1 order by expires_at limit ${cleanedAtOnce}) returning id`,
      args: [ended ?? 0],
    };
    atWork ||= cleaning;
    try {
      const [, cleaned = []] = await db.write(cleaning ? [insert, clean] : [insert]);
      if (cleaning && cleaned.length < cleanedAtOnce) endedBefore = undefined;
      return true;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows') return false;
      throw fault;
    } finally {
      if (cleaning) atWork = false;
    }
  };
}
