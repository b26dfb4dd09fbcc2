import { Worker } from 'node:worker_threads';
import type { PageResponse, PageRoute } from '../../api/api-server.ts';
import type { WorkerSlot } from '../../api/connection-balancer.ts';
import type { MetricsSnapshot } from '../../api/metrics.ts';
import type { AppContext } from '../app-context.ts';
import type { FromThread, ThreadOptions, ToThread, WakeJob } from './thread-messages.ts';

/** What a thread that helps the first one needs of it. */
export type HelperThreadDeps = {
  readonly app: Pick<AppContext, 'db' | 'log'>;
  readonly threadOptions: Omit<ThreadOptions, 'database' | 'pages' | 'seat'>;
  readonly pages: readonly PageRoute[];
  readonly wakeJob: WakeJob;
  /** A thread that was at work has ended by a fault: what it had in hand is lost, as when a process ends. */
  onLost(fault: Error): void;
};

/** A thread that helps, as the first one sees it. */
export type HelperThread = {
  /** Resolves when it answers calls; rejects where it could not start. */
  readonly ready: Promise<void>;
  /** Whether it takes connections: one that is still starting does not, nor does one that leaves. */
  acceptsConnections(): boolean;
  /** What it has counted so far; where it does not say so in time, what it said last, since what is counted never falls. */
  snapshot(): Promise<MetricsSnapshot | undefined>;
  /** Has it take no more connections, and resolves when the last one is over and the thread gone, with what it has counted. */
  drain(): Promise<MetricsSnapshot | undefined>;
  stop(): Promise<void>;
};

const snapshotTimeoutMs = 1_000;

function spawnWorker({ app, pages, threadOptions }: HelperThreadDeps, seat: WorkerSlot): Worker {
  // The same file runs from TypeScript and, compiled, from JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './api-thread.ts' : './api-thread.js';
  const database = app.db.share?.();
  const workerData: ThreadOptions = { ...threadOptions, seat, database, pages: pages.map(({ path }) => path) };
  const transferList = database === undefined ? [] : [database];
  return new Worker(new URL(file, import.meta.url), { workerData, transferList, execArgv: [] });
}

/** Starts a thread that listens at that seat. */
export function startHelperThread(deps: HelperThreadDeps, seat: WorkerSlot): HelperThread {
  const { app, pages } = deps;
  const worker = spawnWorker(deps, seat);
  const send = (message: ToThread) => worker.postMessage(message);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const snapshotRequests = createSnapshotRequests(send);
  let state: 'starting' | 'ready' | 'leaving' | 'ended' = 'starting';
  const isRunning = () => state === 'ready' || state === 'leaving';

  function end(fault: Error): void {
    if (isRunning()) deps.onLost(fault);
    state = 'ended';
    ready.reject(fault);
    ended.resolve();
    snapshotRequests.end();
  }

  worker.on('message', (message: FromThread) => {
    switch (message.is) {
      case 'ready':
        state = 'ready';
        ready.resolve();
        break;
      case 'failed':
        end(new Error(`a thread could not start: ${message.message}`));
        void worker.terminate();
        break;
      case 'stopped':
        state = 'ended';
        snapshotRequests.end(message.snapshot);
        void worker.terminate();
        break;
      case 'lines':
        app.log.lines(message.text);
        break;
      case 'wake':
        deps.wakeJob(message.job, message.queues);
        break;
      case 'counted':
        snapshotRequests.answered(message.requestId, message.snapshot);
        break;
      case 'page-wanted':
        void answerPage(pages, message).then((answer) => send({ is: 'page', requestId: message.requestId, answer }));
    }
  });
  worker.on('error', (fault) => end(fault instanceof Error ? fault : new Error('a thread threw what is no error')));
  worker.on('exit', (code) => end(new Error(`a thread that answers calls ended with code ${code}`)));

  return {
    ready: ready.promise,
    acceptsConnections: () => state === 'ready',
    snapshot: async () => (isRunning() ? await snapshotRequests.ask() : snapshotRequests.last()),
    drain: async () => {
      if (state === 'ready') {
        state = 'leaving';
        send({ is: 'leave' });
      }
      await ended.promise;
      return snapshotRequests.last();
    },
    stop: async () => {
      await ready.promise.catch(() => undefined);
      if (isRunning()) send({ is: 'stop' });
      await ended.promise;
    },
  };
}

/** The questions for what a thread has counted. */
function createSnapshotRequests(send: (message: ToThread) => void) {
  const waiting = new Map<number, (snapshot: MetricsSnapshot | undefined) => void>();
  let lastRequestId = 0;
  let last: MetricsSnapshot | undefined;
  return {
    last: () => last,
    ask: async (): Promise<MetricsSnapshot | undefined> => {
      const requestId = ++lastRequestId;
      const { promise, resolve } = Promise.withResolvers<MetricsSnapshot | undefined>();
      waiting.set(requestId, resolve);
      const timeout = setTimeout(() => resolve(last), snapshotTimeoutMs);
      send({ is: 'count', requestId });
      const snapshot = await promise;
      clearTimeout(timeout);
      waiting.delete(requestId);
      return snapshot;
    },
    answered: (requestId: number, snapshot: MetricsSnapshot) => {
      last = snapshot;
      waiting.get(requestId)?.(snapshot);
    },
    /** The thread answers no more; `snapshot` is what it has counted in all, where it could say so. */
    end: (snapshot = last) => {
      last = snapshot;
      for (const resolve of waiting.values()) resolve(last);
    },
  };
}

async function answerPage(
  pages: readonly PageRoute[],
  wanted: Extract<FromThread, { is: 'page-wanted' }>,
): Promise<PageResponse | undefined> {
  const page = pages.find(({ path }) => path === wanted.path);
  return await page?.get(wanted.params, new URLSearchParams(wanted.query)).catch(() => undefined);
}
