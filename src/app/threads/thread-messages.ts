import type { MessagePort } from 'node:worker_threads';
import type { MetricsSnapshot } from '../../api/metrics.ts';
import type { PageResponse } from '../../api/page-route.ts';
import type { CascadePolicy } from '../../notifications/cascade/cascade.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Options that the first thread passes to an API thread at its start. */
export type ThreadOptions = {
  /** The thread reads the settings from it: a parsed secret cannot be sent to another thread. */
  readonly environment: Environment;
  readonly isDemo: boolean;
  /** As the first thread read it at its start. */
  readonly cascade: CascadePolicy;
  readonly rootKeyPath: string;
  readonly port: number;
  readonly publicUrl: string;
  /** The number of threads that answer requests, the first one included. */
  readonly apiThreads: number;
  /** Paths of the pages that show what only the first thread has in memory. */
  readonly pages: readonly string[];
  /** Connects to the writer thread of an SQLite database. */
  readonly database: MessagePort | undefined;
};

/** Wakes the job of that name in the first thread, which has the worker role: for these queues, or for all. */
export type WakeJob = (job: string, queues: ReadonlySet<string> | undefined) => void;

/** From an API thread to the first thread. */
export type FromThread =
  | { readonly is: 'ready' }
  | { readonly is: 'stopped' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'lines'; readonly text: string }
  | { readonly is: 'wake'; readonly job: string; readonly queues: ReadonlySet<string> | undefined }
  | { readonly is: 'snapshot'; readonly requestId: number; readonly snapshot: MetricsSnapshot }
  | {
      readonly is: 'page-request';
      readonly requestId: number;
      readonly path: string;
      readonly params: Readonly<Record<string, string>>;
      readonly query: string;
    };

/** From the first thread to an API thread. */
export type ToThread =
  | { readonly is: 'snapshot-request'; readonly requestId: number }
  | { readonly is: 'page'; readonly requestId: number; readonly response: PageResponse | undefined }
  | { readonly is: 'stop' };

/** Requests to the other thread that have no response yet. */
type PendingRequests<T> = {
  /** `send` posts the message with the id; the promise resolves when `resolve` is called with the same id. */
  request(send: (requestId: number) => void): Promise<T>;
  resolve(requestId: number, response: T): void;
};

export function createPendingRequests<T>(): PendingRequests<T> {
  const pending = new Map<number, (response: T) => void>();
  let lastRequestId = 0;
  return {
    request: (send) =>
      new Promise((resolve) => {
        const requestId = ++lastRequestId;
        pending.set(requestId, resolve);
        send(requestId);
      }),
    resolve: (requestId, response) => {
      pending.get(requestId)?.(response);
      pending.delete(requestId);
    },
  };
}

/** Wakes jobs in the first thread, with at most one message for each job in one turn of the event loop. */
export function createWakeNotifications(send: (message: FromThread) => void): WakeJob {
  const pending = new Map<string, ReadonlySet<string> | undefined>();
  return (job, queues) => {
    const isFirst = !pending.has(job);
    const before = isFirst ? new Set<string>() : pending.get(job);
    // Undefined means all queues, and stays so.
    pending.set(job, queues && before?.union(queues));
    if (!isFirst) return;
    setImmediate(() => {
      const filled = pending.get(job);
      pending.delete(job);
      send({ is: 'wake', job, queues: filled });
    });
  };
}
