import type { Clock } from '../kernel/clock.ts';
import { mostSkewMs } from '../store/database-clock.ts';
import type { Read } from '../store/db.ts';
import type { Claim } from './claim.ts';
import { type ClockSeen, dayMs, keepClockSeen, readClockSeen, seenAfter } from './clock-seen.ts';

/** A clock that was ahead and is right: what it shows, and by how many milliseconds it was ahead, as far as this process knows. */
export type SetRight = { readonly now: number; readonly aheadMs: number };

type Parts = {
  readonly clock: LatestClock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  readonly read: Read;
  readonly claim: Claim;
  /** Told of a clock that is so many milliseconds ahead of the last look that doubt begins, or, negative, behind it. */
  readonly onStep: (byMs: number) => void;
  /** Called and awaited when a clock was certainly ahead and is right again; at each look for some minutes, so perhaps twice. */
  readonly onSetRight: (right: SetRight) => Promise<void>;
};

/** So long after the first look at a clock that is right again, all other processes have seen it as well: they look each minute. */
const tellingMs = 5 * 60_000;

/** A clock that knows the latest time that it has shown since it was asked for that before. */
export type LatestClock = Clock & { latest(): number; forget(upTo: number): void };

/** The same clock, remembering. One that is ahead for seconds only falls between two looks; what it showed in them tells. */
export function rememberingLatest(clock: Clock): LatestClock {
  let latest = 0;
  return {
    now: () => {
      const now = clock.now();
      if (now > latest) latest = now;
      return now;
    },
    latest: () => latest,
    forget: (upTo) => {
      if (latest <= upTo) latest = 0;
    },
  };
}

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
    const latest = clock.latest();
    const [now, at] = [clock.now(), stopwatch()];
    const passedMs = lookedAt === undefined ? undefined : at - lookedAt;
    const seen = seenAfter(before, { now, latest, passedMs });
    if (isNewlyBack(seen)) {
      const aheadMs = Math.max(latest, before?.seenAt ?? now, now) - now;
      // Before the look is kept: a crash on the way leaves it to the next one.
      await parts.onSetRight({ now, aheadMs });
    }
    await claim(keepClockSeen(seen));
    lookedAt = at;
    clock.forget(Math.max(latest, now));
    const byMs = now - (before?.seenAt ?? now);
    if (byMs - (passedMs ?? 0) > dayMs || byMs < -mostSkewMs) onStep(byMs);
    return now >= seen.sureAt;
  }
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

function isNewlyBack({ seenAt, leap }: ClockSeen): boolean {
  if (leap?.backAt === undefined || seenAt < leap.from || seenAt >= leap.to) return false;
  return Math.abs(seenAt - leap.backAt) < tellingMs;
}
