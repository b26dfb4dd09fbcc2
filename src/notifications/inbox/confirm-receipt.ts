import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { hmacText } from '../../kernel/hashing.ts';
import { type DeliveryId, type Mint, type NotificationId, parseId } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import type { Read, Statement } from '../../store/db.ts';
import { againstOthers } from '../against-others.ts';
import { changeEnded, findNotificationOf } from '../callbacks/late-word-store.ts';
import { endUnneeded } from '../delivery/cascade-store.ts';
import { findDeliveries } from '../delivery/delivery-store.ts';
import { keepConfirmed, keepFailed, keepUndeliverable } from '../evidence/history-store.ts';
import type { Delivery, Notification } from '../notification.ts';
import { findNotification, moveTo } from '../notification-store.ts';
import { tell } from '../webhooks/feed-store.ts';

/** Where a citizen confirms the receipt of a mail; the token is the last part of the path. */
export const confirmPath = '/received';

/** The links in mails, each for one delivery, and what they are for. */
export type ConfirmLinks = {
  of(delivery: DeliveryId): string;
  /** The delivery that a token was made for; undefined for any other text. */
  find(token: string): DeliveryId | undefined;
};

const markLength = 32;

/** Links under the public address of the server. Their mark keeps anyone from confirming what was not sent to them. */
export function createConfirmLinks(publicUrl: string, key: Uint8Array): ConfirmLinks {
  const markOf = (delivery: string) => hmacText(key, delivery, 'base64url').slice(0, markLength);
  return {
    of: (delivery) => `${publicUrl}${confirmPath}/${delivery}.${markOf(delivery)}`,
    find: (token) => {
      const [, id = '', mark = ''] = /^(dlv_\w{26})\.([\w-]{32})$/.exec(token) ?? [];
      const delivery = parseId('delivery', id);
      if (delivery === undefined) return undefined;
      return timingSafeEqual(Buffer.from(markOf(delivery)), Buffer.from(mark)) ? delivery : undefined;
    },
  };
}

export type ConfirmParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
};

/**
 * The citizen pressed the button behind the link of a mail: that proves the delivery, and makes the notification `read`.
 * False where there is no such delivery, or where it was never handed to a provider. A second time changes nothing.
 */
export async function confirmReceipt(parts: ConfirmParts, delivery: DeliveryId): Promise<boolean> {
  return await againstOthers(async () => {
    const effect = await confirmation(parts, delivery);
    if (effect === undefined || effect === 'before') return effect === 'before';
    await parts.commit(effect);
    return true;
  });
}

/** A notification of which a mail has left, and that mail's delivery. */
type MailedOut = { readonly notification: Notification; readonly delivery: Delivery };

/** What the link of a delivery is about; undefined where there is no such delivery, or where nobody can have got the link by it. */
export async function findMailedOut(read: Read, id: DeliveryId): Promise<MailedOut | undefined> {
  const of = await findNotificationOf(read, id);
  const notification = of === undefined ? undefined : await findNotification(read, of);
  if (notification === undefined) return undefined;
  const delivery = (await findDeliveries(read, notification.id)).find((one) => one.id === id);
  if (delivery === undefined) return undefined;
  return notification.status === 'read' || wasHandedOver(delivery) ? { notification, delivery } : undefined;
}

/** The effect of that proof; `before` where there is one. */
export async function confirmation(
  { read, clock, mint }: Omit<ConfirmParts, 'commit'>,
  id: DeliveryId,
): Promise<Effect | 'before' | undefined> {
  const found = await findMailedOut(read, id);
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
    ...proof(notification.id, delivery, now),
    moveTo(notification, 'read', now),
    endUnneeded(notification.id, now),
    ...keepUndeliverable(notification, 'read'),
    tell(notification, 'read', event),
  ];
  return { events: [event], statements };
}

/** A mail whose outcome was lost, or that seemed to have failed, did arrive when its link is used. */
function wasHandedOver({ state }: Delivery): boolean {
  return ['sending', 'sent', 'delivered', 'failed', 'unknown'].includes(state.status);
}

/** Proves the delivery, unless its provider did so before, or the call of the provider has not ended. */
function proof(notification: NotificationId, delivery: Delivery, now: number): Statement[] {
  const { id, state } = delivery;
  const from = state.status;
  if (from !== 'sent' && from !== 'failed' && from !== 'unknown') return [];
  return [
    changeEnded({ id, from, to: 'delivered', reason: null, now }),
    ...keepFailed(notification, delivery),
    keepConfirmed(notification, delivery, now),
  ];
}
