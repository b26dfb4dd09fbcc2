import type { Read } from '../../db/database.ts';
import { findAttempts, findDeliveries } from './delivery-store.ts';
import type { Notification } from './notification.ts';
import { findHistory } from './notification-history-store.ts';
import type { NotificationDetails, NotificationWithDeliveries } from './notification-shape.ts';

/** Reads the deliveries, attempts and history of a notification. */
export async function findDetails(read: Read, notification: Notification): Promise<NotificationDetails> {
  const deliveries = await findDeliveries(read, notification.id);
  // Read after the deliveries: a change between the two reads is then in both, never in neither, and it is counted once.
  const [attempts, history] = await Promise.all([findAttempts(read, deliveries), findHistory(read, notification.id)]);
  return { notification, deliveries, attempts, history };
}

/** Adds the deliveries and attempts to the notifications of a page. */
export async function withDeliveries(
  read: Read,
  page: readonly Notification[],
): Promise<readonly NotificationWithDeliveries[]> {
  const details = page.map(async (notification) => {
    const deliveries = await findDeliveries(read, notification.id);
    return { notification, deliveries, attempts: await findAttempts(read, deliveries) };
  });
  return await Promise.all(details);
}
