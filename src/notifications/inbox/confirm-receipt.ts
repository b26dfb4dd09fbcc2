import { timingSafeEqual } from 'node:crypto';
import type { Read, Statement } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hmacString } from '../../kernel/hashing.ts';
import { type DeliveryId, type IdGenerator, type NotificationId, parseId } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import { skipUnneeded } from '../cascade/cascade-store.ts';
import { findNotificationOfDelivery, updateEndedDelivery } from '../delivery/late-report-store.ts';
import { findDeliveries } from '../notification/delivery-store.ts';
import type { Delivery, Notification } from '../notification/notification.ts';
import { recordConfirmed, recordFailed, recordUndeliverable } from '../notification/notification-history-store.ts';
import { findNotification, updateStatus } from '../notification/notification-store.ts';
import { retryOnConflict } from '../notification/retry-on-conflict.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';

/** Where a citizen confirms the receipt of a mail; the token is the last part of the path. */
export const confirmPath = '/received';

/** The links in mails, each for one delivery, and what they are for. */
export type ConfirmLinks = {
  linkFor(delivery: DeliveryId): string;
  /** The delivery that a token was made for; undefined for any other text. */
  findDelivery(token: string): DeliveryId | undefined;
};

const macLength = 32;

/** Links under the public address of the server. Their mark keeps anyone from confirming what was not sent to them. */
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

export type ConfirmDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: IdGenerator;
};

/**
 * The citizen pressed the button behind the link of a mail: that proves the delivery, and makes the notification `read`.
 * False where there is no such delivery, or where it was never handed to a provider. A second time changes nothing.
 */
export async function confirmReceipt(deps: ConfirmDeps, delivery: DeliveryId): Promise<boolean> {
  return await retryOnConflict(async () => {
    const effect = await confirmationEffect(deps, delivery);
    if (effect === undefined || effect === 'before') return effect === 'before';
    await deps.commit(effect);
    return true;
  });
}

/** A notification of which a mail has left, and that mail's delivery. */
type ConfirmableMail = { readonly notification: Notification; readonly delivery: Delivery };

/** What the link of a delivery is about; undefined where there is no such delivery, or where nobody can have got the link by it. */
export async function findConfirmableMail(read: Read, id: DeliveryId): Promise<ConfirmableMail | undefined> {
  const notificationId = await findNotificationOfDelivery(read, id);
  const notification = notificationId === undefined ? undefined : await findNotification(read, notificationId);
  if (notification === undefined) return undefined;
  const delivery = (await findDeliveries(read, notification.id)).find((one) => one.id === id);
  if (delivery === undefined) return undefined;
  return notification.status === 'read' || wasHandedOver(delivery) ? { notification, delivery } : undefined;
}

/** The effect of that proof; `before` where there is one. */
export async function confirmationEffect(
  { read, clock, mint }: Omit<ConfirmDeps, 'commit'>,
  id: DeliveryId,
): Promise<Effect | 'before' | undefined> {
  const found = await findConfirmableMail(read, id);
  if (found === undefined) return undefined;
  const { notification, delivery } = found;
  if (notification.status === 'read') return 'before';
  const now = clock.now();
  const { citizenId } = notification;
  const event = {
    type: 'notification.opened',
    actor: { citizen: true },
    ...{ id: mint('event'), at: now, citizenId, notification: notification.id },
    channel: delivery.channel,
  } as const;
  const statements = [
    ...proofStatements(notification.id, delivery, now),
    updateStatus(notification, 'read', now),
    skipUnneeded(notification.id, now),
    ...recordUndeliverable(notification, 'read'),
    insertFeedEvent(notification, 'read', event),
  ];
  return { events: [event], statements };
}

/** A mail whose outcome was lost, or that seemed to have failed, did arrive when its link is used. */
function wasHandedOver({ state }: Delivery): boolean {
  return ['sending', 'sent', 'delivered', 'failed', 'unknown'].includes(state.status);
}

/** Proves the delivery, unless its provider did so before, or the call of the provider has not ended. */
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
