import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, integerOrNull } from '../../db/row-fields.ts';
import { retryDelayMs } from '../../jobs/back-off.ts';
import { type CallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { elapsedMs } from '../../kernel/clock.ts';
import type { Channel, ProviderOutcome } from '../notification/channel.ts';
import { type DeliveryJob, jobFromRow } from '../notification/delivery-store.ts';
import type { ChannelName } from '../notification/notification.ts';
import { type CompletionDeps, completeDelivery, isTransientFault } from './complete-delivery.ts';

const batchSize = 200;

type RecoveryDeps = CompletionDeps & {
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  /** The limit of each query to a channel. */
  readonly limit: CallTimeout;
  /** True if this process works on the job, under any of its leases: then it is not lost. */
  isInProgress(job: DeliveryJob): boolean;
  onFault(fault: unknown): void;
};

/** The failed recoveries of an attempt, and the pause since the last one. */
type RecoveryPause = { readonly tries: number; readonly at: number; readonly forMs: number };

/** A channel did not settle within the limit of the worker, although its port promises to. */
export class ChannelTimeout extends Error {
  constructor(channel: ChannelName, step: 'prepare' | 'call' | 'queryOutcome', limitMs: number) {
    super(`${channel}: ${step} did not end within ${limitMs} ms`);
    this.name = 'ChannelTimeout';
  }
}

/**
 * Creates the recovery of jobs whose worker has lost its lease; deliver.ts explains the states. A job whose provider was
 * not called goes back into the queue. Otherwise the channel is asked for the outcome, if it supports that, and again until
 * `deliverBy` while it fails. An outcome that nobody knows becomes `unknown`. The function returns the number of requeued
 * jobs. `own` is the lease of this process: its jobs are in progress here. Several processes may recover at the same time,
 * because each step is fenced.
 */
export function createDeliveryRecovery(deps: RecoveryDeps): (own: string) => Promise<number> {
  // In memory only: a new process tries at once.
  const paused = new Map<string, RecoveryPause>();

  /** The number of requeued jobs, 0 or 1; undefined when the recovery failed and is tried again later. */
  async function recover(lost: LostJob): Promise<number | undefined> {
    const { job, startedAt } = lost;
    try {
      if (startedAt === null) return (await deps.claim(requeueLost(job))).length;
      await completeDelivery(deps, job, { by: 'provider', startedAt, outcome: await queryProvider(deps, lost) });
      return 0;
    } catch (fault) {
      if (isTransientFault(fault)) throw fault;
      deps.onFault(fault);
      const tries = (paused.get(jobKeyOf(job))?.tries ?? 0) + 1;
      const now = deps.clock.now();
      const pauseMs = retryDelayMs(deps.policy, tries, deps.random);
      const leftMs = lost.deliverBy - now;
      paused.set(jobKeyOf(job), { tries, at: now, forMs: leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs });
      return undefined;
    }
  }

  const isPaused = ({ job }: LostJob) => {
    const pause = paused.get(jobKeyOf(job));
    return pause !== undefined && elapsedMs(pause.at, deps.clock) < pause.forMs;
  };

  return async (own) => {
    const seenKeys = new Set<string>();
    let requeued = 0;
    // An unreachable provider may use up the whole limit. After one failure the others wait for the next run.
    let mayQuery = true;
    for (let after: LostJobPosition | undefined = firstPosition; after !== undefined; ) {
      const found = await findLostJobs(deps.read, own, after);
      for (const { job } of found) seenKeys.add(jobKeyOf(job));
      const due = found.filter((lost) => !deps.isInProgress(lost.job) && !isPaused(lost));
      const ends = await settleAll(due.filter((one) => !canQueryProvider(deps, one)).map(recover));
      for (const lost of due.filter((one) => canQueryProvider(deps, one))) {
        if (mayQuery) ends.push(await recover(lost));
        mayQuery &&= ends.at(-1) !== undefined;
      }
      requeued += ends.reduce<number>((sum, one) => sum + (one ?? 0), 0);
      after = found.length < batchSize ? undefined : found.at(-1)?.job;
    }
    // Jobs that are not lost any more need no pause.
    for (const key of paused.keys()) if (!seenKeys.has(key)) paused.delete(key);
    return requeued;
  };
}

/** Like `Promise.all`, but rejects only after all promises have settled. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}

/** The key of a job: another claim of the same delivery has another one. */
export const jobKeyOf = (job: DeliveryJob) => `${job.id}.${job.attempts}`;

/** An early report needs no query: `completeDelivery` uses it. */
function canQueryProvider({ channels }: RecoveryDeps, { job, startedAt, hasEarlyReport }: LostJob): boolean {
  return startedAt !== null && !hasEarlyReport && channels[job.channel].queryOutcome !== undefined;
}

/** The outcome that the channel knows. Rejects if the query fails and `deliverBy` leaves time to repeat it. */
async function queryProvider(deps: RecoveryDeps, lost: LostJob): Promise<ProviderOutcome> {
  const { job, deliverBy } = lost;
  if (!canQueryProvider(deps, lost)) return { outcome: 'unknown' };
  try {
    const query = deps.channels[job.channel].queryOutcome?.({ delivery: job.id, attempt: job.attempts });
    const outcome = query && (await deps.limit.waitFor(query));
    if (outcome === timedOut) throw new ChannelTimeout(job.channel, 'queryOutcome', deps.limit.ms);
    return outcome ?? { outcome: 'unknown' };
  } catch (fault) {
    if (deps.clock.now() < deliverBy) throw fault;
    deps.onFault(fault);
    return { outcome: 'unknown' };
  }
}

type LostJob = {
  readonly job: DeliveryJob;
  readonly startedAt: number | null;
  readonly deliverBy: number;
  /** True if the provider has reported about the attempt. */
  readonly hasEarlyReport: boolean;
};

/** The position of a job in the index of claimed deliveries. */
type LostJobPosition = { readonly lockedBy: string; readonly id: string };
const firstPosition: LostJobPosition = { lockedBy: '', id: '' };

/** One batch of lost jobs, in the order of the index of claimed deliveries. In another order SQLite would scan all deliveries each second. */
async function findLostJobs(read: Read, own: string, after: LostJobPosition): Promise<LostJob[]> {
  const rows = await read(
    `select d.id, d.notification_id, d.channel, d.attempts, d.locked_by, d.started_at, d.reminder, d.early_report,
        (select n.deliver_by from notification n where n.id = d.notification_id) as deliver_by
      from delivery d
      where d.status = 'sending' and d.locked_by <> $2 and (d.locked_by, d.id) > ($3, $4)
        and not exists (select 1 from lease l where l.name = d.locked_by and l.holder <> '')
      order by d.locked_by, d.id limit $1`,
    [batchSize, own, after.lockedBy, after.id],
  );
  return rows.map((row: Row) => ({
    job: jobFromRow(row),
    startedAt: integerOrNull(row, 'started_at'),
    deliverBy: integerField(row, 'deliver_by'),
    hasEarlyReport: row['early_report'] !== null,
  }));
}

/**
 * Puts a job back whose provider was not called; it keeps its due time. The condition on started_at is checked under the
 * lock of the row, so a late `markStarted` of the slow worker matches no row; see deliver.ts.
 */
export function requeueLost(job: DeliveryJob): Statement {
  return {
    sql: `update delivery set status = 'queued', locked_by = null
      where id = $1 and attempts = $2 and locked_by = $3 and coalesce(status, '') = 'sending' and started_at is null returning id`,
    args: [job.id, job.attempts, job.lockedBy],
  };
}
