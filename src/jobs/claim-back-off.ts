import type { Timer } from './timer.ts';

/** Pauses between the claims of a worker. */
export type ClaimBackOff = {
  /** Whether the worker must not claim now, even after a `wake`. */
  isPaused(): boolean;
  pause(ms: number): void;
  /** For a claim of that many jobs; call the result at the end of each job. */
  trackClaim(jobs: number): (succeeded: boolean) => void;
  /** Ends the present pause, and prevents others. */
  stop(): void;
};

const initialPauseMs = 50;
/** A longer maximum would delay the other jobs of a queue that has one broken job. */
const maxPauseMs = 5_000;

/**
 * Pauses a worker after a claim without a successful job. The pause doubles each time until a job succeeds. A broken queue is not
 * run through at once, and does not fill the log. Times are counted by the timer, because a clock may be set back.
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
