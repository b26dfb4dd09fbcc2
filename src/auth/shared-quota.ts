import { type Database, type Statement, WriteBusy } from '../db/database.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { Quota } from './caller.ts';
import { defaultQuota, type QuotaLimiter, type QuotaResult, quotaResult, refilled } from './quota.ts';
import {
  parseQuotaGrant,
  type QuotaGrant,
  reserveStatements,
  statementsPerReservation,
  unitsPerRequest,
} from './quota-store.ts';

type Waiter = { readonly resolve: (result: QuotaResult) => void; readonly reject: (fault: unknown) => void };

type Bucket = {
  readonly clientId: string;
  readonly scope: string;
  quota: Quota;
  /** Requests that were granted to this process and are not used yet. Negative: the number that `charge` took in advance. */
  available: number;
  grantedAt: number;
  /** Requests that were left for all processes at the last reservation. */
  sharedRemaining: number;
  /** Until then the bucket is empty, so this process makes no reservation. */
  emptyUntil: number;
  /** The least time by which the shared time of the bucket is ahead of the clock of this process. */
  clockOffsetMs: number;
  /** Requests to reserve ahead. Grows while reservations follow each other closely. */
  prefetch: number;
  waiters: Waiter[];
};

/** The next reservation returns an older unused grant. Otherwise a client could use it in addition to a full bucket. */
const grantLifeMs = 1_000;
/** A reservation covers a twentieth of a second, so that a busy bucket makes thirty to eighty reservations a second. */
const prefetchesPerSecond = 20;

/**
 * Creates the limiter of a process that shares its database with others. It reserves requests in advance and then counts
 * in memory, so a busy client causes only some small writes a second. A quota below twenty requests a second, or a bucket
 * that is nearly empty, is reserved request by request. `clock` must be monotonic. The clocks of the processes need not agree: each bucket
 * has its own time, which every process continues from the value that it read last.
 */
export function createSharedQuotaLimiter(clock: Clock, random: RandomBytes, db: Pick<Database, 'write'>): QuotaLimiter {
  const buckets = new Map<string, Bucket>();
  const enqueue = createReservationQueue(clock, random, db);

  function bucketOf(clientId: string, scope: string, quota: Quota): Bucket {
    const name = bucketName({ clientId, scope });
    const bucket = buckets.get(name) ?? newBucket(clientId, scope, quota);
    bucket.quota = quota;
    buckets.set(name, bucket);
    return bucket;
  }

  return {
    take({ clientId, quota = defaultQuota }, scope) {
      const bucket = bucketOf(clientId, scope, quota);
      const now = clock.now();
      const grantAgeMs = now - bucket.grantedAt;
      if (bucket.available > 0 && grantAgeMs <= grantLifeMs) {
        // Reserve before the grant is used up or too old, so that no request waits.
        const isRunningLow = bucket.available * 4 <= bucket.prefetch && bucket.sharedRemaining > 0;
        if (isRunningLow || grantAgeMs > grantLifeMs / 2) enqueue(bucket);
        return consume(bucket, now, random);
      }
      if (bucket.available <= 0 && bucket.emptyUntil > now) return consume(bucket, now, random);
      const { promise, resolve, reject } = Promise.withResolvers<QuotaResult>();
      bucket.waiters.push({ resolve, reject });
      enqueue(bucket);
      return promise;
    },
    charge({ clientId, quota = defaultQuota }, scope, requests) {
      const bucket = bucketOf(clientId, scope, quota);
      bucket.available = Math.max(-quota.burst, bucket.available - requests);
      // The other processes share the debt as soon as it is reserved.
      if (bucket.available < 0) enqueue(bucket);
    },
    remaining({ clientId, quota = defaultQuota }, scope) {
      const bucket = buckets.get(bucketName({ clientId, scope }));
      if (bucket === undefined) return quota.burst;
      return refilled(bucket.available + bucket.sharedRemaining, clock.now() - bucket.grantedAt, quota);
    },
  };
}

const bucketName = ({ clientId, scope }: Pick<Bucket, 'clientId' | 'scope'>) => `${clientId}\0${scope}`;

function newBucket(clientId: string, scope: string, quota: Quota): Bucket {
  return {
    clientId,
    scope,
    quota,
    available: 0,
    grantedAt: 0,
    sharedRemaining: 0,
    emptyUntil: 0,
    clockOffsetMs: 0,
    prefetch: 0,
    waiters: [],
  };
}

/** One write unit is in flight at a time, with sorted buckets, so that two processes never deadlock. */
function createReservationQueue(clock: Clock, random: RandomBytes, db: Pick<Database, 'write'>) {
  const pending = new Map<string, Bucket>();
  let isReserving = false;

  async function reserveAll(): Promise<void> {
    while (pending.size > 0) {
      const batch = [...pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bucket]) => bucket);
      pending.clear();
      const waiters = batch.map((bucket) => bucket.waiters.splice(0));
      try {
        await reserve(batch, waiters);
      } catch (cause) {
        const fault = new WriteBusy('the quota could not be counted', { cause });
        for (const { reject } of waiters.flat()) reject(fault);
      }
    }
    isReserving = false;
  }

  async function reserve(batch: readonly Bucket[], waiters: readonly Waiter[][]): Promise<void> {
    const now = clock.now();
    const reservations = batch.map((bucket, index) => reservationFor(bucket, waiters[index]?.length ?? 0, now));
    const rows = await db.write(reservations.flat());
    for (const [index, bucket] of batch.entries()) {
      const [row] = rows[(index + 1) * statementsPerReservation - 1] ?? [];
      const waiting = waiters[index] ?? [];
      const grant = parseQuotaGrant(row);
      // The clock is read after the write, so that the duration of the write does not count as a difference of the clocks.
      bucket.clockOffsetMs = Math.max(bucket.clockOffsetMs, grant.at - clock.now());
      applyGrant(bucket, grant, waiting.length, now);
      for (const { resolve } of waiting) resolve(consume(bucket, clock.now(), random));
    }
  }

  return (bucket: Bucket): void => {
    pending.set(bucketName(bucket), bucket);
    if (isReserving) return;
    isReserving = true;
    // After this turn of the event loop, so that requests that arrive together are reserved together.
    queueMicrotask(() => void reserveAll());
  };
}

/** The statements of the next reservation. A bucket with a recent grant is busy, and reserves more ahead each time. */
function reservationFor(bucket: Bucket, waiting: number, now: number): readonly Statement[] {
  const { clientId, scope, quota } = bucket;
  const maxPrefetch = Math.floor(quota.perSecond / prefetchesPerSecond);
  const isBusy = now - bucket.grantedAt <= grantLifeMs;
  bucket.prefetch = isBusy ? Math.min(maxPrefetch, bucket.prefetch * 2 + 1) : 0;
  const owed = Math.max(0, -bucket.available);
  const returned = isBusy ? 0 : Math.max(0, bucket.available);
  bucket.available -= returned;
  const prefetch = Math.max(0, bucket.prefetch - bucket.available);
  const needed = waiting + owed;
  const at = now + bucket.clockOffsetMs;
  return reserveStatements({ clientId, scope, quota, now: at, waiting: needed, prefetch, returned });
}

function applyGrant(bucket: Bucket, { granted, units }: QuotaGrant, waiting: number, now: number): void {
  bucket.available += granted;
  bucket.grantedAt = now;
  bucket.sharedRemaining = Math.floor(units / unitsPerRequest);
  if (bucket.available >= waiting) return;
  const { perSecond } = bucket.quota;
  const untilOneMs = Math.ceil((unitsPerRequest - Math.min(unitsPerRequest, units)) / perSecond);
  bucket.emptyUntil =
    now + Math.max(untilOneMs, perSecond < prefetchesPerSecond ? 0 : unitsPerRequest / prefetchesPerSecond);
}

function consume(bucket: Bucket, now: number, random: RandomBytes): QuotaResult {
  const { quota, scope: policy } = bucket;
  const allowed = bucket.available > 0;
  if (allowed) bucket.available -= 1;
  const remaining = allowed ? bucket.available + bucket.sharedRemaining : 0;
  const untilNextMs = Math.max(bucket.emptyUntil - now, unitsPerRequest / quota.perSecond);
  const resetSeconds = Math.max(1, Math.ceil(untilNextMs / 1_000));
  return quotaResult({ allowed, policy, quota, remaining, resetSeconds }, random);
}
