import type { FromThread, Wakeable, Wakes } from './thread-messages.ts';

/** Wakes the worker role in the first thread: once for whatever one turn of the event loop has stored. */
export function createWakes(tell: (message: FromThread) => void): Wakes {
  const rung = new Map<Wakeable, Set<string>>();
  const wake =
    (part: Wakeable) =>
    (queues: ReadonlySet<string> = new Set()) => {
      const before = rung.get(part);
      if (before !== undefined) {
        for (const queue of queues) before.add(queue);
        return;
      }
      const filled = new Set(queues);
      rung.set(part, filled);
      setImmediate(() => {
        rung.delete(part);
        tell({ is: 'wake', part, queues: filled });
      });
    };
  return { delivery: wake('delivery'), calling: wake('calling'), scanning: wake('scanning') };
}
