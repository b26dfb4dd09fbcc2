import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { Read } from '../db/database.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { foldStatus } from './notification/notification.ts';
import { findDetails } from './notification/notification-details.ts';
import {
  type NotificationDetails,
  notificationParams,
  notificationShape,
  notificationView,
} from './notification/notification-shape.ts';
import { findNotification } from './notification/notification-store.ts';
import type { NotificationPorts } from './ports.ts';

const request = { params: notificationParams };

/** Reads the status of a notification. Other clients than its sender get `notification-not-found`. */
export const readNotification = defineOperation({
  name: 'readNotification',
  since: '1.0',
  method: 'GET',
  path: '/v1/notifications/{id}',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'Read the status and timeline of a notification',
  description:
    'Returns the outcome of each channel, with the reason of each failure and the party that must act. The response does not contain the message, because it belongs to the citizen.',
  request,
  responses: { 200: { description: 'The notification.', schema: notificationShape } },
  refusals: ['notification-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const found = await findOwnNotification(call.read, call.params.id, call.caller.clientId);
    if (found === undefined) return { refusal: refuse('notification-not-found') };
    const { notification } = found;
    return {
      effect: {
        events: [
          {
            type: 'notification.status-read',
            id: call.createId('event'),
            at: call.now,
            actor: { client: call.caller.clientId },
            citizenId: notification.citizenId,
            notification: notification.id,
          },
        ],
        statements: [],
      },
      answer: { status: 200, json: notificationView(found, call.caller) },
    };
  },
});

/**
 * The notification with this id when the client sent it. Its status is derived from the current deliveries, so it is `sending` as soon
 * as a channel has started.
 */
export async function findOwnNotification(
  read: Read,
  text: string,
  clientId: string,
): Promise<NotificationDetails | undefined> {
  const id = parseId('notification', text);
  const stored = id === undefined ? undefined : await findNotification(read, id);
  if (stored === undefined || stored.clientId !== clientId) return undefined;
  const details = await findDetails(read, stored);
  const status = foldStatus(stored.status, details.deliveries, false);
  return { ...details, notification: { ...stored, status } };
}
