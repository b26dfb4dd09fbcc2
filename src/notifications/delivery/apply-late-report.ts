import type { Read, Statement } from '../../db/database.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DeliveryId, IdGenerator } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { advanceCascade } from '../cascade/advance-cascade.ts';
import { type AttemptOutcome, findDeliveries } from '../notification/delivery-store.ts';
import {
  type Delivery,
  type DeliveryStatus,
  deliveryTransitions,
  foldStatus,
  type Notification,
} from '../notification/notification.ts';
import {
  findHistory,
  recordDelivered,
  recordFailed,
  recordUnproven,
  wasDeliveryRetracted,
} from '../notification/notification-history-store.ts';
import { findNotification, updateStatus } from '../notification/notification-store.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { retryOnConflict } from '../notification/retry-on-conflict.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';
import { findNotificationOfDelivery, saveEarlyReport, updateEndedDelivery } from './late-report-store.ts';

/** The delivery that a provider reports about, and its attempt if the report names it. */
export type ReportedDelivery = { readonly delivery: DeliveryId; readonly attempt?: number };

/** A report about a message after the provider accepted it: a receipt, a bounce, a mail event, or a returned letter. */
export type LateReport = ReportedDelivery &
  ({ readonly ended: 'delivered' } | { readonly ended: 'failed'; readonly reason: ReasonCode });

/** A late report, or the response of a provider to an attempt that recovery had already ended as `unknown`. */
export type LateOutcome =
  | LateReport
  | (ReportedDelivery & { readonly ended: 'sent'; readonly providerRef?: string | undefined });

export type LateReportDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: WriteWithoutEvent;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  /** The person who reports, such as staff who register a returned letter. Without it the event names the delivery process. */
  readonly actor?: Actor;
};

/**
 * Applies a report: `sent` and `unknown` become `delivered` or `failed`, `failed` can become `delivered`, and a delivered mail
 * can become `failed`. A report can arrive before the response to its call, or while the process of the attempt is replaced.
 * Then it is stored with the attempt, and `completeDelivery` uses it. Returns whether anything was stored: a repeated
 * report, and one about an unknown delivery, change nothing.
 */
export async function applyLateReport(deps: LateReportDeps, report: LateOutcome): Promise<boolean> {
  return await retryOnConflict(() => applyOnce(deps, report));
}

async function applyOnce(deps: LateReportDeps, report: LateOutcome): Promise<boolean> {
  const { read, commit, clock } = deps;
  const id = await findNotificationOfDelivery(read, report.delivery);
  const notification = id === undefined ? undefined : await findNotification(read, id);
  if (notification === undefined) return false;
  const deliveries = await findDeliveries(read, notification.id);
  const before = deliveries.find((delivery) => delivery.id === report.delivery);
  if (before === undefined || isOutdated(before, report)) return false;
  if (before.state.status === 'sending' && before.state.startedAt !== undefined)
    return await saveForRunningAttempt(deps, before, report);
  if (!canApply(before, report) || (await isFinal(read, notification, before, report))) return false;
  const now = clock.now();
  const reason = report.ended === 'failed' ? report.reason : undefined;
  const providerRef = report.ended === 'sent' ? report.providerRef : undefined;
  const change = {
    id: before.id,
    from: before.state.status,
    to: report.ended,
    reason: reason ?? null,
    providerRef,
    now,
  };
  await commit(
    endedDeliveryEffect(deps, {
      notification,
      deliveries,
      delivery: before,
      status: report.ended,
      outcome: report.ended,
      reason,
      now,
      change: updateEndedDelivery(change),
      history: [...recordFailed(notification.id, before), ...recordDelivered(notification.id, before)],
    }),
  );
  return true;
}

type EndedDelivery = {
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  readonly delivery: Pick<Delivery, 'id' | 'channel' | 'reminder'>;
  /** The new status of the delivery. */
  readonly status: DeliveryStatus;
  readonly outcome: AttemptOutcome | 'skipped';
  readonly reason: ReasonCode | undefined;
  readonly now: number;
  /** Stores the new state of the delivery. */
  readonly change: Statement;
  /** Store the attempt, or the state that the change replaces. */
  readonly history: readonly Statement[];
};

/** The effect of a new state of a delivery, with the status of its notification, the next step of its cascade and the event. */
export function endedDeliveryEffect(
  { createId, actor = { process: 'delivery' } }: Pick<LateReportDeps, 'createId' | 'actor'>,
  { notification, deliveries, delivery, status, outcome, reason, now, change, history }: EndedDelivery,
): Effect {
  const changed = deliveries.map((one) => (one.id === delivery.id ? { ...one, state: { status } } : one));
  const folded = foldStatus(notification.status, changed, now >= notification.deliverBy);
  const event = {
    type: 'notification.delivery-ended',
    id: createId('event'),
    at: now,
    actor,
    citizenId: notification.citizenId,
    notification: notification.id,
    delivery: delivery.id,
    channel: delivery.channel,
    outcome,
    reason,
    newStatus: folded === notification.status ? undefined : folded,
  } as const;
  return {
    events: [event],
    statements: [
      change,
      updateStatus(notification, folded, now),
      ...history,
      ...advanceCascade(deliveries, delivery, status, now),
      ...recordUnproven(notification, folded),
      insertFeedEvent(notification, folded, event),
    ],
  };
}

/** True for the failure of an attempt that was followed by another one, which was made because of that failure. */
function isOutdated({ attempts }: Delivery, { ended, attempt = attempts }: LateOutcome): boolean {
  return ended === 'failed' && attempt < attempts;
}

/**
 * Before the current attempt has called its provider, a report is about an earlier attempt. Its failure is already known;
 * its delivery ends the job.
 */
function canApply({ attempts, state }: Delivery, { ended }: LateOutcome): boolean {
  const earlierAttempts = state.status === 'queued' ? attempts : attempts - 1;
  if ((state.status === 'queued' || state.status === 'sending') && (earlierAttempts === 0 || ended !== 'delivered'))
    return false;
  return deliveryTransitions[state.status].includes(ended);
}

/**
 * True if no report can change the delivery any more. `delivered` is final once the citizen has read the message or the receipt was
 * confirmed by the link of the delivery, and for every channel but email: a mail system may accept a mail and return it later. A citizen
 * who marks a mail as unwanted has received it. A delivery that a bounce retracted stays `failed`. Otherwise repeated reports would change
 * it forever.
 */
async function isFinal(
  read: Read,
  { id, status }: Notification,
  delivery: Delivery,
  report: LateOutcome,
): Promise<boolean> {
  const isUnwanted = report.ended === 'failed' && report.reason === 'message-refused';
  if (delivery.state.status === 'delivered') {
    if (status === 'read' || delivery.channel !== 'email' || isUnwanted) return true;
    const history = await findHistory(read, id);
    return history.some((entry) => entry.subjectId === delivery.id && entry.status === 'confirmed');
  }
  return await wasDeliveryRetracted(read, id, delivery);
}

/** A report of delivery replaces a stored failure, never the other way round. */
async function saveForRunningAttempt(
  { claim }: LateReportDeps,
  { id, attempts, state }: Delivery,
  report: LateOutcome,
): Promise<boolean> {
  if (report.ended === 'sent') return false;
  const previous = state.status === 'sending' ? state.earlyReport : undefined;
  if (previous === 'delivered' || (previous !== undefined && report.ended === 'failed')) return false;
  await claim(
    saveEarlyReport({ id, attempts, report: report.ended === 'failed' ? report.reason : report.ended, previous }),
  );
  return true;
}
