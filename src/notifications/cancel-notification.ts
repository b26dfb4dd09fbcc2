import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { refuse } from '../kernel/problem.ts';
import type { CitizenEvent } from '../ledger/event.ts';
import { endUntouched } from './delivery-store.ts';
import type { Delivery } from './notification.ts';
import { notificationShape, notificationView } from './notification-shape.ts';
import { moveTo } from './notification-store.ts';
import type { NotificationPorts } from './ports.ts';
import { findOwn } from './read-notification.ts';
import { tell } from './webhooks/feed-store.ts';

const request = {
  params: Type.Object(
    { id: Type.String({ maxLength: 64, description: 'The id that sending answered.' }) },
    { additionalProperties: false },
  ),
};

/** Withdraws a notification of which nothing has left yet: no channel was begun, and the inbox holds no copy. */
export const cancelNotification = defineOperation({
  name: 'cancelNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/{id}/cancel',
  scope: 'notifications:send',
  summary: 'Withdraw a notification that has not left yet',
  description:
    'Works as long as nothing has left, so above all before sendAt: without sendAt a message is in the inbox at once. Cancelling what is cancelled answers the same again.',
  request,
  responses: { 200: { description: 'The notification, cancelled.', schema: notificationShape } },
  refusals: ['notification-not-found', 'conflict'],
  citizenData: true,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const found = await findOwn(call.read, call.params.id, call.caller.clientId);
    if (found === undefined) return { refusal: refuse('notification-not-found') };
    const { notification, deliveries, attempts } = found;
    const head = { id: call.mint('event'), at: call.now, actor: { client: call.caller.clientId } };
    const about = { citizenId: notification.citizenId, notification: notification.id };
    if (notification.status === 'cancelled') {
      const event: CitizenEvent = { type: 'notification.status-read', ...head, ...about };
      const json = notificationView(notification, deliveries, attempts);
      return { effect: { events: [event], statements: [] }, answer: { status: 200, json } };
    }
    const tooLate = refuse('conflict', 'Part of the notification has left already; it cannot be withdrawn any more.');
    if (!deliveries.every(isUntouched)) return { refusal: tooLate };
    const event = { type: 'notification.cancelled', ...head, ...about } as const;
    const cancelled = { ...notification, status: 'cancelled', statusAt: call.now } as const;
    const skipped = deliveries.map((delivery): Delivery => {
      return { ...delivery, state: { status: 'skipped', endedAt: call.now, reason: 'withdrawn' } };
    });
    return {
      effect: {
        events: [event],
        // A worker that claims one of them meanwhile wins, and the whole unit is refused.
        statements: [
          endUntouched({ notification: notification.id, count: deliveries.length, now: call.now }),
          moveTo(notification, 'cancelled', call.now),
          tell(notification, 'cancelled', event),
        ],
      },
      answer: { status: 200, json: notificationView(cancelled, skipped, attempts) },
      onRefused: () => tooLate,
    };
  },
});

function isUntouched({ state, attempts }: Delivery): boolean {
  return state.status === 'queued' && attempts === 0;
}
