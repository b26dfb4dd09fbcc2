import { setImmediate as nextTick } from 'node:timers/promises';
import type { Timer } from '../../jobs/timer.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Lets urgent messages go before other work of this process. */
export type UrgentPriority = {
  /** An urgent message is sent, or waits for its delivery. */
  noteUrgent(): void;
  /** The delivery of an urgent message has ended. */
  noteDelivered(): void;
  /** Whether urgent messages came in the last second, on any channel. */
  isActive(): boolean;
  /**
   * Resolves in the next tick of the event loop, or when the urgent message is delivered. Rows of batches wait for it before each small
   * step. A step waits 250 ms at most, so that a batch goes on while urgent messages come all the time.
   */
  letUrgentPass(): Promise<void>;
};

const urgentForMs = 1_000;
/** An urgent message is usually delivered within some milliseconds. A slow provider does not stop the rows for longer. */
const pauseMs = 50;
const longestPauseMs = 250;

/** Creates it inactive. A clock that is set back ends it too: otherwise it would stay active until the clock catches up. */
export function createUrgentPriority(clock: Clock, timer: Timer): UrgentPriority {
  let lastUrgentAt = Number.NEGATIVE_INFINITY;
  let pause: PromiseWithResolvers<void> | undefined;
  let cancelEnd: (() => void) | undefined;

  function endPause(): void {
    cancelEnd?.();
    pause?.resolve();
    pause = undefined;
  }

  return {
    noteUrgent: () => {
      lastUrgentAt = clock.now();
      pause ??= Promise.withResolvers();
      cancelEnd?.();
      cancelEnd = timer(pauseMs, endPause);
    },
    noteDelivered: endPause,
    isActive: () => {
      const elapsedMs = clock.now() - lastUrgentAt;
      return elapsedMs >= 0 && elapsedMs < urgentForMs;
    },
    letUrgentPass: async () => {
      await nextTick();
      if (pause === undefined) return;
      const longest = Promise.withResolvers<void>();
      const cancel = timer(longestPauseMs, longest.resolve);
      await Promise.race([pause.promise, longest.promise]);
      cancel();
    },
  };
}
