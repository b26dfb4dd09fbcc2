import { createEventLoopMeter } from './event-loop-meter.ts';

type SharedCounters = Int32Array<SharedArrayBuffer>;

/** One place of the boards in shared memory that all threads of a process see. */
export type WorkerSlot = {
  /** How many connections each has in use, and one more, so that 0 is a place where nobody listens. */
  readonly connectionCounts: SharedCounters;
  /** For how many thousandths of its time each is at work. */
  readonly busyShares: SharedCounters;
  readonly index: number;
};

/** Keeps the connections in use spread over the threads that listen on one port. */
type ConnectionBalancer = {
  /** Told of each request: whether its connection is to be closed behind the answer, so that its caller comes anew. */
  shouldClose(connection: object): boolean;
  begin(): void;
  /** This thread listens no more: from now on each of its connections is to be closed behind its next answer. */
  end(): void;
};

/** Boards for so many threads, with the seat of the first. */
export function createFirstSlot(threads: number): WorkerSlot {
  const counters = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads));
  return { connectionCounts: counters(), busyShares: counters(), index: 0 };
}

/** Whether several threads may listen on one port. */
export function isSharedPort({ connectionCounts }: WorkerSlot): boolean {
  return connectionCounts.length > 1;
}

/** Nobody listens there, or nobody does any more. */
export function clearSlot({ connectionCounts, busyShares, index }: WorkerSlot): void {
  Atomics.store(connectionCounts, index, 0);
  Atomics.store(busyShares, index, 0);
}

/** The shares of their time for which the other threads are at work, added up: 2 where two never pause. */
export function otherThreadsLoad({ busyShares, index }: WorkerSlot): number {
  return busyShares.reduce((sum, thousandths, at) => (at === index ? sum : sum + thousandths), 0) / 1_000;
}

const rebalanceEveryMs = 500;
/** A thread that is at work for less of its time has nobody wait for long. */
const busyThreshold = 0.8;
/** How far above its share, one for each thread, a thread may be: chance alone brings as much. */
const imbalanceTolerance = 1 / 8;

/**
 * The kernel gives each new connection to one of the threads by chance, and there it stays: of 32 connections one of two
 * threads often has 20. A busy thread that has more than its share closes some behind their next answers, as many as bring it
 * to its share on average, since some of those callers come back to it. Others gain nothing from having fewer callers.
 */
export function createConnectionBalancer(seat: WorkerSlot, measureLoad = createEventLoopMeter()): ConnectionBalancer {
  const { connectionCounts, busyShares, index } = seat;
  const lastRound = new WeakMap<object, number>();
  let round = 0;
  let inUse = 0;
  let toClose = 0;
  // What the others have told is up to one look old, so a thread lets go of some at every second look at the most.
  let previousExcess = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function rebalance(): void {
    const busy = measureLoad();
    Atomics.store(connectionCounts, index, inUse + 1);
    Atomics.store(busyShares, index, Math.round(busy * 1_000));
    const excess = busy >= busyThreshold ? excessConnections(inUse, connectionCounts) : 0;
    toClose = previousExcess === 0 ? 0 : excess;
    previousExcess = toClose > 0 ? 0 : excess;
    inUse = 0;
    round += 1;
  }

  return {
    shouldClose: (connection) => {
      if (isStopped) return true;
      const last = lastRound.get(connection);
      // Who has just come stays: all others would come anew in its place.
      if (last !== undefined && toClose > 0) {
        toClose -= 1;
        if (last === round) inUse -= 1;
        return true;
      }
      if (last === round) return false;
      lastRound.set(connection, round);
      inUse += 1;
      return false;
    },
    begin: () => {
      Atomics.store(connectionCounts, index, 1);
      timer = setInterval(rebalance, rebalanceEveryMs);
      timer.unref();
    },
    end: () => {
      // Another thread may have the seat since.
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      clearSlot(seat);
    },
  };
}

/** How many of so many connections have to come anew, so that about the fair share of all is left. */
function excessConnections(inUse: number, connectionCounts: Int32Array): number {
  const counts = connectionCounts.filter((count) => count > 0).map((count) => count - 1);
  const share = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const above = inUse - share;
  if (counts.length < 2 || above < 1 || above <= share * imbalanceTolerance) return 0;
  return Math.round((above * counts.length) / (counts.length - 1));
}
