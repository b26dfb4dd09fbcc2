import type { Timer } from './timer.ts';

/** When a worker leaves its queue alone. */
export type ClaimBackOff = {
  /** Whether nothing is to be claimed at present, whoever rings. */
  isPaused(): boolean;
  pause(ms: number): void;
  /** For a claim of so many jobs: to be told of the end of each whether it succeeded. */
  trackClaim(jobs: number): (succeeded: boolean) => void;
  /** Ends the present one, and begins no other. */
  stop(): void;
};

const initialPauseMs = 50;
/** Not longer, since a queue with one job that cannot be done has others to come, and they may be urgent. */
const maxPauseMs = 5_000;

/**
 * After a claim of which no job succeeded there is a pause, twice as long each time until a job succeeds: a queue that is
 * broken is not run through, and not told in the log without end. Counted by the timer, as a clock may be set back.
 */
export function createClaimBackOff(timer: Timer, onPauseEnd: () => void): ClaimBackOff {
  let cancel: (() => void) | undefined;
  let nextMs = initialPauseMs;
  let ended = false;
  const pause = (ms: number) => {
    if (ended) return;
    cancel?.();
    cancel = timer(ms, () => {
      cancel = undefined;
      onPauseEnd();
    });
  };
  return {
    isPaused: () => cancel !== undefined,
    pause,
    trackClaim: (jobs) => {
      let failed = 0;
      return (succeeded) => {
        if (succeeded) nextMs = initialPauseMs;
        else failed += 1;
        if (failed < jobs) return;
        pause(nextMs);
        nextMs = Math.min(2 * nextMs, maxPauseMs);
      };
    },
    stop: () => {
      ended = true;
      cancel?.();
    },
  };
}
