import { createBusyShare } from './busy-loop.ts';

type Shared = Int32Array<SharedArrayBuffer>;

/** One place of the boards in shared memory that all threads of a process see. */
export type Seat = {
  /** How many connections each has in use, and one more, so that 0 is a place where nobody listens. */
  readonly board: Shared;
  /** For how many thousandths of its time each is at work. */
  readonly work: Shared;
  readonly place: number;
};

/** Keeps the connections in use spread over the threads that listen on one port. */
type Spread = {
  /** Told of each request: whether its connection is to be closed behind the answer, so that its caller comes anew. */
  moves(connection: object): boolean;
  begin(): void;
  /** This thread listens no more: from now on each of its connections is to be closed behind its next answer. */
  end(): void;
};

/** Boards for so many threads, with the seat of the first. */
export function firstSeat(threads: number): Seat {
  const board = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads));
  return { board: board(), work: board(), place: 0 };
}

/** Whether several threads may listen on one port. */
export function isShared({ board }: Seat): boolean {
  return board.length > 1;
}

/** Nobody listens there, or nobody does any more. */
export function leaveSeat({ board, work, place }: Seat): void {
  Atomics.store(board, place, 0);
  Atomics.store(work, place, 0);
}

/** The shares of their time for which the other threads are at work, added up: 2 where two never pause. */
export function workOfOthers({ work, place }: Seat): number {
  return work.reduce((sum, thousandths, at) => (at === place ? sum : sum + thousandths), 0) / 1_000;
}

const lookEveryMs = 500;
/** A thread that is at work for less of its time has nobody wait for long. */
const busyShare = 0.8;
/** How far above its share, one for each thread, a thread may be: chance alone brings as much. */
const toleratedShare = 1 / 8;

/**
 * The kernel gives each new connection to one of the threads by chance, and there it stays: of 32 connections one of two
 * threads often has 20. A busy thread that has more than its share closes some behind their next answers, as many as bring it
 * to its share on average, since some of those callers come back to it. Others gain nothing from having fewer callers.
 */
export function createSpread(seat: Seat, share = createBusyShare()): Spread {
  const { board, work, place } = seat;
  const lastUse = new WeakMap<object, number>();
  let look = 0;
  let inUse = 0;
  let leaving = 0;
  // What the others have told is up to one look old, so a thread lets go of some at every second look at the most.
  let tooManyBefore = 0;
  let looking: NodeJS.Timeout | undefined;
  let isOver = false;

  function lookAround(): void {
    const busy = share();
    Atomics.store(board, place, inUse + 1);
    Atomics.store(work, place, Math.round(busy * 1_000));
    const tooManyNow = busy >= busyShare ? tooMany(inUse, board) : 0;
    leaving = tooManyBefore === 0 ? 0 : tooManyNow;
    tooManyBefore = leaving > 0 ? 0 : tooManyNow;
    inUse = 0;
    look += 1;
  }

  return {
    moves: (connection) => {
      if (isOver) return true;
      const last = lastUse.get(connection);
      // Who has just come stays: all others would come anew in its place.
      if (last !== undefined && leaving > 0) {
        leaving -= 1;
        if (last === look) inUse -= 1;
        return true;
      }
      if (last === look) return false;
      lastUse.set(connection, look);
      inUse += 1;
      return false;
    },
    begin: () => {
      Atomics.store(board, place, 1);
      looking = setInterval(lookAround, lookEveryMs);
      looking.unref();
    },
    end: () => {
      // Another thread may have the seat since.
      if (isOver) return;
      isOver = true;
      clearInterval(looking);
      leaveSeat(seat);
    },
  };
}

/** How many of so many connections have to come anew, so that about the fair share of all is left. */
function tooMany(inUse: number, board: Int32Array): number {
  const counts = board.filter((count) => count > 0).map((count) => count - 1);
  const share = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const above = inUse - share;
  if (counts.length < 2 || above < 1 || above <= share * toleratedShare) return 0;
  return Math.round((above * counts.length) / (counts.length - 1));
}
