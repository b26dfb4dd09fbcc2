import { monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { type Refusal, refuse } from '../kernel/refusal.ts';

/** Counts the requests in flight, and decides whether more may start. */
export type Load = ReturnType<typeof createLoad>;

/** The limits above which new requests receive 503. */
export const loadLimits = { inFlight: 2_000, perClient: 1_000, loopDelayMs: 200 } as const;

/**
 * Creates the load of this thread. Each connection that is open when a stop begins may send one more request. After `graceMs`
 * these requests are refused: only connections that were busy until then can send one.
 */
export function createLoad(graceMs: number) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  const checkDelay = createDelayCheck(delay);
  let inFlight = 0;
  let stopping = false;
  let refusing = false;
  let isSlow = false;
  let grace: NodeJS.Timeout | undefined;
  let watching: NodeJS.Timeout | undefined;

  return {
    /** Starts to watch the event loop. Called after the server listens, so that the long turns of the start do not count. */
    watch: () => {
      delay.enable();
      watching = setInterval(() => {
        isSlow = checkDelay();
      }, 1_000);
      watching.unref();
    },
    begin: () => {
      inFlight += 1;
    },
    end: () => {
      inFlight -= 1;
    },
    /** Returns the refusal of a request with this target, if it may not start. */
    shed: (url = ''): Refusal | undefined => {
      if (refusing)
        return refuse('capacity-reduced', 'The server is stopping. It did not process the request.', stoppingHeaders);
      // A page whose stylesheet was refused cannot be read well, and a file in memory costs almost nothing.
      const isTooSlow = isSlow && !url.startsWith('/assets/');
      if (isTooSlow || inFlight >= loadLimits.inFlight)
        return refuse('capacity-reduced', overloadedDetail, busyHeaders);
      return undefined;
    },
    /** From now on `stopping` is true, and each response is the last one of its connection. */
    beginStop: () => {
      stopping = true;
      grace ??= setTimeout(() => {
        refusing = true;
      }, graceMs);
    },
    get stopping() {
      return stopping;
    },
    close: () => {
      clearInterval(watching);
      clearTimeout(grace);
      delay.disable();
    },
  };
}

/**
 * Returns whether the event loop is too slow: whether the median of its turns since the last check exceeds the limit. A single long
 * turn, such as a garbage collection, does not count. A turn that lasted from one check to the next counts at the next check.
 */
export function createDelayCheck(
  histogram: Pick<RecordableHistogram, 'count' | 'percentile' | 'reset'>,
): () => boolean {
  let isSlow = false;
  return () => {
    if (histogram.count < 2) return isSlow;
    isSlow = histogram.percentile(50) / 1e6 > loadLimits.loopDelayMs;
    histogram.reset();
    return isSlow;
  };
}

/** The detail of a refusal because of too many requests. */
export const overloadedDetail = 'The server is overloaded. It did not process the request.';
const stoppingHeaders = { headers: { 'retry-after': '5', connection: 'close' } };
const busyHeaders = { headers: { 'retry-after': '1' } };
