/** What the threads of a process were seen to do since the look before. */
export type Look = {
  /** How many take connections, the first among them. */
  readonly threads: number;
  /** For what share of the time the first was at work. */
  readonly first: number;
  /** The same of all of them, added up. */
  readonly all: number;
  /** How many requests the first has begun. */
  readonly requests: number;
};

/** How many threads there should be, beside what there are. */
export type Demand = 'more' | 'fewer' | 'as many';

/** So often the threads are looked at. */
export const lookEveryMs = 500;
/** With fewer requests in that time something else keeps the first thread busy, as its start, and another would be no help. */
const fewRequests = 25;
/**
 * Two threads that share the work of one and have time to spare do it dearer, in smaller groups: with 32 callers a message cost a
 * third more, and fewer were accepted. So another thread begins only where the loop is hardly ever without work.
 */
const fullShare = 0.95;
/** After so many such looks in a row; and over so many the work is averaged, so that one long turn is no burst of load. */
const fullLooks = 4;
/**
 * A thread fewer can do all the work where it would have each at work for this share of its time at the most. That is well below
 * what begins one, and a thread fewer does the same work cheaper: so none begins for the load at which one has ended.
 */
const fittingShare = 0.6;
/** For so long it has to fit without a break: a thread takes a second of work to begin, and load often comes back within a minute. */
const quietMs = 60_000;

/** Tells at each look whether there are too few threads, or one too many. Whatever their number was before counts no more when it changes. */
export function createDemand(quietForMs = quietMs): (look: Look) => Demand {
  let threadsBefore = 0;
  let full = 0;
  let quiet = 0;
  let work: readonly number[] = [];

  return ({ threads, first, all, requests }) => {
    if (threads !== threadsBefore) {
      threadsBefore = threads;
      full = 0;
      quiet = 0;
      work = [];
    }
    full = first >= fullShare && requests >= fewRequests ? full + 1 : 0;
    work = [...work, all].slice(-fullLooks);
    const average = work.reduce((sum, share) => sum + share, 0) / work.length;
    quiet = average < fittingShare * (threads - 1) ? quiet + 1 : 0;
    if (full >= fullLooks) return 'more';
    return quiet * lookEveryMs >= quietForMs ? 'fewer' : 'as many';
  };
}
