import type { Timer } from './timer.ts';

/** When a worker leaves its queue alone. */
export type Pauses = {
  /** Whether nothing is to be claimed at present, whoever rings. */
  lasts(): boolean;
  begin(ms: number): void;
  /** For a claim of so many jobs: to be told of the end of each whether it succeeded. */
  ofClaim(jobs: number): (succeeded: boolean) => void;
  /** Ends the present one, and begins no other. */
  end(): void;
};

const firstMs = 50;
/** Not longer, since a queue with one job that cannot be done has others to come, and they may be urgent. */
const longestMs = 5_000;

/**
 * After a claim of which no job succeeded there is a pause, twice as long each time until a job succeeds: a queue that is
 * broken is not run through, and not told in the log without end. Counted by the timer, as a clock may be set back.
 */
export function createPauses(timer: Timer, over: () => void): Pauses {
  let cancel: (() => void) | undefined;
  let nextMs = firstMs;
  let ended = false;
  const begin = (ms: number) => {
    if (ended) return;
    cancel?.();
    cancel = timer(ms, () => {
      cancel = undefined;
      over();
    });
  };
  return {
    lasts: () => cancel !== undefined,
    begin,
    ofClaim: (jobs) => {
      let failed = 0;
      return (succeeded) => {
        if (succeeded) nextMs = firstMs;
        else failed += 1;
        if (failed < jobs) return;
        begin(nextMs);
        nextMs = Math.min(2 * nextMs, longestMs);
      };
    },
    end: () => {
      ended = true;
      cancel?.();
    },
  };
}
