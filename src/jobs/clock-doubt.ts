import type { Clock } from '../kernel/clock.ts';
import { mostSkewMs } from '../store/database-clock.ts';
import type { Read } from '../store/db.ts';
import { wholeField } from '../store/row-fields.ts';
import type { Claim } from './claim.ts';

/** By how much a clock may be ahead of the last look at it without being doubted, and how long it is. */
const dayMs = 86_400_000;

/** Where the clock was at the last look of any server, and from when on it is believed, in epoch ms. */
export type ClockSeen = { readonly seenAt: number; readonly sureAt: number };

type Parts = {
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  readonly read: Read;
  readonly claim: Claim;
  /** Told of a clock that is so many milliseconds ahead of the last look that doubt begins, or, negative, behind it. */
  readonly onStep: (byMs: number) => void;
};

/**
 * Whether the clock is to be believed, asked each minute, and before what time alone takes away for good: one that is a year ahead
 * would have a year's documents erased within the hour. A clock that is more than a day ahead of the last look, beyond what this
 * process knows to have passed since, is doubted for a day, or until it is set back by more than a day. Looks are stored, so that a start does not
 * believe the clock as it finds it; it cannot tell one that is ahead from servers that stood still, and for neither a day is much.
 */
export function createClockDoubt(parts: Parts): () => Promise<boolean> {
  const { clock, stopwatch = () => performance.now(), read, claim, onStep } = parts;
  let looking: Promise<boolean> | undefined;
  let lookedAt: number | undefined;
  async function look(): Promise<boolean> {
    const before = await readClockSeen(read);
    const [now, at] = [clock.now(), stopwatch()];
    const passedMs = at - (lookedAt ?? at);
    const sureAt = before === undefined ? 0 : sureFrom(before, now, passedMs);
    await claim(keepClockSeen({ seenAt: now, sureAt }));
    lookedAt = at;
    const byMs = now - (before?.seenAt ?? now);
    if (byMs - passedMs > dayMs || byMs < -mostSkewMs) onStep(byMs);
    return now >= sureAt;
  }
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

/** From when on a clock is believed that shows `now`, by what was seen before, and what has certainly passed since. */
export function sureFrom(before: ClockSeen, now: number, passedMs = 0): number {
  if (now - before.seenAt - passedMs > dayMs) return now + dayMs;
  // By what was seen as a leap: less is how another process reckons the same time, or a zone put right, of a year ahead.
  const leaptTo = before.sureAt - dayMs;
  return now < leaptTo - dayMs ? 0 : before.sureAt;
}

/** The last look; undefined before the first. */
export async function readClockSeen(read: Read): Promise<ClockSeen | undefined> {
  const [row] = await read("select seen_at, sure_at from clock_seen where name = 'main'");
  return row && { seenAt: wholeField(row, 'seen_at'), sureAt: wholeField(row, 'sure_at') };
}

function keepClockSeen({ seenAt, sureAt }: ClockSeen) {
  return {
    sql: `insert into clock_seen (name, seen_at, sure_at) values ('main', $1, $2)
      on conflict (name) do update set seen_at = excluded.seen_at, sure_at = excluded.sure_at`,
    args: [seenAt, sureAt],
  };
}
