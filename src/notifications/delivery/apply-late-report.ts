import type { Read } from '../../db/database.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DeliveryId, IdGenerator } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/ledger-event.ts';
import { advanceCascade } from '../cascade/advance-cascade.ts';
import { findDeliveries } from '../notification/delivery-store.ts';
import {
  type Delivery,
  type DeliveryState,
  deliveryTransitions,
  foldStatus,
  type Notification,
  outlineOf,
} from '../notification/notification.ts';
import {
  recordDelivered,
  recordFailed,
  recordUndeliverable,
  wasDeliveryRetracted,
} from '../notification/notification-history-store.ts';
import { findNotification, updateStatus } from '../notification/notification-store.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { retryOnConflict } from '../notification/retry-on-conflict.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';
import { findNotificationOfDelivery, saveEarlyReport, updateEndedDelivery } from './late-report-store.ts';

/** Which message a provider speaks of; `attempt` where its word names it. */
export type ReportedDelivery = { readonly delivery: DeliveryId; readonly attempt?: number };

/** What a provider said later about a message that it had taken: by a receipt, a bounce, a returned letter. */
export type LateReport = ReportedDelivery &
  ({ readonly ended: 'delivered' } | { readonly ended: 'failed'; readonly reason: ReasonCode });

/** What was known of an attempt that another had given up: its provider did answer. */
export type LateOutcome =
  | LateReport
  | (ReportedDelivery & { readonly ended: 'sent'; readonly providerRef?: string | undefined });

export type LateReportDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: WriteWithoutEvent;
  readonly clock: Clock;
  readonly mint: IdGenerator;
  /** Who tells it, where that is a person. */
  readonly actor?: Actor;
};

/**
 * Learns better: `sent` or `unknown` become `delivered` or `failed`, `failed` may still become `delivered`, and `delivered` failed. A word may
 * overtake the answer to the call that it is about, or meet an attempt whose process was lost: it is kept with the attempt,
 * and `settle` puts it into the outcome. Gives whether anything was stored; a word that comes twice, or about what is
 * unknown here, changes nothing.
 */
export async function applyLateReport(parts: LateReportDeps, report: LateOutcome): Promise<boolean> {
  return await retryOnConflict(() => applyOnce(parts, report));
}

async function applyOnce(parts: LateReportDeps, report: LateOutcome): Promise<boolean> {
  const { read, commit, clock, mint } = parts;
  const id = await findNotificationOfDelivery(read, report.delivery);
  const notification = id === undefined ? undefined : await findNotification(read, id);
  if (notification === undefined) return false;
  const deliveries = await findDeliveries(read, notification.id);
  const before = deliveries.find((delivery) => delivery.id === report.delivery);
  if (before === undefined || isOutdated(before, report)) return false;
  if (before.state.status === 'sending' && before.state.startedAt !== undefined)
    return await keepForRunningAttempt(parts, before, report);
  if (!canApply(before, report) || (await isFinal(read, notification, before, report))) return false;
  const now = clock.now();
  const after = deliveries.map((delivery): Delivery => {
    if (delivery.id !== report.delivery) return delivery;
    const state: DeliveryState =
      report.ended === 'failed'
        ? { status: report.ended, endedAt: now, reason: report.reason }
        : { status: report.ended, endedAt: now };
    return { ...delivery, state };
  });
  const status = foldStatus(notification.status, after.map(outlineOf), now >= notification.deliverBy);
  const reason = report.ended === 'failed' ? report.reason : undefined;
  const providerRef = report.ended === 'sent' ? report.providerRef : undefined;
  const event = {
    type: 'notification.delivery-ended',
    actor: parts.actor ?? { process: 'delivery' },
    ...{ id: mint('event'), at: now, citizenId: notification.citizenId },
    ...{ notification: notification.id, delivery: before.id, channel: before.channel, outcome: report.ended, reason },
  } as const;
  await commit({
    events: [event],
    statements: [
      updateEndedDelivery({
        ...{ id: before.id, from: before.state.status, to: report.ended },
        reason: reason ?? null,
        providerRef,
        now,
      }),
      updateStatus(notification, status, now),
      ...advanceCascade(deliveries, before, report.ended, now),
      ...recordFailed(notification.id, before),
      ...recordDelivered(notification.id, before),
      ...recordUndeliverable(notification, status),
      insertFeedEvent(notification, status, event),
    ],
  });
  return true;
}

/** That an attempt failed which another has followed: it was made for that. */
function isOutdated({ attempts }: Delivery, { ended, attempt = attempts }: LateOutcome): boolean {
  return ended === 'failed' && attempt < attempts;
}

/** Before an attempt runs, a word is about one before it: that it failed is known, and that it arrived ends the matter. */
function canApply({ attempts, state }: Delivery, { ended }: LateOutcome): boolean {
  const earlierAttempts = state.status === 'queued' ? attempts : attempts - 1;
  if ((state.status === 'queued' || state.status === 'sending') && (earlierAttempts === 0 || ended !== 'delivered'))
    return false;
  return deliveryTransitions[state.status].includes(ended);
}

/**
 * What no provider can say anything about any more. A delivery stays one where the citizen has read the message, and where it was
 * to a phone; a mail may come back later from the system that had taken it. Of that the first word is worth nothing then, however
 * often it is repeated: the two would take turns for ever. Whoever calls a mail unwanted has it.
 */
async function isFinal(
  read: Read,
  { id, status }: Notification,
  delivery: Delivery,
  report: LateOutcome,
): Promise<boolean> {
  const isUnwanted = report.ended === 'failed' && report.reason === 'message-refused';
  if (delivery.state.status === 'delivered') return status === 'read' || delivery.channel !== 'email' || isUnwanted;
  return await wasDeliveryRetracted(read, id, delivery);
}

/** A proof is kept in place of a failure, and not the other way round. */
async function keepForRunningAttempt(
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
