/** Resolves when the caller may continue. */
export type TickScheduler = () => Promise<void>;

/**
 * Creates a scheduler that lets `perTick` callers continue in each tick of the event loop, in their order. A worker starts a
 * whole batch at once, and preparing a message takes a fraction of a millisecond. Without the scheduler everything else,
 * also an urgent message, would wait for the whole batch.
 */
export function createTickScheduler(perTick: number): TickScheduler {
  const waiting: Array<() => void> = [];
  let free = perTick;
  let isScheduled = false;

  function next(): void {
    isScheduled = false;
    const now = waiting.splice(0, perTick);
    free = perTick - now.length;
    for (const resolve of now) resolve();
    if (now.length > 0) schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(next);
  }

  return async () => {
    schedule();
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
