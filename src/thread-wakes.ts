import type { FromThread, Wakeable, Wakes } from './thread-messages.ts';

/** Wakes the worker role in the first thread: once for whatever one turn of the event loop has stored. */
export function createWakes(tell: (message: FromThread) => void): Wakes {
  const rung = new Map<Wakeable, ReadonlySet<string> | undefined>();
  const wake = (part: Wakeable) => (queues?: ReadonlySet<string>) => {
    const isFirst = !rung.has(part);
    const before = isFirst ? new Set<string>() : rung.get(part);
    // Who names no queue means all of them.
    rung.set(part, queues && before?.union(queues));
    if (!isFirst) return;
    setImmediate(() => {
      const filled = rung.get(part);
      rung.delete(part);
      tell({ is: 'wake', part, queues: filled });
    });
  };
  return { delivery: wake('delivery'), calling: wake('calling'), scanning: wake('scanning') };
}
