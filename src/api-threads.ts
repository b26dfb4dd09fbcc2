import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { createBusyLook } from './api/busy-loop.ts';
import type { Snapshot } from './api/metrics.ts';
import type { ApiServer, Page, PageAnswer } from './api/server.ts';
import { leaveSeat, type Seat } from './api/spread.ts';
import type { House } from './compose.ts';
import type { FromThread, ThreadOrder, ToThread, Wakes } from './thread-messages.ts';

/** What the threads of this process share, and how they are watched. */
export type ThreadParts = {
  readonly house: Pick<House, 'db' | 'log'>;
  readonly order: Omit<ThreadOrder, 'database' | 'pages' | 'seat'>;
  /** Of the first thread; its board has as many places as there may be threads. */
  readonly seat: Seat;
  readonly pages: readonly Page[];
  readonly wakes: Wakes;
  /** The server of the first thread. */
  readonly server: Pick<ApiServer, 'begun'>;
  /** A thread that was at work has ended by a fault: what it had in hand is lost, as when a process ends. */
  onLost(fault: Error): void;
};

/** The threads that help the first one. */
export type ApiThreads = {
  /** What each of them has counted. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** How many help at present; one that is still starting does not. */
  readonly count: number;
  stop(): Promise<void>;
};

/** How often the first thread looks whether it was busy. */
const lookEveryMs = 500;
/** With fewer requests in that time something else keeps it busy, as its start, and a thread would be no help. */
const fewRequests = 25;
/**
 * Two threads that share the work of one and have time to spare do it dearer, in smaller groups: with 32 callers a message cost a
 * third more, and fewer were accepted. So another thread begins only where the loop is hardly ever without work.
 */
const fullShare = 0.95;
/** After so many busy looks in a row another thread begins. */
const busyLooks = 4;
/** After a thread could not start, as while the database was away or took no more connections, the first goes on alone for a minute. */
const restingLooks = 120;
const defaultMost = 4;
const countWithinMs = 1_000;

/**
 * How many threads may answer: by default one for each processor, up to four. Only Linux spreads the connections of one port
 * over several listeners.
 */
export function mostThreads(setting: number | undefined): number {
  if (process.platform !== 'linux') return 1;
  return Math.max(1, setting ?? Math.min(defaultMost, availableParallelism()));
}

/**
 * Begins threads that help to answer while the first one is busy, one after the other while there are seats; who is not busy pays
 * nothing for them. Each listens on the port itself and has connections of its own to the database.
 */
export function openApiThreads(parts: ThreadParts): ApiThreads {
  const most = parts.seat.board.length;
  const threads: Helper[] = [];
  let starting = false;
  let busy = 0;
  let resting = 0;
  const isBusy = createBusyLook(fullShare);
  let begunBefore = parts.server.begun();

  function look(): void {
    const begun = parts.server.begun();
    busy = isBusy() && begun - begunBefore >= fewRequests ? busy + 1 : 0;
    begunBefore = begun;
    resting = Math.max(0, resting - 1);
    if (busy >= busyLooks && !starting && resting === 0 && threads.length + 1 < most) void begin();
  }

  async function begin(): Promise<void> {
    starting = true;
    const seat: Seat = { ...parts.seat, place: threads.length + 1 };
    const helper = startHelper(parts, seat);
    threads.push(helper);
    try {
      await helper.ready;
    } catch (fault) {
      parts.house.log.fault('api-thread', fault);
      threads.splice(threads.indexOf(helper), 1);
      leaveSeat(seat);
      resting = restingLooks;
    } finally {
      busy = 0;
      starting = false;
    }
  }

  const looking = setInterval(look, lookEveryMs);
  looking.unref();
  if (most <= 1) clearInterval(looking);
  return {
    snapshots: async () =>
      (await Promise.all(threads.map((thread) => thread.count()))).filter((one) => one !== undefined),
    get count() {
      return threads.filter((thread) => thread.isReady()).length;
    },
    stop: async () => {
      clearInterval(looking);
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

type Helper = {
  /** Resolves when it answers calls; rejects where it could not start. */
  readonly ready: Promise<void>;
  isReady(): boolean;
  tell(message: ToThread): void;
  count(): Promise<Snapshot | undefined>;
  stop(): Promise<void>;
};

function spawn({ house, pages, order }: ThreadParts, seat: Seat): Worker {
  // The same file runs from TypeScript and, compiled, from JavaScript.
  const file = import.meta.filename.endsWith('.ts') ? './api-thread.ts' : './api-thread.js';
  const database = house.db.share?.();
  const workerData: ThreadOrder = { ...order, seat, database, pages: pages.map(({ path }) => path) };
  const transferList = database === undefined ? [] : [database];
  return new Worker(new URL(file, import.meta.url), { workerData, transferList, execArgv: [] });
}

function startHelper(parts: ThreadParts, seat: Seat): Helper {
  const { house, pages } = parts;
  const worker = spawn(parts, seat);
  const tell = (message: ToThread) => worker.postMessage(message);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const counting = new Map<number, (snapshot: Snapshot | undefined) => void>();
  let questions = 0;
  let state: 'starting' | 'ready' | 'ended' = 'starting';

  function end(fault: Error): void {
    if (state === 'ready') parts.onLost(fault);
    state = 'ended';
    ready.reject(fault);
    ended.resolve();
    for (const resolve of counting.values()) resolve(undefined);
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
        void worker.terminate();
        break;
      case 'lines':
        house.log.lines(message.text);
        break;
      case 'wake':
        parts.wakes[message.part](message.queues);
        break;
      case 'counted':
        counting.get(message.question)?.(message.snapshot);
        break;
      case 'page-wanted':
        void answerPage(pages, message).then((answer) => tell({ is: 'page', question: message.question, answer }));
    }
  });
  worker.on('error', (fault) => end(fault instanceof Error ? fault : new Error('a thread threw what is no error')));
  worker.on('exit', (code) => end(new Error(`a thread that answers calls ended with code ${code}`)));

  return {
    ready: ready.promise,
    isReady: () => state === 'ready',
    tell,
    count: async () => {
      if (state !== 'ready') return undefined;
      const question = ++questions;
      const { promise, resolve } = Promise.withResolvers<Snapshot | undefined>();
      counting.set(question, resolve);
      const late = setTimeout(resolve, countWithinMs, undefined);
      tell({ is: 'count', question });
      const snapshot = await promise;
      clearTimeout(late);
      counting.delete(question);
      return snapshot;
    },
    stop: async () => {
      await ready.promise.catch(() => undefined);
      if (state === 'ready') tell({ is: 'stop' });
      await ended.promise;
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
