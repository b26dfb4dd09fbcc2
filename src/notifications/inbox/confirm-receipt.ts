import { timingSafeEqual } from 'node:crypto';
import type { SliceDeps } from '../../api/slice.ts';
import { baseUrlForLinks } from '../../config/public-url.ts';
import type { Read, Statement } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hmacString } from '../../kernel/hashing.ts';
import { type DeliveryId, type IdGenerator, type NotificationId, parseId } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import { findNotificationOfDelivery, updateEndedDelivery } from '../delivery/late-report-store.ts';
import { findDeliveries, skipUnneeded } from '../notification/delivery-store.ts';
import type { Delivery } from '../notification/notification.ts';
import { recordConfirmed, recordFailed, recordUnproven } from '../notification/notification-history-store.ts';
import { findNotification, updateStatus } from '../notification/notification-store.ts';
import { retryOnConflict } from '../notification/retry-on-conflict.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';

/** The path of the page that confirms the receipt of a mail; the token follows it. */
export const confirmPath = '/received';

/** Creates the links in mails, one for each delivery, and checks their tokens. */
export type ConfirmLinks = {
  linkFor(delivery: DeliveryId): string;
  /** The delivery of a valid token; undefined for any other text. */
  findDelivery(token: string): DeliveryId | undefined;
};

const macLength = 32;

/** Links under the public URL of the server. Each has a truncated HMAC (192 bits), so nobody can create a link for another delivery. */
export function createConfirmLinks(publicUrl: string, key: Uint8Array): ConfirmLinks {
  const macOf = (delivery: string) => hmacString(key, delivery, 'base64url').slice(0, macLength);
  return {
    linkFor: (delivery) => `${publicUrl}${confirmPath}/${delivery}.${macOf(delivery)}`,
    findDelivery: (token) => {
      const [, id = '', mac = ''] = /^(dlv_\w{26})\.([\w-]{32})$/.exec(token) ?? [];
      const delivery = parseId('delivery', id);
      if (delivery === undefined) return undefined;
      return timingSafeEqual(Buffer.from(macOf(delivery)), Buffer.from(mac)) ? delivery : undefined;
    },
  };
}

/** The links of this server; undefined without `CONFIRM_LINKS`, or if the address of the server is not known before it starts. */
export function confirmLinksOf({ settings, root }: Pick<SliceDeps, 'settings' | 'root'>): ConfirmLinks | undefined {
  const url = settings.confirmLinks ? baseUrlForLinks(settings) : undefined;
  return url === undefined ? undefined : createConfirmLinks(url, root.derive('receipt-links'));
}

/** The dependencies of `confirmReceipt`. */
export type ConfirmDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
};

/**
 * Confirms the receipt of a mail: the citizen pressed the button of its page. This proves the delivery and makes the notification `read`.
 * Returns false when the delivery does not exist or was never handed to a provider. A second confirmation changes nothing.
 */
export async function confirmReceipt(deps: ConfirmDeps, delivery: DeliveryId): Promise<boolean> {
  return await retryOnConflict(async () => {
    const effect = await confirmationEffect(deps, delivery);
    if (effect === undefined || effect === 'already-read') return effect === 'already-read';
    await deps.commit(effect);
    return true;
  });
}

/** The notification and the delivery of a link; undefined when the delivery does not exist or its mail cannot have left yet. */
export async function findConfirmableMail(read: Read, id: DeliveryId) {
  const notificationId = await findNotificationOfDelivery(read, id);
  const notification = notificationId === undefined ? undefined : await findNotification(read, notificationId);
  if (notification === undefined) return undefined;
  const delivery = (await findDeliveries(read, notification.id)).find((one) => one.id === id);
  if (delivery === undefined) return undefined;
  return notification.status === 'read' || wasHandedOver(delivery) ? { notification, delivery } : undefined;
}

/** The effect of a confirmation; `already-read` when the notification is read, undefined when there is no such mail. */
export async function confirmationEffect(
  { read, clock, createId }: Omit<ConfirmDeps, 'commit'>,
  id: DeliveryId,
): Promise<Effect | 'already-read' | undefined> {
  const found = await findConfirmableMail(read, id);
  if (found === undefined) return undefined;
  const { notification, delivery } = found;
  if (notification.status === 'read') return 'already-read';
  const now = clock.now();
  const { citizenId } = notification;
  const event = {
    type: 'notification.opened',
    actor: { citizen: true },
    id: createId('event'),
    at: now,
    citizenId,
    notification: notification.id,
    channel: delivery.channel,
    newStatus: 'read',
  } as const;
  const statements = [
    ...proofStatements(notification.id, delivery, now),
    updateStatus(notification, 'read', now),
    skipUnneeded(notification.id, now),
    ...recordUnproven(notification, 'read'),
    insertFeedEvent(notification, 'read', event),
  ];
  return { events: [event], statements };
}

/** A used link proves that the mail arrived, also when its outcome was lost or a failure. */
function wasHandedOver({ state }: Delivery): boolean {
  return ['sending', 'sent', 'delivered', 'failed', 'unknown'].includes(state.status);
}

/** Makes the delivery `delivered`, unless its provider has proved it before or its attempt has not ended. */
function proofStatements(notification: NotificationId, delivery: Delivery, now: number): Statement[] {
  const { id, state } = delivery;
  const from = state.status;
  if (from !== 'sent' && from !== 'failed' && from !== 'unknown') return [];
  return [
    updateEndedDelivery({ id, from, to: 'delivered', reason: null, now }),
    ...recordFailed(notification, delivery),
    recordConfirmed(notification, delivery, now),
  ];
}
