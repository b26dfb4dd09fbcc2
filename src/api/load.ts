import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Refusal, refuse } from '../kernel/problem.ts';

/** What is at work now, and whether more may start. */
export type Load = {
  begin(): void;
  end(): void;
  shed(): Refusal | undefined;
  /** From now on nothing new is taken; resolves when what was taken is answered, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
  readonly inFlight: number;
  close(): void;
};

/** How much may be at work at once, and how late the event loop may run, before new requests are refused with 503. */
export const loadLimits = { inFlight: 2_000, loopDelayMs: 500 } as const;

/** Watches the process; a refused request has cost nothing but the refusal. */
export function createLoad(): Load {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let inFlight = 0;
  let stopping = false;
  let late = false;
  let drained: (() => void) | undefined;
  const watch = setInterval(() => {
    late = delay.percentile(90) / 1e6 > loadLimits.loopDelayMs;
    delay.reset();
  }, 1_000);
  watch.unref();

  return {
    begin: () => {
      inFlight += 1;
    },
    end: () => {
      inFlight -= 1;
      if (stopping && inFlight === 0) drained?.();
    },
    shed: () => {
      if (stopping)
        return refuse('capacity-reduced', 'The server is stopping; nothing was processed.', stoppingHeaders);
      if (late || inFlight >= loadLimits.inFlight) return refuse('capacity-reduced', undefined, busyHeaders);
      return undefined;
    },
    drain: async (deadlineMs) => {
      stopping = true;
      if (inFlight === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      drained = resolve;
      const timer = setTimeout(resolve, deadlineMs);
      await promise;
      clearTimeout(timer);
    },
    get inFlight() {
      return inFlight;
    },
    close: () => {
      clearInterval(watch);
      delay.disable();
    },
  };
}

const stoppingHeaders = { headers: { 'retry-after': '5', connection: 'close' } };
const busyHeaders = { headers: { 'retry-after': '1' } };
