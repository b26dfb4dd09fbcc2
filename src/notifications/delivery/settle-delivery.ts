import { type RetryPolicy, retryDelayMs } from '../../jobs/back-off.ts';
import type { Claim } from '../../jobs/claim.ts';
import type { Timer } from '../../jobs/timer.ts';
import type { Clock, Random } from '../../kernel/clock.ts';
import type { DeliveryId, Mint } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import { type Read, ReadUnavailable, type Statement, WriteBusy, WriteRefused, WriteUnknown } from '../../store/db.ts';
import { type LateAnswer, learnLate } from '../callbacks/learn-late.ts';
import type { Outcome } from '../channels/channel.ts';
import { keepUndeliverable } from '../evidence/history-store.ts';
import {
  type Delivery,
  type DeliveryState,
  type EarlyWord,
  foldStatus,
  type Notification,
  outlineOf,
} from '../notification.ts';
import { findNotification, moveTo } from '../notification-store.ts';
import type { ReasonCode } from '../reason.ts';
import { tell } from '../webhooks/feed-store.ts';
import { type AttemptOutcome, endJob, findDeliveries, insertAttempt, type Job } from './delivery-store.ts';
import { nextStep } from './next-step.ts';

export type SettleParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly mint: Mint;
  readonly policy: RetryPolicy;
};

/** How a job ended: by its provider, in an attempt; or before any provider was called. */
export type Ending =
  | { readonly by: 'provider'; readonly outcome: Outcome; readonly startedAt: number }
  | { readonly by: 'us'; readonly status: 'failed' | 'skipped'; readonly reason: ReasonCode };

type Settled = {
  readonly state: Exclude<DeliveryState, { status: 'sending' }>;
  readonly outcome: AttemptOutcome | 'skipped';
  readonly reason?: ReasonCode;
};

const triesAgainstFaults = 5;
const triesAgainstOthers = 50;

/**
 * Stores how a job ended: its new state, the attempt, the status of the notification folded anew, and the event, in one
 * unit; with what its provider has said of the attempt meanwhile. Where the job was lost to another worker nothing is
 * stored, but for an answer that the other did not have. Repeating after `WriteUnknown` is safe: if the first try was stored, the job is held no more.
 */
export async function settle(parts: SettleParts, job: Job, ending: Ending, seen?: Notification): Promise<void> {
  let known = seen;
  let faults = 0;
  for (let tries = 0; tries < triesAgainstOthers; tries += 1) {
    try {
      const notification = known ?? (await findNotification(parts.read, job.notificationId));
      if (notification === undefined) throw new TypeError('a delivery without its notification');
      const deliveries = await findDeliveries(parts.read, notification.id);
      const held = heldBy(job, deliveries);
      if (held === undefined) return await learnLost(parts, job, ending, deliveries);
      const heard = held.earlyWord;
      await parts.commit(effectOf(parts, { job, ending: withWord(ending, heard), notification, deliveries, heard }));
      return;
    } catch (fault) {
      known = undefined;
      // The job is another's by now, its provider has said something, or the notification moved: look again.
      if (fault instanceof WriteRefused && fault.kind === 'rows') continue;
      faults += 1;
      if (!isPassing(fault) || faults === triesAgainstFaults) throw fault;
      await new Promise<void>((resolve) => parts.timer(50 * 2 ** faults, resolve));
    }
  }
  throw new Error('the notification changed again each time its status was folded');
}

/** True for the faults of the database after which the same call can succeed. */
export function isPassing(fault: unknown): boolean {
  return fault instanceof WriteBusy || fault instanceof WriteUnknown || fault instanceof ReadUnavailable;
}

/** The state of the job as long as its worker holds it. */
function heldBy(job: Job, deliveries: readonly Delivery[]) {
  const delivery = deliveries.find(({ id }) => id === job.id);
  if (delivery?.attempts !== job.attempts || delivery.state.status !== 'sending') return undefined;
  return delivery.state.lockedBy === job.lockedBy ? delivery.state : undefined;
}

/** What is known of an attempt that another took for lost, and ended as `unknown`. */
async function learnLost(parts: SettleParts, job: Job, ending: Ending, deliveries: readonly Delivery[]): Promise<void> {
  const delivery = deliveries.find(({ id }) => id === job.id);
  if (ending.by === 'us' || delivery?.attempts !== job.attempts || delivery.state.status !== 'unknown') return;
  const answer = lateAnswer(job.id, ending.outcome);
  if (answer !== undefined) await learnLate(parts, answer);
}

/** What the provider certainly did not take is not tried again: by now the cascade, or the sender, may have gone on. */
function lateAnswer(delivery: DeliveryId, outcome: Outcome): LateAnswer | undefined {
  switch (outcome.outcome) {
    case 'sent':
      return { delivery, ended: 'sent', providerRef: outcome.providerRef };
    case 'delivered':
      return { delivery, ended: 'delivered' };
    case 'temporary':
    case 'permanent':
      return { delivery, ended: 'failed', reason: outcome.reason };
    case 'unknown':
      return undefined;
  }
}

/** What the provider said of the attempt goes before its answer to the call, but for what the answer excludes. */
function withWord(ending: Ending, word: EarlyWord | undefined): Ending {
  if (word === undefined || ending.by === 'us') return ending;
  const { outcome } = ending;
  const ref = 'providerRef' in outcome && outcome.providerRef !== undefined ? { providerRef: outcome.providerRef } : {};
  if (word === 'delivered') return { ...ending, outcome: { outcome: word, ...ref } };
  switch (outcome.outcome) {
    case 'sent':
    case 'unknown':
      return { ...ending, outcome: { outcome: 'permanent', reason: word } };
    // A proof stays one, and what was not taken is tried again.
    case 'delivered':
    case 'temporary':
    case 'permanent':
      return ending;
  }
}

type Case = {
  readonly job: Job;
  readonly ending: Ending;
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  /** What the provider has said of the attempt, put into `ending`. */
  readonly heard: EarlyWord | undefined;
};

function effectOf(parts: SettleParts, about: Case): Effect {
  const { job, notification, deliveries, heard } = about;
  const now = parts.clock.now();
  const settled = settledOf(parts, about, now);
  const outlines = deliveries.map((delivery) =>
    delivery.id === job.id ? { ...outlineOf(delivery), status: settled.state.status } : outlineOf(delivery),
  );
  const status = foldStatus(notification.status, outlines, now >= notification.deliverBy);
  const event = {
    type: 'notification.delivery-ended',
    id: parts.mint('event'),
    at: now,
    actor: { process: 'delivery' },
    citizenId: notification.citizenId,
    notification: notification.id,
    delivery: job.id,
    channel: job.channel,
    outcome: settled.outcome,
    reason: settled.reason,
  } as const;
  return {
    events: [event],
    statements: [
      endJob(job, settled.state, heard),
      moveTo(notification, status, now),
      ...attemptOf(about, settled, now),
      ...nextStep(deliveries, job, settled.state.status, now),
      ...keepUndeliverable(notification, status),
      tell(notification, status, event),
    ],
  };
}

/** An ending without a provider is no attempt. */
function attemptOf({ job, ending }: Case, { outcome, reason }: Settled, endedAt: number): Statement[] {
  if (ending.by === 'us' || outcome === 'skipped') return [];
  const { id: delivery, attempts: number } = job;
  const { startedAt } = ending;
  return [
    insertAttempt({ delivery, number, startedAt, endedAt, outcome, ...(reason === undefined ? {} : { reason }) }),
  ];
}

function settledOf(parts: SettleParts, { job, ending, notification }: Case, now: number): Settled {
  if (ending.by === 'us') {
    const { status, reason } = ending;
    return { state: { status, endedAt: now, reason }, outcome: status, reason };
  }
  const { outcome } = ending;
  switch (outcome.outcome) {
    case 'sent':
    case 'delivered': {
      const { outcome: status, providerRef } = outcome;
      const ref = providerRef === undefined ? {} : { providerRef };
      return { state: { status, endedAt: now, ...ref }, outcome: status };
    }
    case 'unknown': {
      const reason = 'outcome-unknown';
      return { state: { status: 'unknown', endedAt: now, reason }, outcome: 'unknown', reason };
    }
    case 'permanent':
      return failed(outcome.reason, now);
    case 'temporary': {
      const { reason, retryAfterMs = 0 } = outcome;
      const runAt = now + Math.max(retryAfterMs, retryDelayMs(parts.policy, job.attempts, parts.random));
      if (job.attempts >= parts.policy.attempts || runAt >= notification.deliverBy) return failed(reason, now);
      return { state: { status: 'queued', runAt, lastReason: reason }, outcome: 'retry', reason };
    }
  }
}

function failed(reason: ReasonCode, now: number): Settled {
  return { state: { status: 'failed', endedAt: now, reason }, outcome: 'failed', reason };
}
