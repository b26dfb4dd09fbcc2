import type { Read } from '../db/database.ts';
import { findOwnBatch } from '../notifications/batches/batch-store.ts';
import { cancelNotificationBatch } from '../notifications/cancel-notification-batch.ts';
import { actForService } from './act-for-service.ts';

/** Cancels the rows of a batch that are not accepted yet. */
export const cancelServiceBatch = actForService({
  operation: cancelNotificationBatch,
  name: 'cancelServiceBatch',
  path: '/v1/staff/notification-batches/{id}/cancel',
  summary: 'Cancel the remaining rows of a batch of your service',
  description:
    'Cancels a batch that has not ended. Rows that the server has already accepted stay notifications. A repeated request receives 409.',
  before: batchStateOf,
  after: ({ state }) => ({ state }),
});

/** The state of a batch for the staff log. */
export async function batchStateOf(read: Read, id: string, service: string): Promise<unknown> {
  const batch = await findOwnBatch(read, id, service);
  return batch && { state: batch.state };
}
