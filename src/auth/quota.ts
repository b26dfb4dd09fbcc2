import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller, Quota } from './caller.ts';
import { unitsPerRequest } from './quota-store.ts';

/** The quota of a client that was given none of its own. */
export const defaultQuota: Quota = { perSecond: 1_000, burst: 2_000 };

/** What is left after a request was counted, in the numbers that the headers tell. */
export type Allowance = {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: Quota;
  /** Requests that would succeed now. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until one more is available. */
  readonly resetSeconds: number;
};

/** A request that was counted: the headers go on its answer, whatever that is. */
export type QuotaResult = { readonly headers: Readonly<Record<string, string>>; readonly refusal?: Refusal };

/** The buckets, one for each client and scope. */
export type QuotaLimiter = {
  /** Counts one request of that client under that scope; a promise where others had to be asked. */
  take(caller: Pick<Caller, 'clientId' | 'quota'>, scope: string): QuotaResult | Promise<QuotaResult>;
};

/** The answer to a counted request. */
export function quotaResult(allowance: Allowance, random: RandomBytes): QuotaResult {
  const headers = rateLimitHeaders(allowance);
  return allowance.allowed ? { headers } : { headers, refusal: quotaExceeded(allowance, random) };
}

type Bucket = { units: number; at: number };

/**
 * The buckets of one process that is alone on its database, as many as clients have scopes; several processes share theirs
 * (`createSharedQuotas`). Its clock never goes back.
 */
export function createQuotaLimiter(
  clock: Clock,
  random: RandomBytes,
): { take(...args: Parameters<QuotaLimiter['take']>): QuotaResult } {
  const buckets = new Map<string, Bucket>();
  return {
    take({ clientId, quota = defaultQuota }, scope) {
      const name = `${clientId}\0${scope}`;
      const now = clock.now();
      let bucket = buckets.get(name);
      if (bucket === undefined) {
        bucket = { units: quota.burst * unitsPerRequest, at: now };
        buckets.set(name, bucket);
      }
      return quotaResult(takeFrom(bucket, { policy: scope, quota, now }), random);
    },
  };
}

function takeFrom(bucket: Bucket, { policy, quota, now }: { policy: string; quota: Quota; now: number }): Allowance {
  const full = quota.burst * unitsPerRequest;
  const elapsed = now - bucket.at;
  const units = Math.min(full, bucket.units + elapsed * quota.perSecond);
  const allowed = units >= unitsPerRequest;
  bucket.units = allowed ? units - unitsPerRequest : units;
  bucket.at += elapsed;
  const untilNextMs = (unitsPerRequest - (bucket.units % unitsPerRequest)) / quota.perSecond;
  const resetSeconds = Math.max(1, Math.ceil(untilNextMs / 1_000));
  return { allowed, policy, quota, remaining: Math.floor(bucket.units / unitsPerRequest), resetSeconds };
}

/**
 * The headers of an answer, refused or not: `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11)
 * and the `X-RateLimit` trio that older clients read. The policy is the burst within the time in which it flows in again.
 */
function rateLimitHeaders(allowance: Allowance): Record<string, string> {
  const { policy, quota, remaining, resetSeconds } = allowance;
  const window = Math.ceil(quota.burst / quota.perSecond);
  return {
    'ratelimit-policy': `"${policy}";q=${quota.burst};w=${window}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(quota.burst),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  };
}

/** The refusal of a request over quota; `Retry-After` has up to two seconds of jitter, so that waiting clients spread out. */
function quotaExceeded(allowance: Allowance, random: RandomBytes): Refusal {
  const { policy, quota, resetSeconds } = allowance;
  const jitter = (random(1)[0] ?? 0) % 3;
  return refuse(
    'quota-exceeded',
    `Policy '${policy}' allows ${quota.perSecond} requests in a second, and ${quota.burst} at once.`,
    {
      members: { 'violated-policies': [policy] },
      headers: { 'retry-after': String(resetSeconds + jitter) },
    },
  );
}
