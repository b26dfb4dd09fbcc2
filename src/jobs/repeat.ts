import type { Timer } from './timer.ts';

type RepeatParts = {
  readonly timer: Timer;
  readonly everyMs: number;
  call(): Promise<void>;
  onFault(fault: unknown): void;
};

/** Calls again and again, the pause counted from the end of the last call. A rejection is told, and does not end it. */
export function repeat({ timer, everyMs, call, onFault }: RepeatParts): { stop(): Promise<void> } {
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
    stop: async () => {
      stopped = true;
      cancel();
      await now;
    },
  };
}
