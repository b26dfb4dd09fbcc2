import type { RandomBytes } from '../kernel/clock.ts';

/** How often something is tried, and how the pause between two tries grows. */
export type RetryPolicy = { readonly attempts: number; readonly firstDelayMs: number; readonly longestDelayMs: number };

/**
 * The pause after attempt `attempt` (counted from 1): doubled each time up to the longest, and spread evenly over its
 * upper half, so that what failed together does not come back together.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: RandomBytes): number {
  const full = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** Math.min(attempt - 1, 40));
  return Math.round(full / 2 + (full / 2) * randomFraction(random));
}

/** A fraction from 0 up to 1, without 1. */
export function randomFraction(random: RandomBytes): number {
  const bytes = random(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / 2 ** 32;
}
