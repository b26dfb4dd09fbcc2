import type { RandomBytes } from '../kernel/clock.ts';

/** How many attempts a job has, and the delays between them in milliseconds. */
export type RetryPolicy = { readonly attempts: number; readonly firstDelayMs: number; readonly longestDelayMs: number };

/**
 * The delay after attempt `attempt` (counted from 1). It doubles up to the longest, and is spread evenly over its upper half,
 * so that jobs that failed together do not retry together.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: RandomBytes): number {
  const full = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** Math.min(attempt - 1, 40));
  return Math.round(full / 2 + (full / 2) * randomFraction(random));
}

/** A random number from 0 up to, but not including, 1. */
export function randomFraction(random: RandomBytes): number {
  const bytes = random(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / 2 ** 32;
}
