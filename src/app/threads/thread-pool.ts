import { availableParallelism } from 'node:os';
import type { ApiServer } from '../../api/api-server.ts';
import { clearSlot, otherThreadsLoad, type WorkerSlot } from '../../api/connection-balancer.ts';
import { createEventLoopMeter } from '../../api/event-loop-meter.ts';
import type { Gauge, Metrics, MetricsSnapshot } from '../../api/metrics.ts';
import { type HelperThread, type HelperThreadDeps, startHelperThread } from './helper-thread.ts';
import { createThreadDemand, sampleEveryMs } from './thread-scaling.ts';

/** What the threads of this process share, and how they are watched. */
export type ThreadPoolDeps = HelperThreadDeps & {
  /** Of the first thread; its board has as many places as there may be threads. */
  readonly seat: WorkerSlot;
  /** The server of the first thread. */
  readonly server: Pick<ApiServer, 'begun'>;
  readonly metrics: Pick<Metrics, 'sum'>;
};

/** The threads that help the first one. */
export type ThreadPool = {
  /** What each of them has counted, and those that have ended. */
  snapshots(): Promise<readonly MetricsSnapshot[]>;
  readonly gauges: readonly Gauge[];
  stop(): Promise<void>;
};

/** After a thread could not start, as while the database was away or took no more connections, the first goes on alone for a minute. */
const pauseRounds = 120;
const defaultMaxThreads = 4;

/**
 * How many threads may answer: by default one for each processor, up to four. Only Linux spreads the connections of one port
 * over several listeners.
 */
export function maxThreads(setting: number | undefined): number {
  if (process.platform !== 'linux') return 1;
  return Math.max(1, setting ?? Math.min(defaultMaxThreads, availableParallelism()));
}

/**
 * Begins threads that help to answer while the first one is busy, one after the other while there are seats, and has the last one
 * leave when those before it can do the work; who is not busy pays nothing for them. Each listens on the port itself and has
 * connections of its own to the database.
 */
export function startThreadPool(deps: ThreadPoolDeps): ThreadPool {
  const maxCount = deps.seat.connectionCounts.length;
  // Those that help, by their seats, and among them what starts or leaves.
  const threads: HelperThread[] = [];
  const endedCounts = createEndedCounts(deps);
  const activeThreads = () => threads.filter((thread) => thread.acceptsConnections());
  let starting = false;
  let leaving = false;
  let pausedRounds = 0;
  const measureLoad = createEventLoopMeter();
  const threadDemand = createThreadDemand();
  let previousRequests = deps.server.begun();

  function adjustThreads(): void {
    const begun = deps.server.begun();
    const first = measureLoad();
    const all = first + otherThreadsLoad(deps.seat);
    const demand = threadDemand({
      threads: activeThreads().length + 1,
      first,
      all,
      requests: begun - previousRequests,
    });
    previousRequests = begun;
    pausedRounds = Math.max(0, pausedRounds - 1);
    if (demand === 'more' && !starting && pausedRounds === 0 && activeThreads().length + 1 < maxCount) void addThread();
    // One at a time: what keeps it may be a download of hours, and meanwhile another may begin in its seat.
    if (demand === 'fewer' && !starting && !leaving) void removeThread();
  }

  async function addThread(): Promise<void> {
    starting = true;
    const seat: WorkerSlot = { ...deps.seat, index: activeThreads().length + 1 };
    const thread = startHelperThread(deps, seat);
    threads.push(thread);
    try {
      await thread.ready;
    } catch (fault) {
      deps.app.log.fault('api-thread', fault);
      threads.splice(threads.indexOf(thread), 1);
      clearSlot(seat);
      pausedRounds = pauseRounds;
    } finally {
      starting = false;
    }
  }

  async function removeThread(): Promise<void> {
    const thread = activeThreads().at(-1);
    if (thread === undefined) return;
    leaving = true;
    const snapshot = await thread.drain();
    // In one turn, so that what it has counted is always there, and once.
    threads.splice(threads.indexOf(thread), 1);
    endedCounts.keep(snapshot);
    leaving = false;
  }

  const timer = setInterval(adjustThreads, sampleEveryMs);
  timer.unref();
  if (maxCount <= 1) clearInterval(timer);
  return {
    snapshots: async () => {
      const pendingSnapshots = [...endedCounts.kept(), ...threads.map((thread) => thread.snapshot())];
      return (await Promise.all(pendingSnapshots)).filter((one) => one !== undefined);
    },
    gauges: [
      {
        name: 'citizen_services_api_threads',
        help: 'Threads that answer calls, the first among them.',
        read: () => 1 + activeThreads().length,
      },
    ],
    stop: async () => {
      clearInterval(timer);
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

/** What threads have counted that are gone: what a process has counted never falls. */
function createEndedCounts({ metrics, app }: Pick<ThreadPoolDeps, 'metrics' | 'app'>) {
  const kept: MetricsSnapshot[] = [];
  // One in the place of all, or there would be more of them with each burst of load.
  async function add(): Promise<void> {
    const all = [...kept];
    const sum = await metrics.sum(all);
    kept.splice(0, all.length, sum);
  }
  return {
    kept: () => kept,
    keep: (snapshot: MetricsSnapshot | undefined) => {
      if (snapshot === undefined) return;
      kept.push(snapshot);
      void add().catch((fault) => app.log.fault('api-thread', fault));
    },
  };
}
