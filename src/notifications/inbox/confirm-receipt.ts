import { timingSafeEqual } from 'node:crypto';
import type { SliceDeps } from '../../api/slice.ts';
import { baseUrlForLinks } from '../../config/public-url.ts';
import type { Read, Statement } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hmacString } from '../../kernel/hashing.ts';
import { type DeliveryId, type IdGenerator, type NotificationId, parseId } from '../../kernel/id.ts';
import type { Commit, Effect } from '../../ledger/commit.ts';
import { findNotificationOfDelivery, updateEndedDelivery } from '../delivery/late-report-store.ts';
import { confirmationEndsCascade, isReceiptConfirmed } from '../legal-effect/confirmation.ts';
import { findDeliveries, skipUnneeded } from '../notification/delivery-store.ts';
import { type Delivery, foldStatus } from '../notification/notification.ts';
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
 * Confirms the receipt of a mail: somebody pressed the button of its page. This proves the delivery and makes the notification
 * `delivered`, never `read`: that person did not sign in or open the message. Returns false when the delivery does not exist or was
 * never handed to a provider. A second confirmation changes nothing.
 */
export async function confirmReceipt(deps: ConfirmDeps, delivery: DeliveryId): Promise<boolean> {
  return await retryOnConflict(async () => {
    const effect = await confirmationEffect(deps, delivery, 'link');
    if (effect === undefined || effect === 'known') return effect === 'known';
    await deps.commit(effect);
    return true;
  });
}

/**
 * The notification and the delivery of a link, and whether the receipt was confirmed before by any link. Undefined when the delivery does
 * not exist or its mail cannot have left yet.
 */
export async function findConfirmableMail(read: Read, id: DeliveryId) {
  const notificationId = await findNotificationOfDelivery(read, id);
  const notification = notificationId === undefined ? undefined : await findNotification(read, notificationId);
  if (notification === undefined) return undefined;
  const delivery = (await findDeliveries(read, notification.id)).find((one) => one.id === id);
  if (delivery === undefined) return undefined;
  if (notification.status !== 'read' && !wasHandedOver(delivery)) return undefined;
  return { notification, delivery, isConfirmed: await isReceiptConfirmed(read, notification) };
}

/**
 * The effect of a confirmation; `known` when the message is confirmed or read already, undefined when there is no such message. `link`:
 * somebody pressed the button of a link. `code`: the signed-in citizen entered the code that is the content of the message, and so has
 * read it.
 */
export async function confirmationEffect(
  { read, clock, createId }: Omit<ConfirmDeps, 'commit'>,
  id: DeliveryId,
  by: 'link' | 'code',
): Promise<Effect | 'known' | undefined> {
  const found = await findConfirmableMail(read, id);
  if (found === undefined) return undefined;
  const { notification, delivery, isConfirmed } = found;
  if (isConfirmed || notification.status === 'read') return 'known';
  const now = clock.now();
  const { id: notificationId, citizenId } = notification;
  const proved = [{ ...delivery, state: { status: 'delivered' } }] as const;
  const status = by === 'code' ? 'read' : foldStatus(notification.status, proved, false);
  const head = { id: createId('event'), at: now, citizenId, notification: notificationId };
  const newStatus = status === notification.status ? undefined : status;
  const event =
    by === 'code'
      ? ({ type: 'notification.opened', actor: { citizen: true }, ...head, newStatus } as const)
      : // The actor is not the citizen, because the page needs no sign-in.
        ({
          type: 'notification.confirmed',
          actor: { process: 'delivery' },
          ...head,
          channel: delivery.channel,
          newStatus,
        } as const);
  const skipReason = by === 'code' ? 'already-read' : 'receipt-confirmed';
  const statements = [
    ...proofStatements(notificationId, delivery, now),
    recordConfirmed(notificationId, delivery, now),
    updateStatus(notification, status, now),
    ...(confirmationEndsCascade(notification) ? [skipUnneeded(notificationId, skipReason, now)] : []),
    ...recordUnproven(notification, status),
    insertFeedEvent(notification, status, event),
  ];
  return { events: [event], statements };
}

/** A used link proves that the mail arrived, even if its outcome was lost or was a failure. */
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
  ];
}
