import { WriteRefused } from '../../db/database.ts';
import type { JobQueue } from '../../jobs/job-worker.ts';
import type { NotificationId } from '../../kernel/id.ts';
import type { CodeChannel } from '../contact/contact-code.ts';
import { failQueued, findDeliveries } from '../notification/delivery-store.ts';
import {
  type Delivery,
  declinableChannelNames,
  foldStatus,
  isUnproven,
  type Notification,
  unprovenReasonOf,
} from '../notification/notification.ts';
import {
  findNextDeadline,
  findNotification,
  findOverdueNotifications,
  updateStatus,
} from '../notification/notification-store.ts';
import { systemClient } from '../notification/sending-service.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';
import type { CompletionDeps } from './complete-delivery.ts';

/** The pause before the next try of a deadline that could not be stored. */
const faultPauseMs = 5_000;

/** Creates the queue of deadlines: an open notification is due at its `deliverBy`, and its job ends it without proof. */
export function createDeadlineQueue(deps: CompletionDeps): JobQueue<NotificationId> {
  // Deadlines are not claimed in the database. This process skips those in progress; the revision rejects a second process.
  const inProgress = new Set<NotificationId>();
  return {
    nextDueAt: () => findNextDeadline(deps.read),
    claim: async (limit) => {
      const overdue = await findOverdueNotifications(deps.read, deps.clock.now(), limit + inProgress.size);
      const unclaimed = overdue.filter((id) => !inProgress.has(id)).slice(0, limit);
      for (const id of unclaimed) inProgress.add(id);
      return unclaimed;
    },
    run: async (id) => {
      try {
        await endOverdue(deps, id);
        inProgress.delete(id);
      } catch (fault) {
        deps.timer(faultPauseMs, () => inProgress.delete(id));
        throw fault;
      }
    },
  };
}

async function endOverdue(deps: CompletionDeps, id: NotificationId): Promise<void> {
  const now = deps.clock.now();
  const notification = await findNotification(deps.read, id);
  if (notification === undefined) return;
  const deliveries = (await findDeliveries(deps.read, id)).map((delivery) => withDeadlinePassed(delivery, now));
  const status = foldStatus(notification.status, deliveries, now >= notification.deliverBy);
  if (status === notification.status || !isUnproven(status)) return;
  const head = { id: deps.createId('event'), at: now, actor: { process: 'delivery' } } as const;
  const { citizenId } = notification;
  const statements = [failQueued(id, now), updateStatus(notification, status, now)];
  const unusedChannel = unusedCodeChannel(notification, deliveries);
  const reason = unprovenReasonOf(status, deliveries);
  const type = `notification.${status}` as const;
  const event = { type, ...head, citizenId, notification: id, reason, newStatus: status } as const;
  try {
    await deps.commit(
      unusedChannel === undefined
        ? { events: [event], statements: [...statements, insertFeedEvent(notification, status, event)] }
        : { events: [{ type: 'contact-address.code-unused', ...head, citizenId, channel: unusedChannel }], statements },
    );
  } catch (fault) {
    // The notification has changed, perhaps to a success. The next poll decides again.
    if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
  }
}

/**
 * The channel of a contact code that was not entered. The ledger gets an event of its own for it, because in the access log
 * `sent` would look like a message without a receipt.
 */
function unusedCodeChannel({ clientId }: Notification, deliveries: readonly Delivery[]): CodeChannel | undefined {
  const [delivery, other] = deliveries;
  if (clientId !== systemClient || other !== undefined || delivery?.state.status !== 'sent') return undefined;
  return declinableChannelNames.find((name) => name === delivery.channel);
}

function withDeadlinePassed(delivery: Delivery, now: number): Delivery {
  if (delivery.state.status !== 'queued') return delivery;
  return { ...delivery, state: { status: 'failed', endedAt: now, reason: 'deadline-passed' } };
}
