import type { Clock } from '../kernel/clock.ts';

/** What a clock may gain on the stopwatch before it is doubted, and how long it is. */
const dayMs = 86_400_000;

type Parts = {
  readonly clock: Clock;
  /** Milliseconds that never go back; without one the machine's. */
  readonly stopwatch?: () => number;
  /** Told once when doubt begins, with the milliseconds that the clock has gained. */
  readonly onDoubt: (gainedMs: number) => void;
};

/**
 * Whether the clock is to be believed, asked before what time alone takes away for good: one that a wrong server of time sets
 * ahead by a year would have a year's documents erased within the hour. A clock that has gained more than a day on the stopwatch is
 * doubted for a day of that, or until it is set back. A process that starts believes the clock as it finds it.
 */
export function createClockDoubt({ clock, stopwatch = () => performance.now(), onDoubt }: Parts): () => boolean {
  let known = clock.now() - stopwatch();
  let doubtedSince: number | undefined;
  return () => {
    const at = stopwatch();
    const gained = clock.now() - at - known;
    if (gained > dayMs && doubtedSince === undefined) {
      doubtedSince = at;
      onDoubt(gained);
    } else if (gained <= dayMs || (doubtedSince !== undefined && at - doubtedSince >= dayMs)) {
      known += gained;
      doubtedSince = undefined;
    }
    return doubtedSince === undefined;
  };
}
