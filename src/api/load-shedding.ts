import { monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { type Refusal, refuse } from '../kernel/refusal.ts';

/** What is at work now, and whether more may start. */
export type Load = {
  /** Begins to watch the event loop; called when the server listens, so that the turns of its own start do not count. */
  watch(): void;
  begin(): void;
  end(): void;
  shed(): Refusal | undefined;
  /** From now on it is `stopping`: each answer is the last one of its connection. */
  beginStop(): void;
  /**
   * Resolves when what was taken is answered, or after `deadlineMs`. What comes meanwhile on open connections is taken for a
   * moment more, since its callers know of no stop, and then refused.
   */
  drain(deadlineMs: number): Promise<void>;
  readonly stopping: boolean;
  close(): void;
};

/** How much may be at work at once, of all and of one client, and how late the event loop may run, before new requests are refused with 503. */
export const loadLimits = { inFlight: 2_000, perClient: 1_000, loopDelayMs: 200 } as const;

/** How long the answers of a stop may still be followed by one request of each open connection. */
const graceMs = 1_000;

/** Watches the process; a refused request has cost nothing but the refusal. */
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
 * Tells at each look, once a second, whether the loop was late: most of its turns (ns) since the look before, for a single long
 * one, as the loading of a module or a garbage collection, is over when it is seen. One that filled the second alone says nothing
 * by itself: it counts at the next look, with those that follow.
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
