import { monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { type Refusal, refuse } from '../kernel/refusal.ts';

/** Counts the requests in flight, and decides whether more may start. */
export type Load = {
  /** Starts to watch the event loop. Called after the server listens, so that the long turns of the start do not count. */
  watch(): void;
  begin(): void;
  end(): void;
  shed(): Refusal | undefined;
  /** From now on `stopping` is true, and each response is the last one of its connection. */
  beginStop(): void;
  /**
   * Resolves when all requests are answered, or after `deadlineMs`. New requests on open connections are accepted for another
   * second, because their clients do not know of the stop, and refused after that.
   */
  drain(deadlineMs: number): Promise<void>;
  readonly stopping: boolean;
  close(): void;
};

/**
 * Limits beyond which new requests receive 503: requests in flight, in total and for one client, and the delay of the event loop.
 */
export const loadLimits = { inFlight: 2_000, perClient: 1_000, loopDelayMs: 200 } as const;

/** During a stop, open connections may send one more request within this time. */
const graceMs = 1_000;

/** Watches the event loop of this thread. A refused request costs only the refusal. */
export function createLoad(takesMoreForMs = graceMs): Load {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  const checkDelay = createDelayCheck(delay);
  let inFlight = 0;
  let stopping = false;
  let refusing = false;
  let isLate = false;
  let drained: (() => void) | undefined;
  let watching: NodeJS.Timeout | undefined;

  return {
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
    shed: () => {
      if (refusing)
        return refuse('capacity-reduced', 'The server is stopping; nothing was processed.', stoppingHeaders);
      if (isLate || inFlight >= loadLimits.inFlight) return refuse('capacity-reduced', undefined, busyHeaders);
      return undefined;
    },
    beginStop: () => {
      stopping = true;
    },
    drain: async (deadlineMs) => {
      stopping = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      drained = resolve;
      const timer = setTimeout(resolve, deadlineMs);
      const grace = setTimeout(() => {
        refusing = true;
      }, takesMoreForMs);
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
 * Decides once a second whether the event loop was late: whether the median of its turns (in ns) exceeded the limit. A single
 * long turn, such as loading a module or a garbage collection, is over when it is seen. If one turn filled the whole second, it
 * counts at the next check, together with the turns after it.
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
