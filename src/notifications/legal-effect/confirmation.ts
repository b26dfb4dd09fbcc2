import type { Read } from '../../db/database.ts';
import type { Notification } from '../notification/notification.ts';
import { findHistory } from '../notification/notification-history-store.ts';
import { confirmationCounts } from './legal-effect.ts';

/** Whether somebody confirmed the receipt by the link in a mail. */
export async function isReceiptConfirmed(read: Read, { id }: Notification): Promise<boolean> {
  return (await findHistory(read, id)).some(({ status }) => status === 'confirmed');
}

/**
 * Whether a confirmation ends the cascade. It does not if only opening counts as service: then another reader of the mailbox could
 * prevent the letter by confirming the receipt.
 */
export function confirmationEndsCascade({ legalEffect }: Notification): boolean {
  return legalEffect === null || confirmationCounts(legalEffect);
}

/** Whether the cascade of a notification has ended because its receipt was confirmed. */
export async function isEndedByConfirmation(read: Read, notification: Notification): Promise<boolean> {
  return (
    notification.status === 'delivered' &&
    confirmationEndsCascade(notification) &&
    (await isReceiptConfirmed(read, notification))
  );
}
