import type { FromThread, WakeJob } from './thread-messages.ts';

/** Wakes jobs in the first thread: with one message for everything that one turn of the event loop has stored for a job. */
export function createWakeNotifications(send: (message: FromThread) => void): WakeJob {
  const pending = new Map<string, ReadonlySet<string> | undefined>();
  return (job, queues) => {
    const isFirst = !pending.has(job);
    const before = isFirst ? new Set<string>() : pending.get(job);
    // undefined means all queues, and stays so.
    pending.set(job, queues && before?.union(queues));
    if (!isFirst) return;
    setImmediate(() => {
      const filled = pending.get(job);
      pending.delete(job);
      send({ is: 'wake', job, queues: filled });
    });
  };
}
