import type { Clock, Random } from '../kernel/clock.ts';
import { type Db, type Statement, WriteBusy } from '../store/db.ts';
import type { Quota } from './caller.ts';
import { defaultQuota, type Quotas, type Taken, takenOf } from './quota.ts';
import { type Grant, grantOfRow, reservation, statementsOfReservation, unit } from './quota-store.ts';

type Wait = { readonly resolve: (taken: Taken) => void; readonly reject: (fault: unknown) => void };

/** What this process knows of one budget. */
type Bucket = {
  readonly clientId: string;
  readonly scope: string;
  quota: Quota;
  /** Requests that were granted to this process and are not used yet. */
  inHand: number;
  grantedAt: number;
  /** What was left for everybody when this process asked last, in requests. */
  shared: number;
  /** Until then nothing is asked, since there is nothing. */
  emptyUntil: number;
  /** How far the time of the bucket, which all share, is before the clock of this process, at least. */
  aheadMs: number;
  /** How much is asked for ahead: more from one question to the next, as long as they follow each other closely. */
  ahead: number;
  waits: Wait[];
};

/** A grant that lies unused for longer goes back with the next question, so that it is not spent on top of a full budget. */
const inHandMs = 1_000;
/** As much is asked for ahead as flows in within a twentieth of a second: thirty to eighty questions a second for a busy budget. */
const partsOfSecond = 20;

/**
 * The budgets of all processes of one database. A process asks for some requests at once and then counts in memory, so
 * that a busy client costs thirty to eighty small writes a second and not one a request; a budget of less than that, or one that runs
 * out, is asked for one by one. One unit is on its way at a time, its buckets in one order: two processes never wait for
 * each other in a circle. The clock of a process never goes back, and clocks need not agree: each bucket has a time of its
 * own, which every process has go on from where it saw it last.
 */
export function createSharedQuotas(clock: Clock, random: Random, db: Pick<Db, 'write'>): Quotas {
  const buckets = new Map<string, Bucket>();
  const asking = new Map<string, Bucket>();
  let busy = false;

  function bucketOf(clientId: string, scope: string, quota: Quota): Bucket {
    const name = `${clientId}\0${scope}`;
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      const none = { inHand: 0, grantedAt: 0, shared: 0, emptyUntil: 0, aheadMs: 0, ahead: 0 };
      bucket = { clientId, scope, quota, ...none, waits: [] };
      buckets.set(name, bucket);
    }
    bucket.quota = quota;
    return bucket;
  }

  function ask(bucket: Bucket): void {
    asking.set(`${bucket.clientId}\0${bucket.scope}`, bucket);
    if (busy) return;
    busy = true;
    // Behind this turn of the event loop, so that requests that came together are asked for together.
    queueMicrotask(() => void run());
  }

  async function run(): Promise<void> {
    while (asking.size > 0) {
      const asked = [...asking].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bucket]) => bucket);
      asking.clear();
      const waits = asked.map((bucket) => bucket.waits.splice(0));
      try {
        await askFor(asked, waits);
      } catch (cause) {
        const fault = new WriteBusy('the quota could not be counted', { cause });
        for (const { reject } of waits.flat()) reject(fault);
      }
    }
    busy = false;
  }

  async function askFor(asked: readonly Bucket[], waits: readonly Wait[][]): Promise<void> {
    const now = clock.now();
    const questions = asked.map((bucket, index) => questionOf(bucket, waits[index]?.length ?? 0, now));
    const rows = await db.write(questions.flat());
    for (const [index, bucket] of asked.entries()) {
      const [row] = rows[(index + 1) * statementsOfReservation - 1] ?? [];
      const waiting = waits[index] ?? [];
      const grant = grantOfRow(row);
      // By the clock as it is now: what an answer takes is no time that the bucket is ahead.
      bucket.aheadMs = Math.max(bucket.aheadMs, grant.at - clock.now());
      keepGrant(bucket, grant, waiting.length, now);
      for (const { resolve } of waiting) resolve(spend(bucket, clock.now(), random));
    }
  }

  return {
    take({ clientId, quota = defaultQuota }, scope) {
      const bucket = bucketOf(clientId, scope, quota);
      const now = clock.now();
      const fresh = now - bucket.grantedAt <= inHandMs;
      if (bucket.inHand > 0 && fresh) {
        // The next ones are asked for before these are used up or too old, so that nobody has to wait.
        const runsLow = bucket.inHand * 4 <= bucket.ahead && bucket.shared > 0;
        if (runsLow || now - bucket.grantedAt > inHandMs / 2) ask(bucket);
        return spend(bucket, now, random);
      }
      const emptyMs = bucket.emptyUntil - now;
      if (bucket.inHand === 0 && emptyMs > 0) return spend(bucket, now, random);
      const { promise, resolve, reject } = Promise.withResolvers<Taken>();
      bucket.waits.push({ resolve, reject });
      ask(bucket);
      return promise;
    },
  };
}

/** What is asked for a budget now. Who asks again within a second is busy, and asks for more ahead from time to time. */
function questionOf(bucket: Bucket, waiting: number, now: number): readonly Statement[] {
  const { clientId, scope, quota } = bucket;
  const most = Math.floor(quota.perSecond / partsOfSecond);
  const isBusy = now - bucket.grantedAt <= inHandMs;
  bucket.ahead = isBusy ? Math.min(most, bucket.ahead * 2 + 1) : 0;
  const back = isBusy ? 0 : bucket.inHand;
  bucket.inHand -= back;
  const ahead = Math.max(0, bucket.ahead - bucket.inHand);
  return reservation({ clientId, scope, quota, now: now + bucket.aheadMs, waiting, ahead, back });
}

function keepGrant(bucket: Bucket, { granted, units }: Grant, waiting: number, now: number): void {
  bucket.inHand += granted;
  bucket.grantedAt = now;
  bucket.shared = Math.floor(units / unit);
  if (granted >= waiting) return;
  const { perSecond } = bucket.quota;
  const untilOneMs = Math.ceil((unit - Math.min(unit, units)) / perSecond);
  bucket.emptyUntil = now + Math.max(untilOneMs, perSecond < partsOfSecond ? 0 : unit / partsOfSecond);
}

function spend(bucket: Bucket, now: number, random: Random): Taken {
  const { quota, scope: policy } = bucket;
  const allowed = bucket.inHand > 0;
  if (allowed) bucket.inHand -= 1;
  const remaining = allowed ? bucket.inHand + bucket.shared : 0;
  const untilNextMs = Math.max(bucket.emptyUntil - now, unit / quota.perSecond);
  const resetSeconds = Math.max(1, Math.ceil(untilNextMs / 1_000));
  return takenOf({ allowed, policy, quota, remaining, resetSeconds }, random);
}
