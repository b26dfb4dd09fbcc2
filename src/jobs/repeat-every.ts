import type { RandomBytes } from '../kernel/clock.ts';
import { randomFraction } from './back-off.ts';
import type { Timer } from './timer.ts';

type RepeatOptions = {
  readonly timer: Timer;
  readonly everyMs: number;
  /** The pause before the first call; without it as long as all others. */
  readonly firstMs?: number;
  call(): Promise<void>;
  onFault(fault: unknown): void;
};

export type RepeatingTask = {
  /** Resolves when no call is at work. */
  idle(): Promise<void>;
  /** Calls no more, and resolves when the last call has ended. */
  stop(): Promise<void>;
};

/**
 * The first pause of what is done seldom, since a process that is started anew more often would never get to it: so long
 * that the start is over, and not the same in all processes that start at once.
 */
export function startupDelayMs(random: RandomBytes): number {
  return 2_000 + 6_000 * randomFraction(random);
}

/** Calls again and again, the pause counted from the end of the last call. A rejection is told, and does not end it. */
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
