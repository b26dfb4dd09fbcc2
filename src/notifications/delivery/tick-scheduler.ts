/** Resolves when it is the caller's turn. */
export type TickScheduler = () => Promise<void>;

/**
 * Lets so many callers go in each turn of the event loop, in the order in which they came. A worker starts a whole batch
 * at once, and to prepare a message costs a fraction of a millisecond of processor: without turns everything else, and an
 * urgent message above all, would wait for the last of the batch.
 */
export function createTickScheduler(perTurn: number): TickScheduler {
  const waiting: Array<() => void> = [];
  let left = perTurn;
  let isScheduled = false;

  function next(): void {
    isScheduled = false;
    const now = waiting.splice(0, perTurn);
    left = perTurn - now.length;
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
    if (left > 0) left -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
