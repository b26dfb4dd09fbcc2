import type { FromThread, WakeNotifications, WakeTarget } from './thread-messages.ts';

/** Wakes the worker role in the first thread: once for whatever one turn of the event loop has stored. */
export function createWakeNotifications(send: (message: FromThread) => void): WakeNotifications {
  const pending = new Map<WakeTarget, ReadonlySet<string> | undefined>();
  const wake = (part: WakeTarget) => (queues?: ReadonlySet<string>) => {
    const isFirst = !pending.has(part);
    const before = isFirst ? new Set<string>() : pending.get(part);
    // Who names no queue means all of them.
    pending.set(part, queues && before?.union(queues));
    if (!isFirst) return;
    setImmediate(() => {
      const filled = pending.get(part);
      pending.delete(part);
      send({ is: 'wake', part, queues: filled });
    });
  };
  return { delivery: wake('delivery'), calling: wake('calling'), scanning: wake('scanning') };
}
