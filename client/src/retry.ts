import { setTimeout as pause } from 'node:timers/promises';
import { NetworkError, ProblemError, TimeoutError, TokenError } from './client-errors.ts';
import { isTransientStatus } from './http-request.ts';

/** The clock of the client: the time in epoch milliseconds, and a wait that rejects when the signal aborts. */
export type Clock = { now(): number; wait(ms: number, signal?: AbortSignal): Promise<unknown> };

/** The system clock. */
export const defaultClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    pause(ms, undefined, signal === undefined ? {} : { signal }).catch((fault) => {
      signal?.throwIfAborted();
      throw fault;
    }),
};

/** `retries` is the maximum number of retries, without those for which the server named a delay. `random` returns a number from 0 to 1 for the jitter. */
export type RetryOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly retries: number;
  /** Whether the attempt may be repeated after this error. By default, every transient error allows it. */
  readonly mayRetry?: (fault: unknown) => boolean;
};

/** A token that is valid for at least a minute at the first attempt stays valid for all attempts. */
const maxRetryMs = 55_000;
const [firstPauseMs, longestPauseMs] = [250, 8_000];

/**
 * Repeats an attempt until it succeeds or fails permanently, up to `retries` times and within 55 seconds. If the server states a
 * delay (Retry-After), the attempt does not count: a client over its quota waits its turn, and only the time is limited.
 */
export async function retry<T>(
  { clock, random, retries, mayRetry = () => true }: RetryOptions,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.now();
  let counted = 0;
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt();
    } catch (fault) {
      const minimumDelayMs = retryDelayMs(fault);
      if (minimumDelayMs === undefined || counted >= retries || !mayRetry(fault)) throw fault;
      if (minimumDelayMs === 0) counted += 1;
      // Full jitter, added to the delay that the server requested.
      const waitMs = minimumDelayMs + random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempts);
      if (clock.now() - startedAt + waitMs > maxRetryMs) throw fault;
      await clock.wait(waitMs, signal);
    }
  }
}

/** The delay (ms) that the server requested, or 0. Undefined if the error is permanent. */
function retryDelayMs(fault: unknown): number | undefined {
  if (fault instanceof NetworkError || fault instanceof TimeoutError) return 0;
  if (!(fault instanceof ProblemError || fault instanceof TokenError)) return undefined;
  return fault.retryAfterMs ?? (isTransientStatus(fault.status) ? 0 : undefined);
}
