import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Caller, Quota } from './caller.ts';
import { unitsPerRequest } from './quota-store.ts';

/** The quota of a client without its own. */
export const defaultQuota: Quota = { perSecond: 1_000, burst: 2_000 };

/** The state of a token bucket after a request was counted, with the numbers of the headers. */
type Allowance = {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: Quota;
  /** Number of requests that would succeed now. */
  readonly remaining: number;
  /** Seconds until one more request is available; a whole number, at least 1. */
  readonly resetSeconds: number;
};

/** A counted request. Every response to it has the headers, also a refusal. */
export type QuotaResult = { readonly headers: Readonly<Record<string, string>>; readonly refusal?: Refusal };

/** Token buckets, one for each client and scope. */
export type QuotaLimiter = {
  /** Counts one request; a promise if the database is needed. */
  take(caller: Pick<Caller, 'clientId' | 'quota'>, scope: string): QuotaResult | Promise<QuotaResult>;
  /**
   * Takes further requests for one that was costly. Never refuses: the bucket can become negative by at most one burst, and later
   * requests are refused until it has refilled.
   */
  charge(caller: Pick<Caller, 'clientId' | 'quota'>, scope: string, requests: number): void;
  /** The number of requests that would succeed now, as far as this process knows. Counts nothing. */
  remaining(caller: Pick<Caller, 'clientId' | 'quota'>, scope: string): number;
};

/** The headers of a counted request, and the refusal if it is over quota. */
export function quotaResult(allowance: Allowance, random: RandomBytes): QuotaResult {
  const headers = rateLimitHeaders(allowance);
  return allowance.allowed ? { headers } : { headers, refusal: quotaExceeded(allowance, random) };
}

type Bucket = { units: number; at: number };

/** Creates the limiter of a single process. `clock` must be monotonic. */
export function createQuotaLimiter(
  clock: Clock,
  random: RandomBytes,
): Pick<QuotaLimiter, 'charge' | 'remaining'> & { take(...args: Parameters<QuotaLimiter['take']>): QuotaResult } {
  const buckets = new Map<string, Bucket>();

  function bucketOf(clientId: string, scope: string, quota: Quota): Bucket {
    const name = `${clientId}\0${scope}`;
    const bucket = buckets.get(name) ?? { units: quota.burst * unitsPerRequest, at: clock.now() };
    buckets.set(name, bucket);
    return bucket;
  }

  return {
    take({ clientId, quota = defaultQuota }, scope) {
      const bucket = bucketOf(clientId, scope, quota);
      return quotaResult(takeFrom(bucket, { policy: scope, quota, now: clock.now() }), random);
    },
    charge({ clientId, quota = defaultQuota }, scope, requests) {
      const bucket = bucketOf(clientId, scope, quota);
      bucket.units = Math.max(-quota.burst * unitsPerRequest, bucket.units - requests * unitsPerRequest);
    },
    remaining({ clientId, quota = defaultQuota }, scope) {
      const { units, at } = bucketOf(clientId, scope, quota);
      return refilled(Math.floor(units / unitsPerRequest), clock.now() - at, quota);
    },
  };
}

/** The requests that are left `elapsedMs` after `requests` were left. */
export function refilled(requests: number, elapsedMs: number, { perSecond, burst }: Quota): number {
  return Math.max(0, Math.min(burst, requests + Math.floor((elapsedMs * perSecond) / 1_000)));
}

function takeFrom(bucket: Bucket, { policy, quota, now }: { policy: string; quota: Quota; now: number }): Allowance {
  const full = quota.burst * unitsPerRequest;
  const elapsed = now - bucket.at;
  const units = Math.min(full, bucket.units + elapsed * quota.perSecond);
  const allowed = units >= unitsPerRequest;
  bucket.units = allowed ? units - unitsPerRequest : units;
  bucket.at += elapsed;
  const remaining = Math.max(0, Math.floor(bucket.units / unitsPerRequest));
  const untilNextMs = ((remaining + 1) * unitsPerRequest - bucket.units) / quota.perSecond;
  const resetSeconds = Math.max(1, Math.ceil(untilNextMs / 1_000));
  return { allowed, policy, quota, remaining, resetSeconds };
}

/** RateLimit headers (draft-ietf-httpapi-ratelimit-headers-11), and `X-RateLimit-*` for older clients. */
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

/** The refusal of a request over quota. `Retry-After` has up to two seconds of jitter, so that clients do not retry together. */
function quotaExceeded(allowance: Allowance, random: RandomBytes): Refusal {
  const { policy, quota, resetSeconds } = allowance;
  const jitter = (random(1)[0] ?? 0) % 3;
  return refuse(
    'quota-exceeded',
    `Policy '${policy}' allows ${quota.perSecond} requests per second, and ${quota.burst} at once.`,
    {
      members: { 'violated-policies': [policy] },
      headers: { 'retry-after': String(resetSeconds + jitter) },
    },
  );
}
