/** What the threads of a process were seen to do since the look before. */
export type LoadSample = {
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
export type ThreadDemand = 'more' | 'fewer' | 'as many';

/** So often the threads are looked at. */
export const sampleEveryMs = 500;
/** With fewer requests in that time something else keeps the first thread busy, as its start, and another would be no help. */
const minRequests = 25;
/**
 * Two threads that share the work of one and have time to spare do it dearer, in smaller groups: with 32 callers a message cost a
 * third more, and fewer were accepted. So another thread begins only where the loop is hardly ever without work.
 */
const fullLoad = 0.95;
/** After so many such looks in a row; and over so many the work is averaged, so that one long turn is no burst of load. */
const fullSamples = 4;
/**
 * A thread fewer can do all the work where it would have each at work for this share of its time at the most. That is well below
 * what begins one, and a thread fewer does the same work cheaper: so none begins for the load at which one has ended.
 */
const fittingLoad = 0.6;
/** For so long it has to fit without a break: a thread takes a second of work to begin, and load often comes back within a minute. */
const quietMs = 60_000;

/** Tells at each look whether there are too few threads, or one too many. Whatever their number was before counts no more when it changes. */
export function createThreadDemand(quietForMs = quietMs): (look: LoadSample) => ThreadDemand {
  let threadsBefore = 0;
  let fullCount = 0;
  let quietCount = 0;
  let recentLoads: readonly number[] = [];

  return ({ threads, first, all, requests }) => {
    if (threads !== threadsBefore) {
      threadsBefore = threads;
      fullCount = 0;
      quietCount = 0;
      recentLoads = [];
    }
    fullCount = first >= fullLoad && requests >= minRequests ? fullCount + 1 : 0;
    recentLoads = [...recentLoads, all].slice(-fullSamples);
    const average = recentLoads.reduce((sum, share) => sum + share, 0) / recentLoads.length;
    quietCount = average < fittingLoad * (threads - 1) ? quietCount + 1 : 0;
    if (fullCount >= fullSamples) return 'more';
    return quietCount * sampleEveryMs >= quietForMs ? 'fewer' : 'as many';
  };
}
