import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { CitizenEvent } from '../ledger/ledger-event.ts';
import { cancelUntouched } from './notification/delivery-store.ts';
import type { Delivery, DeliveryStatus, Notification } from './notification/notification.ts';
import { notificationParams, notificationShape, notificationView } from './notification/notification-shape.ts';
import { findNotification, updateStatus } from './notification/notification-store.ts';
import type { NotificationPorts } from './ports.ts';
import { findOwnNotification } from './read-notification.ts';
import { insertFeedEvent } from './webhooks/feed-store.ts';

const request = { params: notificationParams };

/** Cancels a notification while no channel has started and the inbox has no copy. */
export const cancelNotification = defineOperation({
  name: 'cancelNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/{id}/cancel',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Cancel a notification before it is sent',
  description:
    'Cancels a notification until its first channel has started, which is usually at sendAt. Without sendAt, a message is in the inbox at once. A repeated request receives the same response.',
  request,
  responses: { 200: { description: 'The cancelled notification.', schema: notificationShape } },
  refusals: ['notification-not-found', 'conflict', 'changed-meanwhile'],
  citizenData: true,
  run: cancel,
});

async function cancel(call: OperationCall<typeof request, NotificationPorts>): Promise<Decision | RefusedDecision> {
  const found = await findOwnNotification(call.read, call.params.id, call.caller.clientId);
  if (found === undefined) return { refusal: refuse('notification-not-found') };
  const { notification, deliveries } = found;
  const head = { id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } };
  const subject = { citizenId: notification.citizenId, notification: notification.id };
  if (notification.status === 'cancelled') {
    const event: CitizenEvent = { type: 'notification.status-read', ...head, ...subject };
    return {
      effect: { events: [event], statements: [] },
      answer: { status: 200, json: notificationView(found, call.caller) },
    };
  }
  if (!deliveries.every(isUntouched)) {
    // Notification and deliveries are two reads. Another call may have cancelled the notification between them.
    const current = await findNotification(call.read, notification.id);
    if (current?.status === 'cancelled') return await cancel(call);
    return { refusal: refuse('conflict', tooLateDetail(notification, deliveries)) };
  }
  const event = { type: 'notification.cancelled', ...head, ...subject, newStatus: 'cancelled' } as const;
  const cancelled = { ...notification, status: 'cancelled', statusAt: call.now } as const;
  const skipped = deliveries.map((delivery): Delivery => {
    return { ...delivery, state: { status: 'skipped', endedAt: call.now, reason: 'withdrawn' } };
  });
  return {
    effect: {
      events: [event],
      // If a worker claims one of the deliveries first, the whole unit is refused.
      statements: [
        cancelUntouched({ notification: notification.id, count: deliveries.length, now: call.now }),
        updateStatus(notification, 'cancelled', call.now),
        insertFeedEvent(notification, 'cancelled', event),
      ],
    },
    answer: {
      status: 200,
      json: notificationView({ ...found, notification: cancelled, deliveries: skipped }, call.caller),
    },
    // Another call cancelled it, or a worker claimed a delivery. Neither is ever undone, so a second try decides.
    onConflict: () => cancel(call),
  };
}

function isUntouched({ state, attempts }: Delivery): boolean {
  return state.status === 'queued' && attempts === 0;
}

/** Why the notification can no longer be cancelled. */
function tooLateDetail({ status }: Notification, deliveries: readonly Delivery[]): string {
  const has = (...statuses: DeliveryStatus[]) => deliveries.some(({ state }) => statuses.includes(state.status));
  if (status === 'read') return 'The citizen read the notification, so you can no longer cancel it.';
  if (has('sent', 'delivered', 'unknown'))
    return 'A part of the notification was sent, so you can no longer cancel it.';
  if (status === 'undeliverable')
    return 'The notification is undeliverable and nothing was sent, so you need not cancel it.';
  return 'A channel has started, so you can no longer cancel the notification.';
}
