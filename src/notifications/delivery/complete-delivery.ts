import { type Read, ReadUnavailable, type Statement, WriteBusy, WriteUnknown } from '../../db/database.ts';
import { type RetryPolicy, retryDelayMs } from '../../jobs/back-off.ts';
import type { Timer } from '../../jobs/timer.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import type { DeliveryId, IdGenerator } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import type { ProviderOutcome } from '../notification/channel.ts';
import {
  type AttemptOutcome,
  completeJob,
  type DeliveryJob,
  findDeliveries,
  insertAttempt,
} from '../notification/delivery-store.ts';
import type { Delivery, DeliveryState, EarlyReport, Notification } from '../notification/notification.ts';
import { findNotification } from '../notification/notification-store.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { retryOnConflict } from '../notification/retry-on-conflict.ts';
import { applyLateReport, endedDeliveryEffect, type LateOutcome } from './apply-late-report.ts';

/** The dependencies of the completion of a job, of deadlines and of recovery. */
export type CompletionDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: WriteWithoutEvent;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: RandomBytes;
  readonly createId: IdGenerator;
  readonly policy: RetryPolicy;
};

/** How a job ended: by the response of its provider, or by us, before any call. */
export type JobEnding =
  | { readonly by: 'provider'; readonly outcome: ProviderOutcome; readonly startedAt: number }
  | { readonly by: 'us'; readonly status: 'failed' | 'skipped'; readonly reason: ReasonCode };

type Completion = {
  readonly state: Exclude<DeliveryState, { status: 'sending' }>;
  readonly outcome: AttemptOutcome | 'skipped';
  readonly reason?: ReasonCode;
};

/** A delivery refers to a notification that does not exist. */
export class NotificationMissing extends Error {
  constructor(delivery: DeliveryId) {
    super(`the notification of ${delivery} does not exist`);
    this.name = 'NotificationMissing';
  }
}

/**
 * Stores the outcome of a job in one write unit: its new state, the attempt, the new status of the notification, and the
 * event. It combines a report that the provider sent meanwhile with the outcome. If another worker has taken the job, it
 * stores only a response that the other worker did not have. Repeating the call after `WriteUnknown` is safe: if the first
 * write was stored, this worker no longer holds the job.
 */
export async function completeDelivery(
  deps: CompletionDeps,
  job: DeliveryJob,
  ending: JobEnding,
  knownNotification?: Notification,
): Promise<void> {
  let known = knownNotification;
  // A conflict: another worker has the job, the provider has reported, or the notification has changed.
  await retryOnConflict(async () => {
    const notification = known ?? (await findNotification(deps.read, job.notificationId));
    known = undefined;
    if (notification === undefined) throw new NotificationMissing(job.id);
    const deliveries = await findDeliveries(deps.read, notification.id);
    const held = heldStateOf(job, deliveries);
    if (held === undefined) return await reportLostAttempt(deps, job, ending, deliveries);
    const { earlyReport } = held;
    const about = { job, ending: withEarlyReport(ending, earlyReport), notification, deliveries, earlyReport };
    await deps.commit(completionEffectOf(deps, about));
  });
}

/** True for the faults of the database after which the same call can succeed. */
export function isTransientFault(fault: unknown): boolean {
  return fault instanceof WriteBusy || fault instanceof WriteUnknown || fault instanceof ReadUnavailable;
}

/** The state of the job; undefined if this worker no longer holds it. */
function heldStateOf(job: DeliveryJob, deliveries: readonly Delivery[]) {
  const delivery = deliveries.find(({ id }) => id === job.id);
  if (delivery?.attempts !== job.attempts || delivery.state.status !== 'sending') return undefined;
  return delivery.state.lockedBy === job.lockedBy ? delivery.state : undefined;
}

/** Applies the outcome of an attempt that recovery has ended as `unknown` meanwhile. */
async function reportLostAttempt(
  deps: CompletionDeps,
  job: DeliveryJob,
  ending: JobEnding,
  deliveries: readonly Delivery[],
): Promise<void> {
  const delivery = deliveries.find(({ id }) => id === job.id);
  if (ending.by === 'us' || delivery?.attempts !== job.attempts || delivery.state.status !== 'unknown') return;
  const lateOutcome = lateOutcomeOf(job.id, ending.outcome);
  if (lateOutcome !== undefined) await applyLateReport(deps, lateOutcome);
}

/** A temporary failure counts as final here: the cascade or the sender may have continued meanwhile. */
function lateOutcomeOf(delivery: DeliveryId, outcome: ProviderOutcome): LateOutcome | undefined {
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

/** Combines an early report with the response. The report wins, except where the response contradicts it. */
function withEarlyReport(ending: JobEnding, report: EarlyReport | undefined): JobEnding {
  if (report === undefined || ending.by === 'us') return ending;
  const { outcome } = ending;
  const ref = 'providerRef' in outcome && outcome.providerRef !== undefined ? { providerRef: outcome.providerRef } : {};
  if (report === 'delivered') return { ...ending, outcome: { outcome: report, ...ref } };
  switch (outcome.outcome) {
    case 'sent':
    case 'unknown':
      return { ...ending, outcome: { outcome: 'permanent', reason: report } };
    // A proof of delivery stays. A message that was not accepted cannot have failed later.
    case 'delivered':
    case 'temporary':
    case 'permanent':
      return ending;
  }
}

type CompletionCase = {
  readonly job: DeliveryJob;
  readonly ending: JobEnding;
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  /** The stored early report, which is already part of `ending`. */
  readonly earlyReport: EarlyReport | undefined;
};

function completionEffectOf(deps: CompletionDeps, about: CompletionCase): Effect {
  const { job, notification, deliveries, earlyReport } = about;
  const now = deps.clock.now();
  const completion = completionOf(deps, about, now);
  const { state, outcome, reason } = completion;
  return endedDeliveryEffect(deps, {
    notification,
    deliveries,
    delivery: job,
    status: state.status,
    outcome,
    reason,
    now,
    change: completeJob(job, state, earlyReport),
    history: attemptStatements(about, completion, now),
  });
}

/** Stores the attempt; a job that ended without a call has none. */
function attemptStatements(
  { job, ending }: CompletionCase,
  { outcome, reason }: Completion,
  endedAt: number,
): Statement[] {
  if (ending.by === 'us' || outcome === 'skipped') return [];
  const { id: delivery, attempts: number } = job;
  const { startedAt } = ending;
  return [
    insertAttempt({ delivery, number, startedAt, endedAt, outcome, ...(reason === undefined ? {} : { reason }) }),
  ];
}

function completionOf(deps: CompletionDeps, { job, ending, notification }: CompletionCase, now: number): Completion {
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
      return failedCompletion(outcome.reason, now);
    case 'temporary': {
      const { reason, retryAfterMs = 0 } = outcome;
      const runAt = now + Math.max(retryAfterMs, retryDelayMs(deps.policy, job.attempts, deps.random));
      if (job.attempts >= deps.policy.attempts || runAt >= notification.deliverBy) return failedCompletion(reason, now);
      return { state: { status: 'queued', runAt, lastReason: reason }, outcome: 'retry', reason };
    }
  }
}

function failedCompletion(reason: ReasonCode, now: number): Completion {
  return { state: { status: 'failed', endedAt: now, reason }, outcome: 'failed', reason };
}
