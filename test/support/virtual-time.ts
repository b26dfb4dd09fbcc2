import type { Timer } from '../../src/jobs/timer.ts';
import type { Clock } from '../../src/kernel/clock.ts';

/** A clock and a timer that move only when a test moves them. */
export type VirtualTime = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Moves the clock forward and calls each timer at its time; after each, waits for `settle`, so that its work has ended. */
  advance(ms: number, settle: () => Promise<unknown>): Promise<void>;
  /** The number of active timers. */
  pendingTimers(): number;
};

/** Starts at a fixed instant, the same in every run. */
export function createVirtualTime(startAt = Date.UTC(2026, 0, 15, 9)): VirtualTime {
  let now = startAt;
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    clock: { now: () => now },
    timer: (delayMs, call) => {
      // A clock shows whole milliseconds, and a timer never calls early.
      const entry = { at: now + Math.ceil(delayMs), call };
      calls.add(entry);
      return () => calls.delete(entry);
    },
    advance: async (ms, settle) => {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...calls].filter((entry) => entry.at <= end).sort((left, right) => left.at - right.at)[0];
        if (due === undefined) break;
        calls.delete(due);
        now = Math.max(now, due.at);
        due.call();
        await settle();
      }
      now = end;
    },
    pendingTimers: () => calls.size,
  };
}
