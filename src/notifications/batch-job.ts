import type { RunningJob, SliceDeps } from '../api/slice.ts';
import { WriteRefused } from '../db/database.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { holdLease } from '../jobs/lease.ts';
import { type RepeatingTask, repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import type { BatchJobDeps } from './batch-context.ts';
import { batchChangedEvent, isTooLate, type NotificationBatch, tooLate } from './batches/batch.ts';
import {
  findAbandonedUploads,
  findBatch,
  findExpiredUploads,
  findWaitingBatches,
  forgetKey,
} from './batches/batch-store.ts';
import { deletePieces } from './batches/piece-store.ts';
import { cancelBatch } from './cancel-batch.ts';
import { checkBatch } from './check-batch.ts';
import { sendBatch } from './send-batch.ts';

const batchLease = 'notification-batches';
/** How long others wait for a process that has died; up to a quarter longer. */
const leaseMs = 4_000;
const pollMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The longest that an upload may take with its repetitions. */
const uploadMs = dayMs;
const expiredPerRun = 100;

type JobDeps = SliceDeps & Pick<BatchJobDeps, 'clients' | 'ports'>;

/**
 * Checks and sends batches, one at a time in the whole installation. The clients take turns. The lease only prevents work that is done
 * twice: the units themselves are refused when another process was first.
 */
export async function startBatchJob(deps: JobDeps): Promise<RunningJob> {
  const { db, clock, timer, random, claim, createId, log } = deps;
  const onFault = (fault: unknown) => log.fault('batches', fault);
  const lease = await holdLease({
    claim,
    timer,
    leaseMs,
    onFault,
    name: batchLease,
    watchedPattern: batchLease,
    holder: createId('request'),
  });
  let stopping = false;
  const isStopping = () => stopping || lease.fence() === undefined;
  let waiting: readonly Pick<NotificationBatch, 'id' | 'clientId'>[] = [];
  let lastClient = '';
  const worker = startJobWorker<Pick<NotificationBatch, 'id'>>({
    clock,
    timer,
    random,
    onFault,
    pollMs,
    concurrency: 1,
    batch: 1,
    queue: {
      nextDueAt: async () => {
        waiting = lease.fence() === undefined ? [] : await findWaitingBatches(db.read, clock.now());
        return waiting.length === 0 ? undefined : clock.now();
      },
      claim: () => {
        const next = waiting.find(({ clientId }) => clientId > lastClient) ?? waiting[0];
        if (next !== undefined) lastClient = next.clientId;
        return Promise.resolve(next === undefined ? [] : [next]);
      },
      run: async ({ id }) => {
        const batch = await findBatch(db.read, id);
        if (batch === undefined) return;
        try {
          if (batch.state === 'checking') await checkBatch(deps, batch, isStopping);
          if (batch.state === 'ready' && isTooLate(batch, clock.now())) await cancelBatch(deps, batch, tooLate);
          if (batch.state === 'sending') await sendBatch(deps, batch, isStopping);
        } catch (fault) {
          // Its client cancelled it meanwhile, or another process was first. The next turn reads it again.
          if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
        }
      },
    },
  });
  const deletion = startDeletion(deps, isStopping);
  return {
    wake: () => worker.wake(),
    stop: async (withinMs) => {
      stopping = true;
      await Promise.all([worker.stop(withinMs), deletion.stop()]);
      await lease.stop({ release: true });
    },
  };
}

function startDeletion(deps: JobDeps, isStopping: () => boolean): RepeatingTask {
  return repeatEvery({
    timer: deps.timer,
    everyMs: hourMs,
    firstMs: startupDelayMs(deps.random),
    onFault: (fault) => deps.log.fault('batches', fault),
    call: async () => {
      if (!isStopping() && (await deps.isClockSure())) await deleteExpiredUploads(deps, isStopping);
    },
  });
}

/**
 * Cancels interrupted uploads, and deletes uploads after `BATCH_KEPT_DAYS`: the pieces first, and the key last, so that a crash in between
 * leaves a batch that the next run finds.
 */
async function deleteExpiredUploads(deps: JobDeps, isStopping: () => boolean): Promise<void> {
  const { db, clock, commit, createId, settings } = deps;
  const now = clock.now();
  for (const batch of await findAbandonedUploads(db.read, now - uploadMs, expiredPerRun)) {
    await cancelBatch(deps, batch, { code: 'interrupted', detail: 'the upload was not completed within a day' });
  }
  const before = now - settings.batchKeptDays * dayMs;
  for (const batch of await findExpiredUploads(db.read, before, expiredPerRun)) {
    if (isStopping()) return;
    if (batch.endedAt === null)
      await cancelBatch(deps, batch, {
        code: 'expired',
        detail: 'the batch had not ended when its upload was deleted',
      });
    for (let deleted = 1; deleted > 0; ) {
      const [rows = []] = await db.write([deletePieces(batch.id)]);
      deleted = rows.length;
    }
    const head = { id: createId('event'), at: now, actor: { process: 'retention' } } as const;
    const event = batchChangedEvent(head, batch.id, 'upload-deleted');
    await commit({ events: [event], statements: [forgetKey(batch)] });
  }
}
