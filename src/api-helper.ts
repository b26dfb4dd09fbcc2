import { Worker } from 'node:worker_threads';
import type { Snapshot } from './api/metrics.ts';
import type { Page, PageAnswer } from './api/server.ts';
import type { Seat } from './api/spread.ts';
import type { House } from './compose.ts';
import type { FromThread, ThreadOrder, ToThread, Wakes } from './thread-messages.ts';

/** What a thread that helps the first one needs of it. */
export type HelperParts = {
  readonly house: Pick<House, 'db' | 'log'>;
  readonly order: Omit<ThreadOrder, 'database' | 'pages' | 'seat'>;
  readonly pages: readonly Page[];
  readonly wakes: Wakes;
  /** A thread that was at work has ended by a fault: what it had in hand is lost, as when a process ends. */
  onLost(fault: Error): void;
};

/** A thread that helps, as the first one sees it. */
export type Helper = {
  /** Resolves when it answers calls; rejects where it could not start. */
  readonly ready: Promise<void>;
  /** Whether it takes connections: one that is still starting does not, nor does one that leaves. */
  helps(): boolean;
  /** What it has counted so far; where it does not say so in time, what it said last, since what is counted never falls. */
  count(): Promise<Snapshot | undefined>;
  /** Has it take no more connections, and resolves when the last one is over and the thread gone, with what it has counted. */
  leave(): Promise<Snapshot | undefined>;
  stop(): Promise<void>;
};

const countWithinMs = 1_000;

function spawn({ house, pages, order }: HelperParts, seat: Seat): Worker {
  // The same file runs from TypeScript and, compiled, from JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './api-thread.ts' : './api-thread.js';
  const database = house.db.share?.();
  const workerData: ThreadOrder = { ...order, seat, database, pages: pages.map(({ path }) => path) };
  const transferList = database === undefined ? [] : [database];
  return new Worker(new URL(file, import.meta.url), { workerData, transferList, execArgv: [] });
}

/** Starts a thread that listens at that seat. */
export function startHelper(parts: HelperParts, seat: Seat): Helper {
  const { house, pages } = parts;
  const worker = spawn(parts, seat);
  const tell = (message: ToThread) => worker.postMessage(message);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const counting = createCounting(tell);
  let state: 'starting' | 'ready' | 'leaving' | 'ended' = 'starting';
  const isAtWork = () => state === 'ready' || state === 'leaving';

  function end(fault: Error): void {
    if (isAtWork()) parts.onLost(fault);
    state = 'ended';
    ready.reject(fault);
    ended.resolve();
    counting.end();
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
        counting.end(message.snapshot);
        void worker.terminate();
        break;
      case 'lines':
        house.log.lines(message.text);
        break;
      case 'wake':
        parts.wakes[message.part](message.queues);
        break;
      case 'counted':
        counting.answered(message.question, message.snapshot);
        break;
      case 'page-wanted':
        void answerPage(pages, message).then((answer) => tell({ is: 'page', question: message.question, answer }));
    }
  });
  worker.on('error', (fault) => end(fault instanceof Error ? fault : new Error('a thread threw what is no error')));
  worker.on('exit', (code) => end(new Error(`a thread that answers calls ended with code ${code}`)));

  return {
    ready: ready.promise,
    helps: () => state === 'ready',
    count: async () => (isAtWork() ? await counting.ask() : counting.last()),
    leave: async () => {
      if (state === 'ready') {
        state = 'leaving';
        tell({ is: 'leave' });
      }
      await ended.promise;
      return counting.last();
    },
    stop: async () => {
      await ready.promise.catch(() => undefined);
      if (isAtWork()) tell({ is: 'stop' });
      await ended.promise;
    },
  };
}

/** The questions for what a thread has counted. */
function createCounting(tell: (message: ToThread) => void) {
  const waiting = new Map<number, (snapshot: Snapshot | undefined) => void>();
  let questions = 0;
  let last: Snapshot | undefined;
  return {
    last: () => last,
    ask: async (): Promise<Snapshot | undefined> => {
      const question = ++questions;
      const { promise, resolve } = Promise.withResolvers<Snapshot | undefined>();
      waiting.set(question, resolve);
      const late = setTimeout(() => resolve(last), countWithinMs);
      tell({ is: 'count', question });
      const snapshot = await promise;
      clearTimeout(late);
      waiting.delete(question);
      return snapshot;
    },
    answered: (question: number, snapshot: Snapshot) => {
      last = snapshot;
      waiting.get(question)?.(snapshot);
    },
    /** The thread answers no more; `snapshot` is what it has counted in all, where it could say so. */
    end: (snapshot = last) => {
      last = snapshot;
      for (const resolve of waiting.values()) resolve(last);
    },
  };
}

async function answerPage(
  pages: readonly Page[],
  wanted: Extract<FromThread, { is: 'page-wanted' }>,
): Promise<PageAnswer | undefined> {
  const page = pages.find(({ path }) => path === wanted.path);
  return await page?.get(wanted.params, new URLSearchParams(wanted.query)).catch(() => undefined);
}
