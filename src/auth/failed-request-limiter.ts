import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller, Quota } from './caller.ts';
import { createQuotaLimiter, defaultQuota } from './quota.ts';

/** Limits the requests of a client that find nothing, such as unknown ids and claims that do not match. Each process counts alone. */
export type FailedRequestLimiter = ReturnType<typeof createFailedRequestLimiter>;

/** Half of the quota of the client, at least one request. */
function failureQuota({ perSecond, burst }: Quota): Quota {
  return { perSecond: Math.ceil(perSecond / 2), burst: Math.ceil(burst / 2) };
}

/** Creates the limiter of one process; `clock` must be monotonic. */
export function createFailedRequestLimiter(clock: Clock, random: RandomBytes) {
  const buckets = createQuotaLimiter(clock, random);
  const pausedUntil = new Map<string, number>();
  return {
    count({ clientId, quota = defaultQuota }: Pick<Caller, 'clientId' | 'quota'>): void {
      const { refusal, headers } = buckets.take({ clientId, quota: failureQuota(quota) }, 'failed-checks');
      if (refusal === undefined) return;
      pausedUntil.set(clientId, clock.now() + Number(headers['x-ratelimit-reset']) * 1_000);
    },
    /** The refusal while the client is over its limit. */
    refusal(clientId: string): Refusal | undefined {
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
