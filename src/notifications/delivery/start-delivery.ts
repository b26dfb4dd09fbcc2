import type { RetryPolicy } from '../../jobs/back-off.ts';
import { createGate } from '../../jobs/gate.ts';
import { createLimit, type Limit, late } from '../../jobs/limit.ts';
import { repeat } from '../../jobs/repeat.ts';
import { type Queue, startWorker, type Worker, type WorkerParts } from '../../jobs/worker.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Channel } from '../channels/channel.ts';
import { type ChannelName, channelNames } from '../notification.ts';
import { queueName, queueOf } from '../notification-store.ts';
import { bringForwardSql } from './cascade-store.ts';
import { createDeliver, type DeliverParts, type InLane } from './deliver.ts';
import { claimDue, type Job, jobOf, type Lane, waitingLanes } from './delivery-store.ts';
import { createDeadlines } from './end-overdue.ts';
import { createPlaces } from './places.ts';
import { createRecovery, keyOf } from './recover-deliveries.ts';
import { createTurns, type Turns } from './turns.ts';
import { createUrgency, type Urgency } from './urgency.ts';
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
export const deliveryPolicy: RetryPolicy = { attempts: 72, firstDelayMs: 5_000, longestDelayMs: 3_600_000 };

export type DeliveryProcess = Omit<DeliverParts, 'policy' | 'limit' | 'isStopping'> & {
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  readonly policy?: RetryPolicy;
  readonly timing?: DeliveryTiming;
};

export type Delivering = {
  /** Looks at the queues of these names at once, or at all; see `wakingCommit`. */
  wake(queues?: ReadonlySet<string>): void;
  /** Resolves when nothing is at work and nothing is due. */
  idle(): Promise<void>;
  /** Takes nothing more and finishes what it took; false when that took longer than allowed. Channels stay open. */
  stop(withinMs: number): Promise<boolean>;
};

const jobsAtOnce = 96;
const jobsInOneClaim = 48;
/** Fewer of the urgent ones: so many of another client are to end before there is room for the next lane. */
const urgentInOneClaim = 24;
const preparedInATurn = 4;
/**
 * While urgent messages come, of the others only so many more than the channel has places: each job in hand makes the
 * urgent ones wait, since it shares the processor and the commits with them.
 */
const jobsBesideUrgent = 2;
/** One place of a channel in so many is kept for urgent messages. */
const placesPerKept = 10;
/** And so many units of the others are written at once: an urgent one waits for the commit that is under way. */
const unitsBesideUrgent = 2;
const deadlinesAtOnce = 8;
/** A relay may take minutes for a mail, each of its answers being in time; no adapter takes that long. */
const adapterMs = 15 * 60_000;

/** Starts the worker role: a worker for each channel, the deadlines, and the recovery of what others lost. */
export async function startDelivery(given: DeliveryProcess): Promise<Delivering> {
  const { timing = deliveryTiming, policy = deliveryPolicy } = given;
  let wake: Delivering['wake'] = () => undefined;
  // A step that was brought forward is of another channel, whose worker sleeps until the time that it had before.
  const commit: Commit = async (effect) => {
    const rows = await given.commit(effect);
    if (effect.statements.some(({ sql }) => sql === bringForwardSql)) wake();
    return rows;
  };
  const limit = createLimit(given.timer, adapterMs);
  let stopping = false;
  const atHand = new Set<string>();
  const isAtHand = (job: Job) => atHand.has(keyOf(job));
  const parts = { ...given, commit, policy, timing, limit, atHand, isAtHand, isStopping: () => stopping };
  const { timer, onFault } = parts;
  const identity = await createWorkerIdentity({ ...parts, leaseMs: timing.leaseMs });
  const recover = createRecovery(parts);
  await recover(await identity.name());

  const lines = channelNames.flatMap(lineStarter(parts, identity));
  const deadlines = start(parts, createDeadlines(parts), { concurrency: deadlinesAtOnce, batch: deadlinesAtOnce });
  const workers = [...lines.map(({ worker }) => worker), deadlines];

  let wakes = 0;
  wake = (queues) => {
    wakes += 1;
    for (const { queue, worker } of lines) if (queues?.has(queue) !== false) worker.wake();
    deadlines.wake();
  };
  const recovery = repeat({
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
      const over = createLimit(timer, withinMs);
      const ends = [over.hold(recovery.stop()), ...workers.map((worker) => worker.stop(withinMs))];
      const finished = (await Promise.all(ends)).every((end) => end !== late && end !== false);
      limit.end();
      await identity.end(finished);
      return finished;
    },
  };
}

/** The same commit; when it has stored a new notification, the workers of this process look at once where it waits. */
export function wakingCommit(commit: Commit, wake: Delivering['wake']): Commit {
  return async (effect) => {
    const rows = await commit(effect);
    if (effect.events.some((event) => event.type === 'notification.accepted')) {
      wake(new Set(effect.statements.flatMap((statement) => queueOf(statement) ?? [])));
    }
    return rows;
  };
}

type Parts = DeliveryProcess & {
  readonly policy: RetryPolicy;
  readonly timing: DeliveryTiming;
  readonly limit: Limit;
  /** What this process is at work on, by `keyOf`. */
  readonly atHand: Set<string>;
  isStopping(): boolean;
};

type Width = Pick<WorkerParts<unknown>, 'concurrency' | 'batch' | 'spare'>;

function start<J>(parts: Parts, queue: Queue<J>, width: Width): Worker {
  return startWorker({ ...parts, ...width, queue, pollMs: parts.timing.pollMs });
}

/**
 * Starts the two workers of a channel. Urgent messages have one of their own, so that a backlog of others does not take all
 * the places.
 */
function lineStarter(parts: Parts, identity: WorkerIdentity) {
  const turns = createTurns(preparedInATurn);
  const urgency = createUrgency(parts.clock);
  const aside = besideUrgent(parts, urgency);
  return (name: ChannelName) => {
    const channel = parts.channels[name];
    const few = channel.concurrency + jobsBesideUrgent;
    const spared = { concurrency: few, batch: Math.ceil(few / 3) };
    const gate = createGate(channel.concurrency, Math.floor(channel.concurrency / placesPerKept));
    const delivers = [
      createDeliver(parts, channel, createPlaces(gate, true)),
      createDeliver(aside, channel, createPlaces(gate, false)),
    ] as const;
    const queue = (priority: 0 | 1) =>
      channelQueue(parts, { channel: name, priority, deliver: delivers[priority], turns, urgency }, identity);
    const urgent = { concurrency: jobsAtOnce, batch: urgentInOneClaim };
    const bulk = {
      concurrency: jobsAtOnce,
      batch: jobsInOneClaim,
      spare: () => (urgency.lasts() ? spared : undefined),
    };
    return [
      { queue: queueName(name, 0), worker: start(parts, queue(0), urgent) },
      { queue: queueName(name, 1), worker: start(parts, queue(1), bulk) },
    ];
  };
}

/** The same parts for messages that are not urgent: while urgent ones come, few of their units share a commit. */
function besideUrgent(parts: Parts, urgency: Urgency): Parts {
  const few = createGate(unitsBesideUrgent);
  const paced = <T>(write: () => Promise<T>) => (urgency.lasts() ? few(write) : write());
  return {
    ...parts,
    claim: (statement) => paced(() => parts.claim(statement)),
    commit: (effect) => paced(() => parts.commit(effect)),
  };
}

type Line = {
  readonly channel: ChannelName;
  readonly priority: 0 | 1;
  readonly deliver: (job: InLane) => Promise<void>;
  /** For the messages that are not urgent. */
  readonly turns: Turns;
  readonly urgency: Urgency;
};

/** The lanes of a channel in turn: each claim is for one lane, and the next one for the lane behind it. */
function channelQueue(parts: Parts, line: Line, identity: WorkerIdentity): Queue<InLane> {
  const { channel, priority, deliver, turns, urgency } = line;
  let waiting: readonly Lane[] = [];
  let served = '';
  return {
    nextDueAt: async () => {
      waiting = await waitingLanes(parts.read, channel, priority);
      if (priority === 0 && waiting.some(({ runAt }) => runAt <= parts.clock.now())) urgency.came();
      return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ runAt }) => runAt));
    },
    claim: async (limit) => {
      const now = parts.clock.now();
      const due = waiting.filter(({ runAt }) => runAt <= now);
      const lane = (due.find(({ name }) => name > served) ?? due[0])?.name;
      if (lane === undefined) return [];
      served = lane;
      const lockedBy = await identity.name();
      try {
        const rows = await parts.claim(claimDue({ channel, priority, lane, now, limit, lockedBy }));
        return rows.map((row) => ({ ...jobOf(row), lane }));
      } catch (fault) {
        identity.leaveBehind(lockedBy);
        throw fault;
      }
    },
    run: async (job) => {
      parts.atHand.add(keyOf(job));
      try {
        if (priority === 1) await turns();
        await deliver(job);
      } catch (fault) {
        identity.leaveBehind(job.lockedBy);
        throw fault;
      } finally {
        parts.atHand.delete(keyOf(job));
      }
    },
  };
}
