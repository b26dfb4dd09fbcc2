import { availableParallelism } from 'node:os';
import { createBusyShare } from './api/busy-loop.ts';
import type { Gauge, Metrics, Snapshot } from './api/metrics.ts';
import type { ApiServer } from './api/server.ts';
import { leaveSeat, type Seat, workOfOthers } from './api/spread.ts';
import { type Helper, type HelperParts, startHelper } from './api-helper.ts';
import { createDemand, lookEveryMs } from './thread-demand.ts';

/** What the threads of this process share, and how they are watched. */
export type ThreadParts = HelperParts & {
  /** Of the first thread; its board has as many places as there may be threads. */
  readonly seat: Seat;
  /** The server of the first thread. */
  readonly server: Pick<ApiServer, 'begun'>;
  readonly metrics: Pick<Metrics, 'sum'>;
};

/** The threads that help the first one. */
export type ApiThreads = {
  /** What each of them has counted, and those that have ended. */
  snapshots(): Promise<readonly Snapshot[]>;
  readonly gauges: readonly Gauge[];
  stop(): Promise<void>;
};

/** After a thread could not start, as while the database was away or took no more connections, the first goes on alone for a minute. */
const restingLooks = 120;
const defaultMost = 4;

/**
 * How many threads may answer: by default one for each processor, up to four. Only Linux spreads the connections of one port
 * over several listeners.
 */
export function mostThreads(setting: number | undefined): number {
  if (process.platform !== 'linux') return 1;
  return Math.max(1, setting ?? Math.min(defaultMost, availableParallelism()));
}

/**
 * Begins threads that help to answer while the first one is busy, one after the other while there are seats, and has the last one
 * leave when those before it can do the work; who is not busy pays nothing for them. Each listens on the port itself and has
 * connections of its own to the database.
 */
export function openApiThreads(parts: ThreadParts): ApiThreads {
  const most = parts.seat.board.length;
  // Those that help, by their seats, and among them what starts or leaves.
  const threads: Helper[] = [];
  const counts = createKeptCounts(parts);
  const helping = () => threads.filter((thread) => thread.helps());
  let starting = false;
  let leaving = false;
  let resting = 0;
  const share = createBusyShare();
  const demandOf = createDemand();
  let begunBefore = parts.server.begun();

  function look(): void {
    const begun = parts.server.begun();
    const first = share();
    const all = first + workOfOthers(parts.seat);
    const demand = demandOf({ threads: helping().length + 1, first, all, requests: begun - begunBefore });
    begunBefore = begun;
    resting = Math.max(0, resting - 1);
    if (demand === 'more' && !starting && resting === 0 && helping().length + 1 < most) void begin();
    // One at a time: what keeps it may be a download of hours, and meanwhile another may begin in its seat.
    if (demand === 'fewer' && !starting && !leaving) void letGo();
  }

  async function begin(): Promise<void> {
    starting = true;
    const seat: Seat = { ...parts.seat, place: helping().length + 1 };
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
      starting = false;
    }
  }

  async function letGo(): Promise<void> {
    const helper = helping().at(-1);
    if (helper === undefined) return;
    leaving = true;
    const counted = await helper.leave();
    // In one turn, so that what it has counted is always there, and once.
    threads.splice(threads.indexOf(helper), 1);
    counts.keep(counted);
    leaving = false;
  }

  const looking = setInterval(look, lookEveryMs);
  looking.unref();
  if (most <= 1) clearInterval(looking);
  return {
    snapshots: async () => {
      const asked = [...counts.kept(), ...threads.map((thread) => thread.count())];
      return (await Promise.all(asked)).filter((one) => one !== undefined);
    },
    gauges: [
      {
        name: 'citizen_services_api_threads',
        help: 'Threads that answer calls, the first among them.',
        read: () => 1 + helping().length,
      },
    ],
    stop: async () => {
      clearInterval(looking);
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

/** What threads have counted that are gone: what a process has counted never falls. */
function createKeptCounts({ metrics, house }: Pick<ThreadParts, 'metrics' | 'house'>) {
  const kept: Snapshot[] = [];
  // One in the place of all, or there would be more of them with each burst of load.
  async function add(): Promise<void> {
    const all = [...kept];
    const sum = await metrics.sum(all);
    kept.splice(0, all.length, sum);
  }
  return {
    kept: () => kept,
    keep: (snapshot: Snapshot | undefined) => {
      if (snapshot === undefined) return;
      kept.push(snapshot);
      void add().catch((fault) => house.log.fault('api-thread', fault));
    },
  };
}
