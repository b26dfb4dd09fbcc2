import type { DeliveryId, EventId, NotificationId } from '../../kernel/id.ts';
import type { ReasonCode } from './reason.ts';

/**
 * A notification is one logical message to one citizen; it has one delivery for each channel. Its status is the fold of
 * what its deliveries came to, and these are the rules:
 *
 * - The inbox is in this house: its delivery is `sent` once the message lies there, sealed but readable by the citizen,
 *   and `delivered` only when the citizen opens it. The other channels leave the house: `sent` once the provider took
 *   the message, `delivered` only with the provider's proof.
 * - `sending`: a channel that leaves is at work, has to try again, or is `sent` without proof. A copy in the inbox alone
 *   does not begin it, unless the inbox is the only channel.
 * - `delivered`: one channel has its proof. `read`: the citizen opened the message, which proves delivery as well.
 * - `undeliverable`: every channel that leaves ended without success (`failed`, `skipped`, `unknown`), or `deliverBy`
 *   passed. The copy in the inbox is no success as long as it is unopened: nobody has told the citizen that it is there.
 *   So a citizen without an email address gets the message into the inbox, the email delivery is `skipped` with
 *   `no-contact`, and the notification is `undeliverable` at once: the sender learns today, not at `deliverBy`, that
 *   another way is needed. When the citizen opens the inbox after all, that is the late proof: `delivered`, `read`.
 * - A reminder that waits is no way of its own: it counts for nothing once the first message by its channel has ended
 *   without success.
 * - With the inbox as the only channel the notification stays `sending` until it is opened or `deliverBy` passes.
 * - A citizen whom the register does not know is accepted like anyone; every delivery then fails with `citizen-unknown`,
 *   and with `citizen-deceased` where the register says that the citizen has died.
 * - What has ended stays: a failure after a proof changes nothing, and only a proof leads out of `undeliverable`. A mail that
 *   comes back behind its delivery ends that delivery as `failed`, and the cascade goes on; unless the citizen has read it.
 */

/** Channels that speak at some hour of the day: a citizen can decline them, or name hours for them. */
export const declinableChannelNames = ['email', 'sms'] as const;

/** The channels that leave the house. */
export const externalChannelNames = [...declinableChannelNames, 'letter'] as const;

/** All of them, the inbox first. */
export const channelNames = ['inbox', ...externalChannelNames] as const;
export type ChannelName = (typeof channelNames)[number];

export const categories = ['information', 'decision', 'reminder', 'urgent'] as const;
export type Category = (typeof categories)[number];

export const notificationStatuses = [
  'accepted',
  'scheduled',
  'sending',
  'delivered',
  'read',
  'undeliverable',
  'cancelled',
] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

/** The only legal moves of a notification. One unit may make several in a row: `accepted`, `sending`, `delivered`. */
export const notificationTransitions: Readonly<Record<NotificationStatus, readonly NotificationStatus[]>> = {
  accepted: ['scheduled', 'sending', 'cancelled'],
  scheduled: ['sending', 'cancelled'],
  sending: ['delivered', 'undeliverable'],
  delivered: ['read'],
  read: [],
  undeliverable: ['delivered'],
  cancelled: [],
};

export const deliveryStatuses = ['queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The only legal moves of a delivery. `sent`, `failed` and `unknown` may still learn better from a late proof, and so may
 * one that waits for its next attempt: the last one did arrive. A mail that a provider called
 * `delivered` may still come back, once: a mail system takes a mail and finds later that it cannot place it.
 */
export const deliveryTransitions: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  queued: ['sending', 'delivered', 'failed', 'skipped'],
  sending: ['queued', 'sent', 'delivered', 'failed', 'unknown', 'skipped'],
  sent: ['delivered', 'failed'],
  delivered: ['failed'],
  failed: ['delivered'],
  unknown: ['sent', 'delivered', 'failed'],
  skipped: [],
};

export type Notification = {
  readonly id: NotificationId;
  readonly clientId: string;
  readonly citizenId: string;
  readonly reference: string | null;
  readonly category: Category;
  /** As its sender named it; null: the one of the citizen, whatever that is when it is shown. */
  readonly language: string | null;
  readonly createdAt: number;
  readonly sendAt: number | null;
  readonly deliverBy: number;
  /** The rule of `evidence/legal-effect.ts` that the sender named. */
  readonly legalEffect: string | null;
  readonly acceptedEvent: EventId;
  /** Grows with every change, so that two deliveries that end at once cannot both fold what they saw before. */
  readonly revision: number;
  readonly status: NotificationStatus;
  /** When it came into that status. */
  readonly statusAt: number;
};

/** What a provider said of an attempt before our own outcome of it was stored: `delivered`, or why it failed. */
export type EarlyReport = 'delivered' | ReasonCode;

/** What is true in each state of a delivery. */
export type DeliveryState =
  | { readonly status: 'queued'; readonly runAt: number; readonly lastReason?: ReasonCode }
  | {
      readonly status: 'sending';
      readonly lockedBy: string;
      readonly startedAt?: number;
      readonly earlyReport?: EarlyReport;
    }
  | { readonly status: 'sent' | 'delivered'; readonly endedAt: number; readonly providerRef?: string }
  | { readonly status: 'failed' | 'unknown' | 'skipped'; readonly endedAt: number; readonly reason: ReasonCode };

export type Delivery = {
  readonly id: DeliveryId;
  readonly channel: ChannelName;
  /** It tells again of what the same channel brought before. */
  readonly reminder: boolean;
  /** How often a worker took it, the present time included. */
  readonly attempts: number;
  readonly state: DeliveryState;
};

/** As much of a delivery as the fold looks at. */
export type DeliveryOutline = {
  readonly channel: ChannelName;
  readonly reminder?: boolean;
  readonly attempts: number;
  readonly status: DeliveryStatus;
};

/** The outline of a delivery. */
export function outlineOf(delivery: Delivery): DeliveryOutline {
  const { channel, reminder, attempts } = delivery;
  return { channel, reminder, attempts, status: delivery.state.status };
}

/** The deliveries that decide: those that leave the house, or the inbox where it is the only channel. */
function decisiveDeliveries<D extends { readonly channel: ChannelName }>(deliveries: readonly D[]): readonly D[] {
  const leaving = deliveries.filter((delivery) => delivery.channel !== 'inbox');
  return leaving.length > 0 ? leaving : deliveries;
}

/** The status that follows from its deliveries, by the rules at the top of this file. `overdue`: `deliverBy` passed. */
export function foldStatus(
  current: NotificationStatus,
  deliveries: readonly DeliveryOutline[],
  overdue: boolean,
): NotificationStatus {
  switch (current) {
    case 'read':
    case 'delivered':
    case 'cancelled':
      return current;
    case 'undeliverable':
      return deliveries.some((delivery) => delivery.status === 'delivered') ? 'delivered' : current;
    case 'accepted':
    case 'scheduled':
    case 'sending': {
      if (deliveries.some((delivery) => delivery.status === 'delivered')) return 'delivered';
      const decisive = decisiveDeliveries(deliveries).filter((delivery) => !isUnneededReminder(delivery, deliveries));
      if (overdue || decisive.every((delivery) => endedWithoutSuccess(delivery.status))) return 'undeliverable';
      return decisive.some((delivery) => delivery.status !== 'queued' || delivery.attempts > 0) ? 'sending' : current;
    }
  }
}

/** A reminder that waits, of a message that did not reach the citizen as far as is known. */
function isUnneededReminder(
  { channel, reminder, status }: DeliveryOutline,
  deliveries: readonly DeliveryOutline[],
): boolean {
  if (reminder !== true || status !== 'queued') return false;
  return deliveries.every((one) => one.channel !== channel || one.reminder || endedWithoutSuccess(one.status));
}

/** True for the states of a delivery after which only a late proof can bring success. */
function endedWithoutSuccess(status: DeliveryStatus): boolean {
  switch (status) {
    case 'failed':
    case 'unknown':
    case 'skipped':
      return true;
    case 'queued':
    case 'sending':
    case 'sent':
    case 'delivered':
      return false;
  }
}

/** Why an undeliverable notification is so: the reason of the last channel that ended, or what the deadline cut off. */
export function undeliverableReasonOf(deliveries: readonly Delivery[]): ReasonCode {
  const decisive = decisiveDeliveries(deliveries);
  const sent = decisive.find((delivery) => delivery.state.status === 'sent');
  if (sent !== undefined) return sent.channel === 'inbox' ? 'unopened' : 'no-proof';
  const ended = decisive.flatMap(({ state, reminder }) => ('reason' in state && !reminder ? [state] : []));
  const last = ended.sort((left, right) => right.endedAt - left.endedAt)[0];
  return last?.reason ?? 'deadline-passed';
}
