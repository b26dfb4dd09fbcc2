import type { Timer } from './timer.ts';

type RepeatParts = {
  readonly timer: Timer;
  readonly everyMs: number;
  call(): Promise<void>;
  onFault(fault: unknown): void;
};

export type Repeating = {
  /** Resolves when no call is at work. */
  idle(): Promise<void>;
  /** Calls no more, and resolves when the last call has ended. */
  stop(): Promise<void>;
};

/** Calls again and again, the pause counted from the end of the last call. A rejection is told, and does not end it. */
export function repeat({ timer, everyMs, call, onFault }: RepeatParts): Repeating {
  let stopped = false;
  let now: Promise<void> = Promise.resolve();
  let cancel = timer(everyMs, next);
  function next(): void {
    now = call()
      .catch(onFault)
      .finally(() => {
        if (!stopped) cancel = timer(everyMs, next);
      });
  }
  return {
    idle: () => now,
    stop: async () => {
      stopped = true;
      cancel();
      await now;
    },
  };
}
