import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Gauge, MetricsSnapshot } from '../../api/metrics.ts';
import type { PageRoute } from '../../api/page-route.ts';
import type { AppContext } from '../app-context.ts';
import {
  createPendingRequests,
  type FromThread,
  type ThreadOptions,
  type ToThread,
  type WakeJob,
} from './thread-messages.ts';

/** Dependencies of the threads, which the first thread provides. */
export type ThreadPoolDeps = {
  readonly app: Pick<AppContext, 'db' | 'log'>;
  readonly threadOptions: Omit<ThreadOptions, 'database' | 'pages'>;
  readonly pages: readonly PageRoute[];
  readonly wakeJob: WakeJob;
  /** Called when a thread could not start, or ended before `stop`. Its requests are lost, as when a process ends. */
  onLost(fault: Error): void;
};

/** The threads that answer requests beside the first one. */
export type ThreadPool = {
  /** The counters of each thread. A thread that does not respond in time reports its last known counters, so none falls. */
  snapshots(): Promise<readonly MetricsSnapshot[]>;
  readonly gauges: readonly Gauge[];
  /** Each thread finishes its requests first. */
  stop(): Promise<void>;
};

type ApiThread = {
  isReady(): boolean;
  snapshot(): Promise<MetricsSnapshot | undefined>;
  stop(): Promise<void>;
};

class ApiThreadFailed extends Error {
  override name = 'ApiThreadFailed';
}

const snapshotTimeoutMs = 1_000;

/** The number of threads that answer requests. Only Linux distributes the connections of one port to several listeners. */
export function apiThreadCount(setting: number): number {
  return process.platform === 'linux' ? setting : 1;
}

/**
 * Starts `apiThreads - 1` threads. Each listens on the port of the first one and has its own database connections; the kernel
 * distributes the connections.
 */
export function startThreadPool(deps: ThreadPoolDeps): ThreadPool {
  const threads = Array.from({ length: deps.threadOptions.apiThreads - 1 }, () => startApiThread(deps));
  return {
    snapshots: async () => {
      const snapshots = await Promise.all(threads.map((thread) => thread.snapshot()));
      return snapshots.filter((snapshot) => snapshot !== undefined);
    },
    gauges: [
      {
        name: 'citizen_services_api_threads',
        help: 'Threads that answer calls, the first among them.',
        read: () => 1 + threads.filter((thread) => thread.isReady()).length,
      },
    ],
    stop: async () => {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

function startApiThread(deps: ThreadPoolDeps): ApiThread {
  const worker = createWorker(deps);
  const send = (message: ToThread) => worker.postMessage(message);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const snapshotRequests = createPendingRequests<MetricsSnapshot>();
  let lastSnapshot: MetricsSnapshot | undefined;
  let state: 'starting' | 'ready' | 'ended' = 'starting';

  function fail(fault: Error): void {
    if (state === 'ended') return;
    state = 'ended';
    deps.onLost(fault);
  }

  worker.on('message', (message: FromThread) => {
    switch (message.is) {
      case 'ready':
        state = 'ready';
        break;
      case 'failed':
        fail(new ApiThreadFailed(`An API thread could not start: ${message.message}`));
        break;
      case 'stopped':
        state = 'ended';
        void worker.terminate();
        break;
      case 'lines':
        deps.app.log.lines(message.text);
        break;
      case 'wake':
        deps.wakeJob(message.job, message.queues);
        break;
      case 'snapshot':
        lastSnapshot = message.snapshot;
        snapshotRequests.resolve(message.requestId, message.snapshot);
        break;
      case 'page-request':
        void answerPage(deps.pages, message).then(send);
    }
  });
  worker.on('error', (fault) => fail(new ApiThreadFailed('An API thread failed.', { cause: fault })));
  worker.on('exit', (code) => fail(new ApiThreadFailed(`An API thread ended with exit code ${code}.`)));

  return {
    isReady: () => state === 'ready',
    snapshot: async () => {
      if (state !== 'ready') return lastSnapshot;
      const snapshot = snapshotRequests.request((requestId) => send({ is: 'snapshot-request', requestId }));
      return await Promise.race([
        snapshot,
        pause(snapshotTimeoutMs, undefined, { ref: false }).then(() => lastSnapshot),
      ]);
    },
    stop: async () => {
      // A thread that is still starting reads the message when it is ready.
      send({ is: 'stop' });
      await exited;
    },
  };
}

function createWorker({ app, pages, threadOptions }: ThreadPoolDeps): Worker {
  // The same file runs from TypeScript and, compiled, from JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './api-thread.ts' : './api-thread.js';
  const database = app.db.share?.();
  const workerData: ThreadOptions = { ...threadOptions, database, pages: pages.map(({ path }) => path) };
  const transferList = database === undefined ? [] : [database];
  return new Worker(new URL(file, import.meta.url), { workerData, transferList, execArgv: [] });
}

async function answerPage(
  pages: readonly PageRoute[],
  { requestId, path, params, query }: Extract<FromThread, { is: 'page-request' }>,
): Promise<ToThread> {
  const page = pages.find((candidate) => candidate.path === path);
  const response = await page?.get(params, new URLSearchParams(query)).catch(() => undefined);
  return { is: 'page', requestId, response };
}
