import type { Claim } from '../../jobs/claim.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DeliveryId, Mint } from '../../kernel/id.ts';
import type { Commit } from '../../ledger/commit.ts';
import type { Actor } from '../../ledger/event.ts';
import type { Read } from '../../store/db.ts';
import { againstOthers } from '../against-others.ts';
import { findDeliveries } from '../delivery/delivery-store.ts';
import { nextStep } from '../delivery/next-step.ts';
import { keepDelivered, keepFailed, keepUndeliverable, wasTakenBack } from '../evidence/history-store.ts';
import {
  type Delivery,
  type DeliveryState,
  deliveryMoves,
  foldStatus,
  type Notification,
  outlineOf,
} from '../notification.ts';
import { findNotification, moveTo } from '../notification-store.ts';
import type { ReasonCode } from '../reason.ts';
import { tell } from '../webhooks/feed-store.ts';
import { changeEnded, findNotificationOf, keepEarlyWord } from './late-word-store.ts';

/** Which message a provider speaks of; `attempt` where its word names it. */
export type SpokenOf = { readonly delivery: DeliveryId; readonly attempt?: number };

/** What a provider said later about a message that it had taken: by a receipt, a bounce, a returned letter. */
export type LateWord = SpokenOf &
  ({ readonly ended: 'delivered' } | { readonly ended: 'failed'; readonly reason: ReasonCode });

/** What was known of an attempt that another had given up: its provider did answer. */
export type LateAnswer = LateWord | (SpokenOf & { readonly ended: 'sent'; readonly providerRef?: string | undefined });

export type LateParts = {
  readonly read: Read;
  readonly commit: Commit;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly mint: Mint;
  /** Who tells it, where that is a person. */
  readonly actor?: Actor;
};

/**
 * Learns better: `sent` or `unknown` become `delivered` or `failed`, `failed` may still become `delivered`, and `delivered` failed. A word may
 * overtake the answer to the call that it is about, or meet an attempt whose process was lost: it is kept with the attempt,
 * and `settle` puts it into the outcome. Gives whether anything was stored; a word that comes twice, or about what is
 * unknown here, changes nothing.
 */
export async function learnLate(parts: LateParts, word: LateAnswer): Promise<boolean> {
  return await againstOthers(() => learnOnce(parts, word));
}

async function learnOnce(parts: LateParts, word: LateAnswer): Promise<boolean> {
  const { read, commit, clock, mint } = parts;
  const id = await findNotificationOf(read, word.delivery);
  const notification = id === undefined ? undefined : await findNotification(read, id);
  if (notification === undefined) return false;
  const deliveries = await findDeliveries(read, notification.id);
  const before = deliveries.find((delivery) => delivery.id === word.delivery);
  if (before === undefined || isKnown(before, word)) return false;
  if (before.state.status === 'sending' && before.state.startedAt !== undefined) return await keep(parts, before, word);
  if (!canLearn(before, word) || (await isSettled(read, notification, before, word))) return false;
  const now = clock.now();
  const after = deliveries.map((delivery): Delivery => {
    if (delivery.id !== word.delivery) return delivery;
    const state: DeliveryState =
      word.ended === 'failed'
        ? { status: word.ended, endedAt: now, reason: word.reason }
        : { status: word.ended, endedAt: now };
    return { ...delivery, state };
  });
  const status = foldStatus(notification.status, after.map(outlineOf), now >= notification.deliverBy);
  const reason = word.ended === 'failed' ? word.reason : undefined;
  const providerRef = word.ended === 'sent' ? word.providerRef : undefined;
  const event = {
    type: 'notification.delivery-ended',
    actor: parts.actor ?? { process: 'delivery' },
    ...{ id: mint('event'), at: now, citizenId: notification.citizenId },
    ...{ notification: notification.id, delivery: before.id, channel: before.channel, outcome: word.ended, reason },
  } as const;
  await commit({
    events: [event],
    statements: [
      changeEnded({
        ...{ id: before.id, from: before.state.status, to: word.ended },
        reason: reason ?? null,
        providerRef,
        now,
      }),
      moveTo(notification, status, now),
      ...nextStep(deliveries, before, word.ended, now),
      ...keepFailed(notification.id, before),
      ...keepDelivered(notification.id, before),
      ...keepUndeliverable(notification, status),
      tell(notification, status, event),
    ],
  });
  return true;
}

/** That an attempt failed which another has followed: it was made for that. */
function isKnown({ attempts }: Delivery, { ended, attempt = attempts }: LateAnswer): boolean {
  return ended === 'failed' && attempt < attempts;
}

/** Before an attempt runs, a word is about one before it: that it failed is known, and that it arrived ends the matter. */
function canLearn({ attempts, state }: Delivery, { ended }: LateAnswer): boolean {
  const before = state.status === 'queued' ? attempts : attempts - 1;
  if ((state.status === 'queued' || state.status === 'sending') && (before === 0 || ended !== 'delivered'))
    return false;
  return deliveryMoves[state.status].includes(ended);
}

/**
 * What no provider can say anything about any more. A delivery stays one where the citizen has read the message, and where it was
 * to a phone; a mail may come back later from the system that had taken it. Of that the first word is worth nothing then, however
 * often it is repeated: the two would take turns for ever. Whoever calls a mail unwanted has it.
 */
async function isSettled(
  read: Read,
  { id, status }: Notification,
  delivery: Delivery,
  word: LateAnswer,
): Promise<boolean> {
  const isUnwanted = word.ended === 'failed' && word.reason === 'message-refused';
  if (delivery.state.status === 'delivered') return status === 'read' || delivery.channel !== 'email' || isUnwanted;
  return await wasTakenBack(read, id, delivery);
}

/** A proof is kept in place of a failure, and not the other way round. */
async function keep({ claim }: LateParts, { id, attempts, state }: Delivery, word: LateAnswer): Promise<boolean> {
  if (word.ended === 'sent') return false;
  const heard = state.status === 'sending' ? state.earlyWord : undefined;
  if (heard === 'delivered' || (heard !== undefined && word.ended === 'failed')) return false;
  await claim(keepEarlyWord({ id, attempts, word: word.ended === 'failed' ? word.reason : word.ended, heard }));
  return true;
}
