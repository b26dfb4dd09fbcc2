import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller, Quota } from './caller.ts';
import { createQuotaLimiter, defaultQuota } from './quota.ts';

/**
 * The budget of a client for checks that found nothing: ids that are not there or not its own, claims that do not fit.
 * Whoever has more of them than a service with real cases could have is trying things out. Counted in each process by
 * itself; the budget of guesses about one citizen is another one, and stays silent.
 */
export type FailedRequestLimiter = {
  /** Counts one. */
  count(caller: Pick<Caller, 'clientId' | 'quota'>): void;
  /** Why this client may not ask now, or undefined. */
  refusal(clientId: string): Refusal | undefined;
};

/** Half of what the client may ask in all, at least one. */
function failureQuota({ perSecond, burst }: Quota): Quota {
  return { perSecond: Math.ceil(perSecond / 2), burst: Math.ceil(burst / 2) };
}

/** Makes the budgets of one process. Its clock never goes back. */
export function createFailedRequestLimiter(clock: Clock, random: RandomBytes): FailedRequestLimiter {
  const buckets = createQuotaLimiter(clock, random);
  const pausedUntil = new Map<string, number>();
  return {
    count({ clientId, quota = defaultQuota }) {
      const { refusal, headers } = buckets.take({ clientId, quota: failureQuota(quota) }, 'failed-checks');
      if (refusal === undefined) return;
      pausedUntil.set(clientId, clock.now() + Number(headers['x-ratelimit-reset']) * 1_000);
    },
    refusal(clientId) {
      const until = pausedUntil.get(clientId);
      if (until === undefined) return undefined;
      const leftMs = until - clock.now();
      if (leftMs <= 0) {
        pausedUntil.delete(clientId);
        return undefined;
      }
      return refuse('too-many-failed-requests', undefined, {
        headers: { 'retry-after': String(Math.ceil(leftMs / 1_000)) },
      });
    },
  };
}
