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
import { queueName } from '../notification/notification-store.ts';
import { createChannelSlots } from './channel-slots.ts';
import { createDeliverJob, type DeliverDeps, type LaneJob } from './deliver.ts';
import { createDeadlineQueue } from './end-overdue.ts';
import { createDeliveryRecovery, jobKeyOf } from './recover-deliveries.ts';
import { createTickScheduler, type TickScheduler } from './tick-scheduler.ts';
import { createUrgentPriority, type UrgentPriority } from './urgent-priority.ts';
import { createWorkerIdentity, type WorkerIdentity } from './worker-identity.ts';

/** How long things take by default; tests on a virtual clock stretch what would only repeat. */
type DeliveryTiming = {
  /** How soon a job is seen that another process has stored. */
  readonly pollMs: number;
  /** How long a process may be silent before its jobs are recovered; others need up to a quarter more to be sure of that. */
  readonly leaseMs: number;
  /** How often lost jobs are looked for. With `leaseMs` and its quarter below 10 s: whole again that soon after a crash. */
  readonly recoverMs: number;
};

export const deliveryTiming: DeliveryTiming = { pollMs: 1_000, leaseMs: 6_000, recoverMs: 1_000 };

/** About two days: 5 s, doubled up to an hour, 72 attempts; `deliverBy` may end it sooner. */
export const deliveryRetryPolicy: RetryPolicy = { attempts: 72, firstDelayMs: 5_000, longestDelayMs: 3_600_000 };

export type DeliveryDeps = Omit<DeliverDeps, 'policy' | 'limit' | 'isStopping'> & {
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  readonly onCommitted: OnCommitted;
  readonly policy?: RetryPolicy;
  readonly timing?: DeliveryTiming;
};

export type DeliveryWorker = {
  /** Looks at the queues of these names (`queueName`) at once; without names, at all of them. */
  wake(queues?: ReadonlySet<string>): void;
  /** Resolves when nothing is at work and nothing is due. */
  idle(): Promise<void>;
  /** Takes nothing more and finishes what it took; false when that took longer than allowed. Channels stay open. */
  stop(withinMs: number): Promise<boolean>;
};

const maxConcurrentJobs = 96;
const jobsPerClaim = 48;
/** Fewer of the urgent ones: so many of another client are to end before there is room for the next lane. */
const urgentPerClaim = 24;
const preparedPerTick = 4;
/**
 * While urgent messages come, of the others only so many more than the channel has places: each job in hand makes the
 * urgent ones wait, since it shares the processor and the commits with them.
 */
const extraJobsWhileUrgent = 2;
/** One place of a channel in so many is kept for urgent messages. */
const slotsPerReserved = 10;
/** And so many units of the others are written at once: an urgent one waits for the commit that is under way. */
const unitsWhileUrgent = 2;
const maxConcurrentDeadlines = 8;
/** A relay may take minutes for a mail, each of its answers being in time; no adapter takes that long. */
const adapterTimeoutMs = 15 * 60_000;

/** Starts the worker role: a worker for each channel, the deadlines, and the recovery of what others lost. */
export async function startDelivery(given: DeliveryDeps): Promise<DeliveryWorker> {
  const { timing = deliveryTiming, policy = deliveryRetryPolicy } = given;
  const limit = createCallTimeout(given.timer, adapterTimeoutMs);
  let stopping = false;
  const inProgress = new Set<string>();
  const isInProgress = (job: DeliveryJob) => inProgress.has(jobKeyOf(job));
  const context = { ...given, policy, timing, limit, inProgress, isInProgress, isStopping: () => stopping };
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

  let wakes = 0;
  const wake: DeliveryWorker['wake'] = (queues) => {
    wakes += 1;
    for (const { queue, worker } of channelWorkers) if (queues?.has(queue) !== false) worker.wake();
    deadlines.wake();
  };
  // The next step of a cascade then begins now. It has another channel, whose worker sleeps until the step's former time.
  given.onCommitted(['notification.delivery-ended'], (events) => {
    const isFailure = (event: LedgerEvent) =>
      event.type === 'notification.delivery-ended' && (event.outcome === 'failed' || event.outcome === 'skipped');
    if (events.some(isFailure)) wake();
  });
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
      // What one worker ends may wake another that was asked before it.
      for (let seen = -1; seen !== wakes; ) {
        seen = wakes;
        for (const worker of workers) await worker.idle();
      }
    },
    stop: async (withinMs) => {
      stopping = true;
      // All at once: the recovery may be asking a provider that does not answer.
      const deadline = createCallTimeout(timer, withinMs);
      const ends = [deadline.waitFor(recovery.stop()), ...workers.map((worker) => worker.stop(withinMs))];
      const finished = (await Promise.all(ends)).every((end) => end !== timedOut && end !== false);
      limit.cancelAll();
      await identity.end(finished);
      return finished;
    },
  };
}

type DeliveryContext = DeliveryDeps & {
  readonly policy: RetryPolicy;
  readonly timing: DeliveryTiming;
  readonly limit: CallTimeout;
  /** What this process is at work on, by `keyOf`. */
  readonly inProgress: Set<string>;
  isStopping(): boolean;
};

type WorkerWidth = Pick<JobWorkerDeps<unknown>, 'concurrency' | 'batch' | 'reducedLimits'>;

function startQueueWorker<J>(context: DeliveryContext, queue: JobQueue<J>, width: WorkerWidth): JobWorker {
  return startJobWorker({ ...context, ...width, queue, pollMs: context.timing.pollMs });
}

/**
 * Starts the two workers of a channel. Urgent messages have one of their own, so that a backlog of others does not take all
 * the places.
 */
function channelStarter(context: DeliveryContext, identity: WorkerIdentity) {
  const tickScheduler = createTickScheduler(preparedPerTick);
  const urgentPriority = createUrgentPriority(context.clock);
  const bulkContext = throttledWhileUrgent(context, urgentPriority);
  return (name: ChannelName) => {
    const channel = context.channels[name];
    const reducedConcurrency = channel.concurrency + extraJobsWhileUrgent;
    const reducedWidth = { concurrency: reducedConcurrency, batch: Math.ceil(reducedConcurrency / 3) };
    const semaphore = createSemaphore(channel.concurrency, Math.floor(channel.concurrency / slotsPerReserved));
    const delivers = [
      createDeliverJob(context, channel, createChannelSlots(semaphore, true)),
      createDeliverJob(bulkContext, channel, createChannelSlots(semaphore, false)),
    ] as const;
    const queue = (priority: 0 | 1) =>
      channelQueue(
        context,
        { channel: name, priority, deliver: delivers[priority], tickScheduler, urgentPriority },
        identity,
      );
    const urgent = { concurrency: maxConcurrentJobs, batch: urgentPerClaim };
    const bulk: WorkerWidth = {
      concurrency: maxConcurrentJobs,
      batch: jobsPerClaim,
      reducedLimits: () => (urgentPriority.isActive() ? reducedWidth : undefined),
    };
    return [
      { queue: queueName(name, 0), worker: startQueueWorker(context, queue(0), urgent) },
      { queue: queueName(name, 1), worker: startQueueWorker(context, queue(1), bulk) },
    ];
  };
}

/**
 * The context for messages that are not urgent: while urgent ones come, at most `unitsWhileUrgent` of their units share a
 * commit. This is the only wrapper around `commit` in the project.
 */
function throttledWhileUrgent(context: DeliveryContext, urgentPriority: UrgentPriority): DeliveryContext {
  const semaphore = createSemaphore(unitsWhileUrgent);
  const throttled = <T>(write: () => Promise<T>) => (urgentPriority.isActive() ? semaphore(write) : write());
  return {
    ...context,
    claim: (statement) => throttled(() => context.claim(statement)),
    commit: (effect) => throttled(() => context.commit(effect)),
  };
}

type ChannelQueueOptions = {
  readonly channel: ChannelName;
  readonly priority: 0 | 1;
  readonly deliver: (job: LaneJob) => Promise<void>;
  /** For the messages that are not urgent. */
  readonly tickScheduler: TickScheduler;
  readonly urgentPriority: UrgentPriority;
};

/** The lanes of a channel in turn: each claim is for one lane, and the next one for the lane behind it. */
function channelQueue(
  context: DeliveryContext,
  options: ChannelQueueOptions,
  identity: WorkerIdentity,
): JobQueue<LaneJob> {
  const { channel, priority, deliver, tickScheduler, urgentPriority } = options;
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
        if (priority === 1) await tickScheduler();
        await deliver(job);
      } catch (fault) {
        identity.abandonLease(job.lockedBy);
        throw fault;
      } finally {
        context.inProgress.delete(jobKeyOf(job));
      }
    },
  };
}
