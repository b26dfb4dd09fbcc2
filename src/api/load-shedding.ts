import { monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { type Refusal, refuse } from '../kernel/refusal.ts';

/** Counts the requests in flight, and decides whether more may start. */
export type Load = ReturnType<typeof createLoad>;

/** The limits above which new requests receive 503. */
export const loadLimits = { inFlight: 2_000, perClient: 1_000, loopDelayMs: 200 } as const;

/** Creates the load of this thread. During a stop, open connections may send one more request within `graceMs`. */
export function createLoad(graceMs = 1_000) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  const checkDelay = createDelayCheck(delay);
  let inFlight = 0;
  let stopping = false;
  let refusing = false;
  let isLate = false;
  let drained: (() => void) | undefined;
  let watching: NodeJS.Timeout | undefined;

  return {
    /** Starts to watch the event loop. Called after the server listens, so that the long turns of the start do not count. */
    watch: () => {
      delay.enable();
      watching = setInterval(() => {
        isLate = checkDelay();
      }, 1_000);
      watching.unref();
    },
    begin: () => {
      inFlight += 1;
    },
    end: () => {
      inFlight -= 1;
      if (stopping && inFlight === 0) drained?.();
    },
    shed: (): Refusal | undefined => {
      if (refusing)
        return refuse('capacity-reduced', 'The server is stopping; nothing was processed.', stoppingHeaders);
      if (isLate || inFlight >= loadLimits.inFlight) return refuse('capacity-reduced', undefined, busyHeaders);
      return undefined;
    },
    /** From now on `stopping` is true, and each response is the last one of its connection. */
    beginStop: () => {
      stopping = true;
    },
    /** Resolves when all requests are answered, or after `deadlineMs`. */
    drain: async (deadlineMs: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      drained = resolve;
      const timer = setTimeout(resolve, deadlineMs);
      const grace = setTimeout(() => {
        refusing = true;
      }, graceMs);
      if (inFlight > 0) await promise;
      clearTimeout(timer);
      clearTimeout(grace);
      refusing = true;
    },
    get stopping() {
      return stopping;
    },
    close: () => {
      clearInterval(watching);
      delay.disable();
    },
  };
}

/**
 * Decides whether the event loop is late: whether the median of its turns since the last check exceeds the limit. A single long
 * turn, such as a garbage collection, does not count. A turn that filled the whole time counts at the next check.
 */
export function createDelayCheck(
  histogram: Pick<RecordableHistogram, 'count' | 'percentile' | 'reset'>,
): () => boolean {
  let isLate = false;
  return () => {
    if (histogram.count < 2) return isLate;
    isLate = histogram.percentile(50) / 1e6 > loadLimits.loopDelayMs;
    histogram.reset();
    return isLate;
  };
}

const stoppingHeaders = { headers: { 'retry-after': '5', connection: 'close' } };
const busyHeaders = { headers: { 'retry-after': '1' } };
