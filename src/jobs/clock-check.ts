import type { Read } from '../db/database.ts';
import { maxClockSkewMs } from '../db/database-clock.ts';
import type { Clock } from '../kernel/clock.ts';
import {
  type ClockObservation,
  dayMs,
  nextObservation,
  readClockObservation,
  storeClockObservation,
} from './clock-observation.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

/** A clock that was ahead and is right: what it shows, and by how many milliseconds it was ahead, as far as this process knows. */
export type ClockCorrection = { readonly now: number; readonly aheadMs: number };

type ClockCheckDeps = {
  readonly clock: LatestTimeClock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  readonly read: Read;
  readonly claim: WriteWithoutEvent;
  /** Told of a clock that is so many milliseconds ahead of the last look that doubt begins, or, negative, behind it. */
  readonly onStep: (byMs: number) => void;
  /** Called and awaited when a clock was certainly ahead and is right again; at each look for some minutes, so perhaps twice. */
  readonly onSetRight: (right: ClockCorrection) => Promise<void>;
};

/** So long after the first look at a clock that is right again, all other processes have seen it as well: they look each minute. */
const correctionReportMs = 5 * 60_000;

/** A clock that knows the latest time that it has shown since it was asked for that before. */
export type LatestTimeClock = Clock & { latest(): number; forget(upTo: number): void };

/** The same clock, remembering. One that is ahead for seconds only falls between two looks; what it showed in them tells. */
export function trackLatestTime(clock: Clock): LatestTimeClock {
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
export function createClockCheck(deps: ClockCheckDeps): () => Promise<boolean> {
  const { clock, stopwatch = () => performance.now(), read, claim, onStep } = deps;
  let checking: Promise<boolean> | undefined;
  let checkedAt: number | undefined;
  async function check(): Promise<boolean> {
    const before = await readClockObservation(read);
    const latest = clock.latest();
    const [now, at] = [clock.now(), stopwatch()];
    const passedMs = checkedAt === undefined ? undefined : at - checkedAt;
    const seen = nextObservation(before, { now, latest, passedMs });
    if (isNewlyCorrected(seen)) {
      const aheadMs = Math.max(latest, before?.observedAt ?? now, now) - now;
      // Before the look is kept: a crash on the way leaves it to the next one.
      await deps.onSetRight({ now, aheadMs });
    }
    await claim(storeClockObservation(seen));
    checkedAt = at;
    clock.forget(Math.max(latest, now));
    const byMs = now - (before?.observedAt ?? now);
    if (byMs - (passedMs ?? 0) > dayMs || byMs < -maxClockSkewMs) onStep(byMs);
    return now >= seen.trustedFrom;
  }
  return () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };
}

function isNewlyCorrected({ observedAt, jump }: ClockObservation): boolean {
  if (jump?.backAt === undefined || observedAt < jump.from || observedAt >= jump.to) return false;
  return Math.abs(observedAt - jump.backAt) < correctionReportMs;
}
