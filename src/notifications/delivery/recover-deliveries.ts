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
  /** For each asking of a provider. */
  readonly limit: CallTimeout;
  /** Whether this process is at work on the job, under whatever lease: then it is not lost. */
  isInProgress(job: DeliveryJob): boolean;
  onFault(fault: unknown): void;
};

/** How often an attempt could not be recovered, and how long it is left alone since then. */
type RecoveryPause = { readonly tries: number; readonly at: number; readonly forMs: number };

/**
 * Looks after the deliveries whose worker lost its lease: those whose provider had not been called go back into the
 * queue; of the others the provider is asked where it can be, and what it does not know becomes `unknown`. While it cannot
 * be reached it is asked again, until `deliverBy`. Gives how many went back. `own` is the lease of this process, whose
 * jobs are at work here, whatever others took it for. Two processes may do so at once: each step is fenced.
 */
export function createDeliveryRecovery(deps: RecoveryDeps): (own: string) => Promise<number> {
  // In memory: a new process asks at once.
  const paused = new Map<string, RecoveryPause>();

  /** How many went back into the queue; undefined where it is to be looked at again later. */
  async function recover(lost: LostJob): Promise<number | undefined> {
    const { job, startedAt } = lost;
    try {
      if (startedAt === null) return (await deps.claim(requeueLost(job))).length;
      await completeDelivery(deps, job, { by: 'provider', startedAt, outcome: await askProvider(deps, lost) });
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
    // A provider that cannot be reached takes its time to say so: once is enough, before others are looked after again.
    let [requeued, mayAsk] = [0, true];
    for (let after: LostJobPosition | undefined = firstPosition; after !== undefined; ) {
      const found = await findLostJobs(deps.read, { own, after });
      for (const { job } of found) seenKeys.add(jobKeyOf(job));
      const due = found.filter((lost) => !deps.isInProgress(lost.job) && !isPaused(lost));
      const ends = await settleAll(due.filter((one) => !canAskProvider(deps, one)).map(recover));
      for (const lost of due.filter((one) => canAskProvider(deps, one))) {
        if (mayAsk) ends.push(await recover(lost));
        mayAsk &&= ends.at(-1) !== undefined;
      }
      requeued += ends.reduce<number>((sum, one) => sum + (one ?? 0), 0);
      after = found.length < batchSize ? undefined : found.at(-1)?.job;
    }
    // What was recovered by now is forgotten.
    for (const key of paused.keys()) if (!seenKeys.has(key)) paused.delete(key);
    return requeued;
  };
}

/** What all of them came to; one that is rejected is told only when none is under way any more. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}

/** What tells a job from the same delivery taken again. */
export const jobKeyOf = (job: DeliveryJob) => `${job.id}.${job.attempts}`;

/** Whether its provider is to be asked. What it has said of the attempt already is put into the outcome by `settle`. */
function canAskProvider({ channels }: RecoveryDeps, { job, startedAt, hasEarlyReport }: LostJob): boolean {
  return startedAt !== null && !hasEarlyReport && channels[job.channel].queryOutcome !== undefined;
}

/** What the provider knows; rejects where it cannot be asked and there is time left to ask again. */
async function askProvider(deps: RecoveryDeps, lost: LostJob): Promise<ProviderOutcome> {
  const { job, deliverBy } = lost;
  if (!canAskProvider(deps, lost)) return { outcome: 'unknown' };
  try {
    const query = deps.channels[job.channel].queryOutcome?.({ delivery: job.id, attempt: job.attempts });
    const outcome = query && (await deps.limit.waitFor(query));
    if (outcome === timedOut) throw new Error(`${job.channel}: ask did not settle within ${deps.limit.ms} ms`);
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
  /** Whether the provider has said something of the attempt. */
  readonly hasEarlyReport: boolean;
};

/** The place of a delivery among those that are taken. */
type LostJobPosition = { readonly lockedBy: string; readonly id: string };
const firstPosition: LostJobPosition = { lockedBy: '', id: '' };

type FindLostOptions = { readonly own: string; readonly after: LostJobPosition };

/** A part of them, in the order of the index of what is taken: by any other SQLite looks at every delivery there is, each second. */
async function findLostJobs(read: Read, { own, after }: FindLostOptions): Promise<LostJob[]> {
  const rows = await read(
    `select d.id, d.notification_id, d.channel, d.attempts, d.locked_by, d.started_at, d.reminder, d.early_word,
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
    hasEarlyReport: row['early_word'] !== null,
  }));
}

/**
 * For a job that nobody will end and whose provider was not called: it keeps its place in the queue. The condition on
 * started_at is checked under the row's lock: see `markStarted`.
 */
export function requeueLost(job: DeliveryJob): Statement {
  return {
    sql: `update delivery set status = 'queued', locked_by = null
      where id = $1 and attempts = $2 and locked_by = $3 and coalesce(status, '') = 'sending' and started_at is null returning id`,
    args: [job.id, job.attempts, job.lockedBy],
  };
}
