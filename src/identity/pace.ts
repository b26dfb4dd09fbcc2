import type { Timer } from '../jobs/timer.ts';

/**
 * Answers leave at whole quanta of time after their question came, so that how long the work took does not show. What takes
 * longer than one quantum leaves with the next. `stopwatch` is monotonic, in milliseconds; a quantum of 0 waits for nothing.
 */
export function createPace(quantumMs: number, stopwatch: () => number, timer: Timer): () => () => Promise<void> {
  return () => {
    const startedAt = stopwatch();
    return async () => {
      if (quantumMs <= 0) return;
      const waitMs = quantumMs - ((stopwatch() - startedAt) % quantumMs);
      await new Promise<void>((resolve) => timer(waitMs, resolve));
    };
  };
}
