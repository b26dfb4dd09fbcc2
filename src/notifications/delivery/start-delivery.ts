import type { RetryPolicy } from '../../jobs/back-off.ts';
import { type CallTimeout, createCallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { type JobQueue, type JobWorker, type JobWorkerDeps, startJobWorker } from '../../jobs/job-worker.ts';
import { repeatEvery } from '../../jobs/repeat-every.ts';
import { createSemaphore } from '../../jobs/semaphore.ts';
import type { OnCommitted } from '../../ledger/commit.ts';
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import type { Channel } from '../notification/channel.ts';
import {
  claimDueDeliveries,
  type DeliveryJob,
  findWaitingLanes,
  jobFromRow,
  type QueueLane,
} from '../notification/delivery-store.ts';
import { type ChannelName, channelNames } from '../notification/notification.ts';
import { type DeliveryPriority, queueName } from '../notification/notification-store.ts';
import { createChannelSlots } from './channel-slots.ts';
import { createDeliverJob, type DeliverDeps, type LaneJob } from './deliver.ts';
import { createDeadlineQueue } from './end-overdue.ts';
import { createDeliveryRecovery, jobKeyOf } from './recover-deliveries.ts';
import { createTickScheduler, type TickScheduler } from './tick-scheduler.ts';
import type { UrgentPriority } from './urgent-priority.ts';
import { createWorkerIdentity, type WorkerIdentity } from './worker-identity.ts';

/** Intervals of the worker; tests with a virtual clock set longer ones. */
type DeliveryTiming = {
  /** How soon a job of another process is seen. */
  readonly pollMs: number;
  /** How long a process may be silent before it loses its lease; others notice after up to a quarter more. */
  readonly leaseMs: number;
  /** The interval of recovery. With 1.25 * `leaseMs` it is below 10 s: the longest time to recover after a crash. */
  readonly recoverMs: number;
};

/** The intervals in production. */
export const deliveryTiming: DeliveryTiming = { pollMs: 1_000, leaseMs: 6_000, recoverMs: 1_000 };

/** 72 attempts in about two days: 5 s after the first, then doubled up to an hour. `deliverBy` may end it sooner. */
const deliveryRetryPolicy: RetryPolicy = { attempts: 72, firstDelayMs: 5_000, longestDelayMs: 3_600_000 };

export type DeliveryDeps = Omit<DeliverDeps, 'policy' | 'limit' | 'isStopping'> & {
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  readonly onCommitted: OnCommitted;
  /** Shared with the work that urgent messages interrupt. */
  readonly urgentPriority: UrgentPriority;
  readonly policy?: RetryPolicy;
  readonly timing?: DeliveryTiming;
};

type DeliveryWorker = {
  /** Polls the queues of these names (`queueName`) at once; without names, all of them. */
  wake(queues?: ReadonlySet<string>): void;
  /** Resolves when nothing runs and nothing is due. */
  idle(): Promise<void>;
  /** Claims nothing more and finishes its jobs; false if they took longer. Channels stay open. */
  stop(withinMs: number): Promise<boolean>;
};

const maxConcurrentJobs = 96;
const jobsPerClaim = 48;
/** Smaller for urgent messages: an urgent message of another client waits for at most this many of one lane. */
const urgentPerClaim = 24;
const preparedPerTick = 4;
/**
 * While urgent messages come, the other worker runs only this many jobs more than the channel has slots. Each running job
 * delays urgent ones, because they share the processor and the commits.
 */
const extraJobsWhileUrgent = 2;
/** While rows of a batch are accepted, few of them are delivered: both share the processor and the commits. */
const widthWhileAccepting = { concurrency: 2, batch: 2 };
const acceptingForMs = 1_000;
/** One in this many slots of a channel is reserved for urgent messages. */
const slotsPerReserved = 10;
/** While urgent messages come, the other worker writes this many units at once: an urgent unit waits for the running commit. */
const unitsWhileUrgent = 2;
const maxConcurrentDeadlines = 8;
/** The limit of a channel call. A relay may take minutes for a mail although each reply is in time; no channel takes this long. */
const adapterTimeoutMs = 15 * 60_000;

/** Starts the worker role: three workers for each channel, one for deadlines, and the recovery of lost jobs. */
export async function startDelivery(deps: DeliveryDeps): Promise<DeliveryWorker> {
  const { timing = deliveryTiming, policy = deliveryRetryPolicy } = deps;
  const limit = createCallTimeout(deps.timer, adapterTimeoutMs);
  let stopping = false;
  const inProgress = new Set<string>();
  const isInProgress = (job: DeliveryJob) => inProgress.has(jobKeyOf(job));
  const context = {
    ...deps,
    policy,
    timing,
    limit,
    inProgress,
    isInProgress,
    isStopping: () => stopping,
  };
  const { timer, onFault } = context;
  const identity = await createWorkerIdentity({ ...context, leaseMs: timing.leaseMs });
  const recover = createDeliveryRecovery(context);
  await recover(await identity.name());

  const channelWorkers = channelNames.flatMap(channelStarter(context, identity));
  const deadlines = startQueueWorker(context, createDeadlineQueue(context), {
    concurrency: maxConcurrentDeadlines,
    batch: maxConcurrentDeadlines,
  });
  const workers = [...channelWorkers.map(({ worker }) => worker), deadlines];

  const { wake, wakeCount } = createWake(deps.urgentPriority, channelWorkers, deadlines);
  wakeOnFailedDelivery(deps.onCommitted, wake);
  const recovery = repeatEvery({
    timer,
    everyMs: timing.recoverMs,
    onFault,
    call: async () => {
      const own = await identity.name();
      if ((await recover(own)) > 0) wake();
    },
  });
  return {
    wake,
    idle: async () => {
      await Promise.all([identity.idle(), recovery.idle()]);
      await waitUntilIdle(workers, wakeCount);
    },
    stop: async (withinMs) => {
      stopping = true;
      // All at the same time: the recovery may wait for a provider that does not answer.
      const deadline = createCallTimeout(timer, withinMs);
      const ends = [deadline.waitFor(recovery.stop()), ...workers.map((worker) => worker.stop(withinMs))];
      const finished = (await Promise.all(ends)).every((end) => end !== timedOut && end !== false);
      limit.cancelAll();
      await identity.end(finished);
      return finished;
    },
  };
}

const urgentQueues = channelNames.map((name) => queueName(name, 0));

/** Creates the wake of all workers, and counts its calls. An urgent message interrupts other work from its first wake. */
function createWake(
  urgentPriority: UrgentPriority,
  channelWorkers: readonly { readonly queue: string; readonly worker: JobWorker }[],
  deadlines: JobWorker,
) {
  let wakes = 0;
  const wake: DeliveryWorker['wake'] = (queues) => {
    wakes += 1;
    if (urgentQueues.some((queue) => queues?.has(queue) === true)) urgentPriority.noteUrgent();
    for (const { queue, worker } of channelWorkers) if (queues?.has(queue) !== false) worker.wake();
    deadlines.wake();
  };
  return { wake, wakeCount: () => wakes };
}

/** Wakes all workers when a delivery failed: the next step of its cascade then begins now, and has another channel. */
function wakeOnFailedDelivery(onCommitted: OnCommitted, wake: () => void): void {
  const isFailure = (event: LedgerEvent) =>
    event.type === 'notification.delivery-ended' && (event.outcome === 'failed' || event.outcome === 'skipped');
  onCommitted(['notification.delivery-ended'], (events) => {
    if (events.some(isFailure)) wake();
  });
}

/** A job that ends in one worker may wake another that was already idle, so all are awaited until none was woken. */
async function waitUntilIdle(workers: readonly JobWorker[], wakeCount: () => number): Promise<void> {
  for (let seen = -1; seen !== wakeCount(); ) {
    seen = wakeCount();
    for (const worker of workers) await worker.idle();
  }
}

type DeliveryContext = DeliveryDeps & {
  readonly policy: RetryPolicy;
  readonly timing: DeliveryTiming;
  readonly limit: CallTimeout;
  /** The jobs of this process, by `jobKeyOf`. */
  readonly inProgress: Set<string>;
  isStopping(): boolean;
};

type WorkerWidth = Pick<JobWorkerDeps<unknown>, 'concurrency' | 'batch' | 'reducedLimits'>;

function startQueueWorker<J>(context: DeliveryContext, queue: JobQueue<J>, width: WorkerWidth): JobWorker {
  return startJobWorker({ ...context, ...width, queue, pollMs: context.timing.pollMs });
}

/**
 * Starts the three workers of a channel: for urgent messages, for other single messages, and for rows of batches. A backlog of one cannot
 * use the slots that messages before it wait for.
 */
function channelStarter(context: DeliveryContext, identity: WorkerIdentity) {
  const tickScheduler = createTickScheduler(preparedPerTick);
  const isAcceptingBatch = observeBatches(context);
  const { urgentPriority } = context;
  const bulkContext = throttledWhileUrgent(context);
  return (name: ChannelName) => {
    const channel = context.channels[name];
    const reducedConcurrency = channel.concurrency + extraJobsWhileUrgent;
    const reducedWidth = { concurrency: reducedConcurrency, batch: Math.ceil(reducedConcurrency / 3) };
    const semaphore = createSemaphore(channel.concurrency, Math.floor(channel.concurrency / slotsPerReserved));
    const delivers = [
      createDeliverJob(context, channel, createChannelSlots(semaphore, 0)),
      createDeliverJob(bulkContext, channel, createChannelSlots(semaphore, 1)),
      createDeliverJob(bulkContext, channel, createChannelSlots(semaphore, 2)),
    ] as const;
    const queue = (priority: DeliveryPriority) =>
      channelQueue(context, { channel: name, priority, deliver: delivers[priority], tickScheduler }, identity);
    const urgent = { concurrency: maxConcurrentJobs, batch: urgentPerClaim };
    const bulk: WorkerWidth = {
      concurrency: maxConcurrentJobs,
      batch: jobsPerClaim,
      reducedLimits: () => (urgentPriority.isActive() ? reducedWidth : undefined),
    };
    const ofBatches: WorkerWidth = {
      ...bulk,
      reducedLimits: () => (isAcceptingBatch() ? widthWhileAccepting : bulk.reducedLimits?.()),
    };
    return [
      { queue: queueName(name, 0), worker: startQueueWorker(context, queue(0), urgent) },
      { queue: queueName(name, 1), worker: startQueueWorker(context, queue(1), bulk) },
      { queue: queueName(name, 2), worker: startQueueWorker(context, queue(2), ofBatches) },
    ];
  };
}

/** Whether this process has accepted rows of a batch within the last second. */
function observeBatches({ onCommitted, clock }: DeliveryContext): () => boolean {
  let lastAt = Number.NEGATIVE_INFINITY;
  onCommitted(['notification.accepted'], (_events, queues) => {
    if (channelNames.some((name) => queues?.has(queueName(name, 2)) === true)) lastAt = clock.now();
  });
  return () => Math.abs(clock.now() - lastAt) < acceptingForMs;
}

/**
 * The context of the worker for other messages: while urgent ones come, it writes few units at once. This is the only wrapper
 * around `commit` in the project.
 */
function throttledWhileUrgent(context: DeliveryContext): DeliveryContext {
  const semaphore = createSemaphore(unitsWhileUrgent);
  const throttled = <T>(write: () => Promise<T>) => (context.urgentPriority.isActive() ? semaphore(write) : write());
  return {
    ...context,
    claim: (statement) => throttled(() => context.claim(statement)),
    commit: (effect) => throttled(() => context.commit(effect)),
  };
}

type ChannelQueueOptions = {
  readonly channel: ChannelName;
  readonly priority: DeliveryPriority;
  readonly deliver: (job: LaneJob) => Promise<void>;
  /** Applies to messages that are not urgent. */
  readonly tickScheduler: TickScheduler;
};

/** The queue of a channel and priority. Each claim takes jobs of one lane, and the next claim those of the lane after it. */
function channelQueue(
  context: DeliveryContext,
  options: ChannelQueueOptions,
  identity: WorkerIdentity,
): JobQueue<LaneJob> {
  const { channel, priority, deliver, tickScheduler } = options;
  const { urgentPriority } = context;
  let waiting: readonly QueueLane[] = [];
  let lastLane = '';
  return {
    nextDueAt: async () => {
      waiting = await findWaitingLanes(context.read, channel, priority);
      if (priority === 0 && waiting.some(({ runAt }) => runAt <= context.clock.now())) urgentPriority.noteUrgent();
      return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ runAt }) => runAt));
    },
    claim: async (limit) => {
      const now = context.clock.now();
      const due = waiting.filter(({ runAt }) => runAt <= now);
      const lane = (due.find(({ name }) => name > lastLane) ?? due[0])?.name;
      if (lane === undefined) return [];
      lastLane = lane;
      const lockedBy = await identity.name();
      try {
        const rows = await context.claim(claimDueDeliveries({ channel, priority, lane, now, limit, lockedBy }));
        return rows.map((row) => ({ ...jobFromRow(row), lane }));
      } catch (fault) {
        identity.abandonLease(lockedBy);
        throw fault;
      }
    },
    run: async (job) => {
      context.inProgress.add(jobKeyOf(job));
      try {
        if (priority === 0) urgentPriority.noteUrgent();
        else await tickScheduler();
        await deliver(job);
      } catch (fault) {
        identity.abandonLease(job.lockedBy);
        throw fault;
      } finally {
        context.inProgress.delete(jobKeyOf(job));
        if (priority === 0) urgentPriority.noteDelivered();
      }
    },
  };
}
