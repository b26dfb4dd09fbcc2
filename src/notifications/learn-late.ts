import type { Clock } from '../kernel/clock.ts';
import type { DeliveryId, Mint } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { Read } from '../store/db.ts';
import { againstOthers } from './against-others.ts';
import { changeEnded, findDeliveries, findNotificationOf } from './delivery-store.ts';
import { keepFailed, keepUndeliverable } from './history-store.ts';
import { nextStep } from './next-step.ts';
import { type Delivery, deliveryMoves, foldStatus, outlineOf } from './notification.ts';
import { findNotification, moveTo } from './notification-store.ts';
import type { ReasonCode } from './reason.ts';
import { tell } from './webhooks/feed-store.ts';

/** What a provider said later about a message that it had taken: by a receipt, a bounce, a returned letter. */
export type LateWord =
  | { readonly delivery: DeliveryId; readonly ended: 'delivered' }
  | { readonly delivery: DeliveryId; readonly ended: 'failed'; readonly reason: ReasonCode };

export type LateParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
};

/**
 * Learns better: `sent` or `unknown` become `delivered` or `failed`, and `failed` may still become `delivered`. Gives
 * whether anything changed; a word that comes twice, or about what is unknown here, changes nothing.
 */
export async function learnLate(parts: LateParts, word: LateWord): Promise<boolean> {
  return await againstOthers(() => learnOnce(parts, word));
}

async function learnOnce({ read, commit, clock, mint }: LateParts, word: LateWord): Promise<boolean> {
  const id = await findNotificationOf(read, word.delivery);
  const notification = id === undefined ? undefined : await findNotification(read, id);
  if (notification === undefined) return false;
  const deliveries = await findDeliveries(read, notification.id);
  const before = deliveries.find((delivery) => delivery.id === word.delivery);
  const from = before?.state.status;
  if (before === undefined || from === undefined || from === 'queued' || from === 'sending') return false;
  if (!deliveryMoves[from].includes(word.ended)) return false;
  const now = clock.now();
  const after = deliveries.map((delivery): Delivery => {
    if (delivery.id !== word.delivery) return delivery;
    return {
      ...delivery,
      state:
        word.ended === 'delivered'
          ? { status: 'delivered', endedAt: now }
          : { status: 'failed', endedAt: now, reason: word.reason },
    };
  });
  const status = foldStatus(notification.status, after.map(outlineOf), now >= notification.deliverBy);
  const reason = word.ended === 'failed' ? word.reason : undefined;
  const event = {
    type: 'notification.delivery-ended',
    actor: { process: 'delivery' },
    ...{ id: mint('event'), at: now, citizenId: notification.citizenId },
    ...{ notification: notification.id, delivery: before.id, channel: before.channel, outcome: word.ended, reason },
  } as const;
  await commit({
    events: [event],
    statements: [
      changeEnded({ id: before.id, from, to: word.ended, reason: reason ?? null, now }),
      moveTo(notification, status, now),
      ...nextStep(deliveries, before, word.ended, now),
      ...keepFailed(notification.id, before),
      ...keepUndeliverable(notification, status),
      tell(notification, status, event),
    ],
  });
  return true;
}
