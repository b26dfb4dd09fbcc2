import type { RandomBytes } from '../kernel/clock.ts';
import { randomFraction } from './back-off.ts';
import type { Timer } from './timer.ts';

type RepeatOptions = {
  readonly timer: Timer;
  readonly everyMs: number;
  /** The delay before the first call; `everyMs` by default. */
  readonly firstMs?: number;
  call(): Promise<void>;
  onFault(fault: unknown): void;
};

/** A task that repeats until it is stopped. */
export type RepeatingTask = {
  /** Resolves when no call runs. */
  idle(): Promise<void>;
  /** Makes no more calls, and resolves when the last call has ended. */
  stop(): Promise<void>;
};

/**
 * The delay (ms) before the first run of a rare task. Without it, a process that restarts more often than the interval would
 * never run the task. It is random, so that processes that start together do not run it together.
 */
export function startupDelayMs(random: RandomBytes): number {
  return 2_000 + 6_000 * randomFraction(random);
}

/**
 * Repeats a call; the delay counts from the end of the last call. A rejection is reported to `onFault`, and does not end the
 * task.
 */
export function repeatEvery({ timer, everyMs, firstMs = everyMs, call, onFault }: RepeatOptions): RepeatingTask {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel = timer(firstMs, runNext);
  function runNext(): void {
    running = call()
      .catch(onFault)
      .finally(() => {
        if (!stopped) cancel = timer(everyMs, runNext);
      });
  }
  return {
    idle: () => running,
    stop: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
