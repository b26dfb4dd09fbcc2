import { setTimeout as pause } from 'node:timers/promises';
import { NetworkError, ProblemError, TimeoutError, TokenError } from './client-errors.ts';
import { isTransientStatus } from './http-request.ts';

/** Time as the client takes it: now, in epoch milliseconds, and a pause that a signal ends. */
export type Clock = { now(): number; wait(ms: number, signal?: AbortSignal): Promise<unknown> };

export const defaultClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    pause(ms, undefined, signal === undefined ? {} : { signal }).catch((fault) => {
      signal?.throwIfAborted();
      throw fault;
    }),
};

export type RetryOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly retries: number;
  /** Whether what failed so may be tried again; all that passes may where it is absent. */
  readonly mayRetry?: (fault: unknown) => boolean;
};

/** A token that was good for a minute when the first attempt was made is good for all of them. */
const maxRetryMs = 55_000;
const [firstPauseMs, longestPauseMs] = [250, 8_000];

/** Makes attempts until one succeeds or fails for good, so many times and for less than a minute. */
export async function retry<T>(
  { clock, random, retries, mayRetry = () => true }: RetryOptions,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const began = clock.now();
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt();
    } catch (fault) {
      const minimumDelayMs = retryDelayMs(fault);
      if (minimumDelayMs === undefined || attempts >= retries || !mayRetry(fault)) throw fault;
      // Full jitter, and never before the time that the server named.
      const waitMs = minimumDelayMs + random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempts);
      if (clock.now() - began + waitMs > maxRetryMs) throw fault;
      await clock.wait(waitMs, signal);
    }
  }
}

/** For how long the server asked to wait; undefined where the fault will not pass. */
function retryDelayMs(fault: unknown): number | undefined {
  if (fault instanceof NetworkError || fault instanceof TimeoutError) return 0;
  if (!(fault instanceof ProblemError || fault instanceof TokenError)) return undefined;
  return fault.retryAfterMs ?? (isTransientStatus(fault.status) ? 0 : undefined);
}
