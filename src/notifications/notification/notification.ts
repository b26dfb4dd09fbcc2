import type { DeliveryId, EventId, NotificationId } from '../../kernel/id.ts';
import type { ReasonCode } from './reason.ts';

/**
 * A notification is one message to one citizen, with one delivery for each channel. Its status is derived from its deliveries by these
 * rules:
 *
 * - The inbox is on this server: its delivery is `sent` when the message is in the inbox, and `delivered` when the citizen opens it.
 *   The other channels are external: `sent` when the provider accepted the message, `delivered` only with the provider's proof.
 * - `sending`: an external channel has started, will retry, or is `sent` without proof. A copy in the inbox alone does not start it,
 *   unless the inbox is the only channel.
 * - `delivered`: one channel has its proof. `read`: the citizen opened the message, which also proves the delivery.
 * - A notification ends without proof when all external channels have ended, none of them `sent`, or when `deliverBy` has passed. Its
 *   status then says the most that is known: `sent` if a channel handed the message over, else `unknown` if a channel may have done so
 *   (its outcome was lost, or its attempt still runs at `deliverBy`), else `undeliverable`: every channel failed.
 * - An unopened copy in the inbox is no success of another channel, because nothing has notified the citizen of it. For a citizen
 *   without an email address the email delivery is `skipped` with `no-contact`, and the notification is `undeliverable` at once, so
 *   that the sender can act before `deliverBy`. If the citizen opens the inbox later, the notification becomes `delivered` and `read`.
 * - A queued reminder is not an external channel of its own: it does not count when the first message by its channel ended without
 *   success.
 * - With the inbox as the only channel the notification stays `sending` until it is opened. At `deliverBy` it becomes `sent`.
 * - A notification to an unknown citizen is accepted; every delivery then fails with `citizen-unknown`, or with `citizen-deceased` when
 *   the register marks the citizen as deceased.
 * - A failure after a proof changes nothing: a mail that bounces after its delivery makes that delivery `failed`, and the cascade
 *   continues, unless the citizen has read the message. `sent`, `unknown` and `undeliverable` change when more becomes known: a proof
 *   makes them `delivered`, a bounce makes `sent` `undeliverable`, and a response that arrives late makes `unknown` `sent`.
 */

/** Channels that can disturb: a citizen can decline them or set hours for them. */
export const declinableChannelNames = ['email', 'sms'] as const;

/** The channels that send outside this server. */
export const externalChannelNames = [...declinableChannelNames, 'letter'] as const;

/** All channels, the inbox first. */
export const channelNames = ['inbox', ...externalChannelNames] as const;
/** The name of a channel. */
export type ChannelName = (typeof channelNames)[number];

/** The categories of messages; `urgent` ones are sent first and ignore quiet hours. */
export const categories = ['information', 'decision', 'reminder', 'urgent'] as const;
/** The category of a message. */
export type Category = (typeof categories)[number];

/** The statuses of a notification; the rules are at the top of this file. */
export const notificationStatuses = [
  'accepted',
  'scheduled',
  'sending',
  'sent',
  'delivered',
  'read',
  'unknown',
  'undeliverable',
  'cancelled',
] as const;
/** The status of a notification. */
export type NotificationStatus = (typeof notificationStatuses)[number];

/** The final statuses without a proof of delivery, the one that says the most first. */
export const unprovenStatuses = ['sent', 'unknown', 'undeliverable'] as const;
/** A final status without a proof of delivery. */
type UnprovenStatus = (typeof unprovenStatuses)[number];

/** Whether a notification with this status has ended without a proof of delivery. */
export function isUnproven(status: string): status is UnprovenStatus {
  return unprovenStatuses.some((unproven) => unproven === status);
}

/** The statuses of a delivery. `unknown`: the outcome of an attempt was lost. */
export const deliveryStatuses = ['queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'skipped'] as const;
/** The status of a delivery. */
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The allowed transitions of a delivery. A late proof can change `sent`, `failed` and `unknown`, and also a delivery that is queued for
 * its next attempt. A `delivered` mail can bounce once: a mail system can accept a mail and later fail to deliver it.
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

/** A stored notification without its content (times in epoch ms). */
export type Notification = {
  readonly id: NotificationId;
  readonly clientId: string;
  readonly citizenId: string;
  readonly reference: string | null;
  readonly category: Category;
  /** The language that the sender named; null: the citizen's language at the time when it is shown. */
  readonly language: string | null;
  readonly createdAt: number;
  readonly sendAt: number | null;
  readonly deliverBy: number;
  /** The rule of `legal-effect/legal-effect.ts` that the sender named. */
  readonly legalEffect: string | null;
  /** Whether its mails and text messages only say that there is a message, and nothing of its content. */
  readonly noticeOnly: boolean;
  readonly acceptedEvent: EventId;
  /** Grows with every change, so that two deliveries that end at the same time cannot both derive the status from old rows. */
  readonly revision: number;
  readonly status: NotificationStatus;
  /** When it got this status. */
  readonly statusAt: number;
};

/** A provider report that arrived before the outcome of the attempt was stored: `delivered`, or the reason of the failure. */
export type EarlyReport = 'delivered' | ReasonCode;

/** The state of a delivery with the facts that are true in it (times in epoch ms). */
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

/** The delivery of a notification by one channel. */
export type Delivery = {
  readonly id: DeliveryId;
  readonly channel: ChannelName;
  /** True when it repeats the message that the same channel has sent. */
  readonly reminder: boolean;
  /** How often a worker has claimed it. */
  readonly attempts: number;
  readonly state: DeliveryState;
};

/** The part of a delivery from which `foldStatus` derives the status. */
export type DeliveryOutline = Pick<Delivery, 'channel' | 'reminder' | 'attempts'> & {
  readonly state: Pick<DeliveryState, 'status'>;
};

/** The deliveries that decide the status: the external ones, or the inbox when it is the only channel. */
function decisiveDeliveries<D extends { readonly channel: ChannelName }>(deliveries: readonly D[]): readonly D[] {
  const external = deliveries.filter((delivery) => delivery.channel !== 'inbox');
  return external.length > 0 ? external : deliveries;
}

/** Derives the status of a notification from its deliveries, by the rules at the top of this file. `overdue`: `deliverBy` has passed. */
export function foldStatus(
  current: NotificationStatus,
  deliveries: readonly DeliveryOutline[],
  overdue: boolean,
): NotificationStatus {
  const isProved = deliveries.some(({ state }) => state.status === 'delivered');
  switch (current) {
    case 'read':
    case 'delivered':
    case 'cancelled':
      return current;
    case 'sent':
    case 'unknown':
    case 'undeliverable':
      return isProved ? 'delivered' : unprovenStatusOf(deliveries);
    case 'accepted':
    case 'scheduled':
    case 'sending': {
      if (isProved) return 'delivered';
      const decisive = decisiveDeliveries(deliveries).filter((delivery) => !isUnneededReminder(delivery, deliveries));
      if (overdue || decisive.every(({ state }) => endedWithoutSuccess(state.status))) {
        return unprovenStatusOf(deliveries);
      }
      return decisive.some(({ state, attempts }) => state.status !== 'queued' || attempts > 0) ? 'sending' : current;
    }
  }
}

/** The most that is known of a notification that ended without proof. An attempt that still runs may hand the message over. */
function unprovenStatusOf(deliveries: readonly DeliveryOutline[]): UnprovenStatus {
  const statuses = new Set(decisiveDeliveries(deliveries).map(({ state }) => state.status));
  if (statuses.has('sent')) return 'sent';
  return statuses.has('unknown') || statuses.has('sending') ? 'unknown' : 'undeliverable';
}

/** Whether a delivery is a queued reminder of a message that ended without success. */
function isUnneededReminder(
  { channel, reminder, state }: DeliveryOutline,
  deliveries: readonly DeliveryOutline[],
): boolean {
  if (!reminder || state.status !== 'queued') return false;
  return deliveries.every((one) => one.channel !== channel || one.reminder || endedWithoutSuccess(one.state.status));
}

/** True for the states after which only a late proof can make the delivery successful. */
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

/** Why a notification ended without proof. If it is undeliverable: the reason of the last channel that failed, else the deadline. */
export function unprovenReasonOf(status: UnprovenStatus, deliveries: readonly Delivery[]): ReasonCode {
  const decisive = decisiveDeliveries(deliveries);
  if (status === 'sent') return decisive.every(({ channel }) => channel === 'inbox') ? 'unopened' : 'no-proof';
  if (status === 'unknown') return 'outcome-unknown';
  const ended = decisive.flatMap(({ state, reminder }) => ('reason' in state && !reminder ? [state] : []));
  const last = ended.sort((left, right) => right.endedAt - left.endedAt)[0];
  return last?.reason ?? 'deadline-passed';
}
