import { type Database, type Statement, WriteBusy } from '../db/database.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { Quota } from './caller.ts';
import { defaultQuota, type QuotaLimiter, type QuotaResult, quotaResult } from './quota.ts';
import {
  parseQuotaGrant,
  type QuotaGrant,
  reserveStatements,
  statementsPerReservation,
  unitsPerRequest,
} from './quota-store.ts';

type Waiter = { readonly resolve: (taken: QuotaResult) => void; readonly reject: (fault: unknown) => void };

/** What this process knows of one budget. */
type Bucket = {
  readonly clientId: string;
  readonly scope: string;
  quota: Quota;
  /** Requests that were granted to this process and are not used yet. */
  available: number;
  grantedAt: number;
  /** What was left for everybody when this process asked last, in requests. */
  sharedRemaining: number;
  /** Until then nothing is asked, since there is nothing. */
  emptyUntil: number;
  /** How far the time of the bucket, which all share, is before the clock of this process, at least. */
  clockOffsetMs: number;
  /** How much is asked for ahead: more from one question to the next, as long as they follow each other closely. */
  prefetch: number;
  waiters: Waiter[];
};

/** A grant that lies unused for longer goes back with the next question, so that it is not spent on top of a full budget. */
const grantLifeMs = 1_000;
/** As much is asked for ahead as flows in within a twentieth of a second: thirty to eighty questions a second for a busy budget. */
const prefetchesPerSecond = 20;

/**
 * The budgets of all processes of one database. A process asks for some requests at once and then counts in memory, so
 * that a busy client costs thirty to eighty small writes a second and not one a request; a budget of less than that, or one that runs
 * out, is asked for one by one. One unit is on its way at a time, its buckets in one order: two processes never wait for
 * each other in a circle. The clock of a process never goes back, and clocks need not agree: each bucket has a time of its
 * own, which every process has go on from where it saw it last.
 */
export function createSharedQuotaLimiter(clock: Clock, random: RandomBytes, db: Pick<Database, 'write'>): QuotaLimiter {
  const buckets = new Map<string, Bucket>();
  const pending = new Map<string, Bucket>();
  let isReserving = false;

  function bucketOf(clientId: string, scope: string, quota: Quota): Bucket {
    const name = `${clientId}\0${scope}`;
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      const empty = { available: 0, grantedAt: 0, sharedRemaining: 0, emptyUntil: 0, clockOffsetMs: 0, prefetch: 0 };
      bucket = { clientId, scope, quota, ...empty, waiters: [] };
      buckets.set(name, bucket);
    }
    bucket.quota = quota;
    return bucket;
  }

  function enqueue(bucket: Bucket): void {
    pending.set(`${bucket.clientId}\0${bucket.scope}`, bucket);
    if (isReserving) return;
    isReserving = true;
    // Behind this turn of the event loop, so that requests that came together are asked for together.
    queueMicrotask(() => void reserveAll());
  }

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
      // By the clock as it is now: what an answer takes is no time that the bucket is ahead.
      bucket.clockOffsetMs = Math.max(bucket.clockOffsetMs, grant.at - clock.now());
      applyGrant(bucket, grant, waiting.length, now);
      for (const { resolve } of waiting) resolve(consume(bucket, clock.now(), random));
    }
  }

  return {
    take({ clientId, quota = defaultQuota }, scope) {
      const bucket = bucketOf(clientId, scope, quota);
      const now = clock.now();
      const fresh = now - bucket.grantedAt <= grantLifeMs;
      if (bucket.available > 0 && fresh) {
        // The next ones are asked for before these are used up or too old, so that nobody has to wait.
        const runsLow = bucket.available * 4 <= bucket.prefetch && bucket.sharedRemaining > 0;
        if (runsLow || now - bucket.grantedAt > grantLifeMs / 2) enqueue(bucket);
        return consume(bucket, now, random);
      }
      const emptyMs = bucket.emptyUntil - now;
      if (bucket.available === 0 && emptyMs > 0) return consume(bucket, now, random);
      const { promise, resolve, reject } = Promise.withResolvers<QuotaResult>();
      bucket.waiters.push({ resolve, reject });
      enqueue(bucket);
      return promise;
    },
  };
}

/** What is asked for a budget now. Who asks again within a second is busy, and asks for more ahead from time to time. */
function reservationFor(bucket: Bucket, waiting: number, now: number): readonly Statement[] {
  const { clientId, scope, quota } = bucket;
  const maxPrefetch = Math.floor(quota.perSecond / prefetchesPerSecond);
  const isBusy = now - bucket.grantedAt <= grantLifeMs;
  bucket.prefetch = isBusy ? Math.min(maxPrefetch, bucket.prefetch * 2 + 1) : 0;
  const returned = isBusy ? 0 : bucket.available;
  bucket.available -= returned;
  const prefetch = Math.max(0, bucket.prefetch - bucket.available);
  return reserveStatements({ clientId, scope, quota, now: now + bucket.clockOffsetMs, waiting, prefetch, returned });
}

function applyGrant(bucket: Bucket, { granted, units }: QuotaGrant, waiting: number, now: number): void {
  bucket.available += granted;
  bucket.grantedAt = now;
  bucket.sharedRemaining = Math.floor(units / unitsPerRequest);
  if (granted >= waiting) return;
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
