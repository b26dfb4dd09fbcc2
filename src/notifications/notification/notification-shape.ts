import { type TLiteral, type TObjectOptions, type TProperties, type TUnion, Type } from 'typebox';
import type { Caller } from '../../auth/caller.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { languageTagPattern } from '../../kernel/language-tag.ts';
import type { Attempt } from './delivery-store.ts';
import {
  categories,
  channelNames,
  type Delivery,
  deliveryStatuses,
  isUnproven,
  type Notification,
  notificationStatuses,
  unprovenReasonOf,
} from './notification.ts';
import type { HistoryEntry } from './notification-history-store.ts';
import { notificationReasonOf, reasonCodes, reasonOf } from './reason.ts';

type LiteralUnion<W extends readonly string[]> = TUnion<{ -readonly [I in keyof W]: TLiteral<W[I]> }>;

/** A schema for one of these string literals. */
export function literalUnion<const W extends readonly string[]>(words: W, description?: string): LiteralUnion<W> {
  const literals = words.map((word) => Type.Literal(word));
  // `map` keeps the length and order of the tuple, but its type does not say so.
  return Type.Union(literals, description === undefined ? {} : { description }) as unknown as LiteralUnion<W>;
}

/** A schema for a language tag in a request (BCP 47). */
export const languageTagSchema = (description: string) =>
  Type.String({ maxLength: 35, pattern: languageTagPattern, description });

const closedObject = <P extends TProperties>(properties: P, options: TObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });
/** A schema for an instant in an answer. */
export const instantSchema = (description: string) => Type.String({ format: 'date-time', description });
/** A schema for an optional instant in a request. */
export const optionalInstantSchema = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }));
const nullableString = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** The path parameters of the operations on one notification. */
export const notificationParams = closedObject({
  id: Type.String({
    maxLength: 64,
    description: 'The id of the notification, from the response of the send operation.',
  }),
});

/** The schema of a reason why a channel did not succeed, or would not. */
export const reasonShape = closedObject(
  {
    code: literalUnion(
      reasonCodes,
      'The code of the reason, for programs. The member detail has its meaning, which never changes.',
    ),
    retryable: Type.Boolean({
      description: 'true if you can send the same message again later. false if the citizen could receive it twice.',
    }),
    whoActs: literalUnion(
      ['citizen', 'sender', 'operator', 'nobody'],
      'The party that must act first: the citizen, the sender (your client), the operator of this server, or nobody.',
    ),
    detail: Type.String(),
  },
  { $id: 'NotificationReason', description: 'The reason, and who has to act.' },
);

const deliveryShape = closedObject(
  {
    id: Type.String(),
    channel: literalUnion(channelNames, 'The channel: inbox, email, sms or letter.'),
    reminder: Type.Optional(
      Type.Boolean({ description: 'true for a reminder of an unread message, otherwise absent.' }),
    ),
    status: literalUnion(
      deliveryStatuses,
      'queued: it waits for an attempt. sending: an attempt is running. sent: the provider accepted the message. delivered: there is proof that the citizen received it. unknown: it may have arrived, and the server does not send it again. failed, skipped: see the member reason.',
    ),
    attempts: Type.Integer({ description: 'The number of times that the server called the provider.' }),
    nextAttemptAt: Type.Optional(
      instantSchema(
        'The earliest time of the next attempt, while the delivery is queued. For the first attempt, it is shown only with the scope citizens:known.',
      ),
    ),
    endedAt: Type.Optional(instantSchema('The time at which the delivery reached its last status. Absent until then.')),
    reason: Type.Optional(reasonShape),
  },
  { $id: 'NotificationDelivery' },
);

const timelineEvents = [
  'accepted',
  'scheduled',
  'sending',
  'retry',
  'sent',
  'delivered',
  'failed',
  'unknown',
  'skipped',
  'confirmed',
  'read',
  'undeliverable',
  'cancelled',
] as const;

const timelineShape = closedObject(
  {
    at: instantSchema('The time of the event.'),
    event: literalUnion(
      timelineEvents,
      'The event: a status of the notification or of a delivery. retry: an attempt failed, and the server tries again.',
    ),
    channel: Type.Optional(
      literalUnion(channelNames, 'The channel of the event. Absent if the event concerns the whole notification.'),
    ),
    attempt: Type.Optional(
      Type.Integer({
        description:
          'The number of the attempt, which is also part of the Message-ID of a mail. Absent for other events.',
      }),
    ),
    reason: Type.Optional(reasonShape),
  },
  { $id: 'NotificationEvent' },
);

/** The description of a status in the schemas of records and events. */
export const statusDescription =
  'accepted: the delivery follows. scheduled: it waits for sendAt. sending: a channel has started. sent: a provider accepted the message, without proof of delivery. delivered: there is proof. read: the citizen opened it. unknown: it may have arrived, and the server does not send it again. undeliverable: every channel failed. cancelled: the sender cancelled it.';

const summaryProperties = {
  id: Type.String(),
  citizenId: Type.String(),
  reference: nullableString('The reference of the sender. null: it sent none.'),
  category: literalUnion(categories, 'The category that the sender chose: information, decision, reminder or urgent.'),
  status: literalUnion(notificationStatuses, statusDescription),
  statusAt: instantSchema('The time at which the notification reached this status.'),
  createdAt: instantSchema('The time at which the server accepted the notification.'),
  sendAt: Type.Optional(instantSchema('The earliest time of sending. Absent if the sender requested none.')),
  legalEffect: Type.Optional(
    Type.String({
      description: 'The rule by which the notification counts as served. Absent if the sender requested none.',
    }),
  ),
  deliverBy: instantSchema(
    'The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable.',
  ),
  receipt: Type.String({ description: 'The path of the ledger receipt of the acceptance.' }),
  reason: Type.Optional(reasonShape),
  deliveries: Type.Array(deliveryShape, { description: 'The deliveries: one for each channel and reminder.' }),
};

/** The schema of a notification in a list. */
export const notificationSummaryShape = closedObject(summaryProperties, { $id: 'NotificationSummary' });

/** The schema of a notification with its deliveries and timeline. */
export const notificationShape = closedObject(
  {
    ...summaryProperties,
    language: nullableString('The language that the sender requested (BCP 47). null: none.'),
    timeline: Type.Array(timelineShape, { description: 'All events, the oldest first.' }),
  },
  { $id: 'Notification' },
);

/** A notification with its deliveries and attempts. */
export type NotificationWithDeliveries = {
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  readonly attempts: readonly Attempt[];
};

/** A notification with its deliveries, attempts and history. */
export type NotificationDetails = NotificationWithDeliveries & { readonly history: readonly HistoryEntry[] };

/** An entry of a timeline (`at` in epoch ms). */
export type TimelineEntry = {
  readonly at: number;
  /** The id of the notification or delivery. With `event` and `attempt` it identifies the entry permanently. */
  readonly subjectId: string;
  readonly event: (typeof timelineEvents)[number];
  readonly channel?: string;
  readonly attempt?: number;
  readonly reason?: Attempt['reason'];
  /** True when the citizen proved the delivery. */
  readonly confirmed?: boolean;
  /** True when it had failed before and was `delivered` in between. */
  readonly repeated?: boolean;
};

/**
 * The JSON of `notificationSummaryShape`. The times and reminders of untried channels depend on the citizen's preferences and show
 * whether the citizen exists, so only callers with the scope `citizens:known` see them.
 */
export function notificationSummaryOf(found: NotificationWithDeliveries, { scopes }: Pick<Caller, 'scopes'>) {
  const { id, citizenId, reference, category, status, statusAt, createdAt, sendAt, deliverBy, legalEffect } =
    found.notification;
  const mayKnowCitizen = scopes.has('citizens:known');
  const { attempts } = found;
  return {
    id,
    citizenId,
    reference,
    category,
    status,
    statusAt: formatInstant(statusAt),
    createdAt: formatInstant(createdAt),
    ...(sendAt === null ? {} : { sendAt: formatInstant(sendAt) }),
    ...(legalEffect === null ? {} : { legalEffect }),
    deliverBy: formatInstant(deliverBy),
    receipt: receiptPathOf(found.notification),
    ...reasonMemberOf(found),
    deliveries: shownDeliveriesOf(found, mayKnowCitizen).map((one) => deliveryView(one, { attempts, mayKnowCitizen })),
  };
}

function shownDeliveriesOf({ deliveries, attempts }: NotificationWithDeliveries, mayKnowCitizen: boolean) {
  return deliveries.filter((one) => mayKnowCitizen || !(one.reminder && isUntried(one, attempts)));
}

/** The JSON of `notificationShape`. */
export function notificationView(found: NotificationDetails, caller: Pick<Caller, 'scopes'>) {
  const deliveries = shownDeliveriesOf(found, caller.scopes.has('citizens:known'));
  return {
    ...notificationSummaryOf(found, caller),
    language: found.notification.language,
    timeline: timelineOf({ ...found, deliveries }).map(({ at, event, channel, attempt, reason }) => ({
      at: formatInstant(at),
      event,
      ...(channel === undefined ? {} : { channel }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
    })),
  };
}

function reasonMemberOf({ notification: { status }, deliveries }: NotificationWithDeliveries) {
  if (!isUnproven(status)) return {};
  const code = unprovenReasonOf(status, deliveries);
  return { reason: status === 'undeliverable' ? notificationReasonOf(code) : reasonOf(code) };
}

/** The path of the receipt of the acceptance. */
export function receiptPathOf(notification: Pick<Notification, 'acceptedEvent'>): string {
  return `/v1/receipts/${notification.acceptedEvent}`;
}

/**
 * Whether a delivery had no attempt: it is queued, or was queued when the sender withdrew the message. A worker may have claimed it and
 * queued it again because of the citizen's quiet hours.
 */
export function isUntried({ id, state }: Delivery, attempts: readonly Attempt[]): boolean {
  if (attempts.some(({ delivery }) => delivery === id)) return false;
  return state.status === 'queued' || (state.status === 'skipped' && state.reason === 'withdrawn');
}

type DeliveryViewOptions = { readonly attempts: readonly Attempt[]; readonly mayKnowCitizen: boolean };

function deliveryView(delivery: Delivery, { attempts, mayKnowCitizen }: DeliveryViewOptions) {
  const { id, channel, state, reminder } = delivery;
  const showsNextAttempt = state.status === 'queued' && (mayKnowCitizen || !isUntried(delivery, attempts));
  const running = state.status === 'sending' && state.startedAt !== undefined ? 1 : 0;
  const reason = state.status === 'queued' ? state.lastReason : 'reason' in state ? state.reason : undefined;
  return {
    id,
    channel,
    ...(reminder ? { reminder } : {}),
    status: state.status,
    attempts: attempts.filter((attempt) => attempt.delivery === id).length + running,
    ...(showsNextAttempt ? { nextAttemptAt: formatInstant(state.runAt) } : {}),
    ...('endedAt' in state ? { endedAt: formatInstant(state.endedAt) } : {}),
    ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
  };
}

/**
 * The timeline of a notification, in order, from its rows and from the history of replaced states. An entry that was in the timeline once
 * stays in it.
 */
export function timelineOf({
  notification,
  deliveries,
  attempts,
  history,
}: NotificationDetails): readonly TimelineEntry[] {
  const { id, status, statusAt, createdAt, sendAt } = notification;
  const entries: TimelineEntry[] = [{ at: createdAt, subjectId: id, event: 'accepted' }];
  if (sendAt !== null) entries.push({ at: createdAt, subjectId: id, event: 'scheduled' });
  for (const delivery of deliveries) {
    const related = attempts.filter((attempt) => attempt.delivery === delivery.id);
    entries.push(...deliveryEntriesOf(delivery, related, history), ...inboxPlacementOf(delivery, related, createdAt));
  }
  for (const { subjectId, status: event, at } of history) if (isUnproven(event)) entries.push({ at, subjectId, event });
  if (status === 'read' || isUnproven(status) || status === 'cancelled') {
    entries.push({ at: statusAt, subjectId: id, event: status });
  }
  // A state that changed between the reads is in two sources. The sort is stable, so entries of one instant keep their order.
  return withoutDuplicates(entries).sort((left, right) => left.at - right.at);
}

function deliveryEntriesOf(
  delivery: Delivery,
  attempts: readonly Attempt[],
  history: readonly HistoryEntry[],
): TimelineEntry[] {
  const { id: subjectId, channel, attempts: count, state } = delivery;
  const entries: TimelineEntry[] = attempts.flatMap(({ number, startedAt, endedAt, outcome, reason }) => [
    { at: startedAt, subjectId, event: 'sending', channel, attempt: number },
    { at: endedAt, subjectId, event: outcome, channel, attempt: number, ...(reason === undefined ? {} : { reason }) },
  ]);
  if (state.status === 'sending' && state.startedAt !== undefined) {
    entries.push({ at: state.startedAt, subjectId, event: 'sending', channel, attempt: count });
  }
  const ownHistory = history.filter((one) => one.subjectId === subjectId);
  const confirmedAt = ownHistory.find(({ status }) => status === 'confirmed')?.at;
  for (const { status: event, at, reason } of ownHistory) {
    const why = reason === undefined ? {} : { reason };
    const proof = event === 'delivered' && at === confirmedAt ? { confirmed: true } : {};
    if (event === 'failed' || event === 'delivered') entries.push({ at, subjectId, event, channel, ...why, ...proof });
    if (event === 'failed-again') entries.push({ at, subjectId, event: 'failed', channel, ...why, repeated: true });
  }
  // A state without an attempt: placed in the inbox, skipped, overdue, proved by a late report, or returned after a proof.
  const wasReturned = state.status === 'failed' && ownHistory.some(({ status }) => status === 'delivered');
  if ('endedAt' in state && (wasReturned || attempts.at(-1)?.outcome !== state.status)) {
    const reason = 'reason' in state ? { reason: state.reason } : {};
    const confirmed = state.status === 'delivered' && state.endedAt === confirmedAt;
    const earlierStates = [...ownHistory.map(({ status, at }) => ({ status, at })), ...attempts.map(attemptEnd)];
    const repeated = wasReturned && earlierStates.some(({ status, at }) => status === 'failed' && at !== state.endedAt);
    entries.push({
      at: state.endedAt,
      subjectId,
      event: state.status,
      channel,
      ...reason,
      ...(confirmed ? { confirmed } : {}),
      ...(repeated ? { repeated } : {}),
    });
  }
  if (confirmedAt !== undefined) entries.push({ at: confirmedAt, subjectId, event: 'confirmed', channel });
  return entries;
}

const attemptEnd = ({ outcome: status, endedAt: at }: Attempt) => ({ status, at });

/** The placement of a copy that the acceptance put into the inbox and that was opened later: its row only has the opening. */
function inboxPlacementOf(
  { id: subjectId, channel, state }: Delivery,
  attempts: readonly Attempt[],
  createdAt: number,
): TimelineEntry[] {
  const placed = attempts.some(({ outcome }) => outcome === 'sent');
  if (channel !== 'inbox' || state.status !== 'delivered' || placed) return [];
  return [{ at: createdAt, subjectId, event: 'sent', channel }];
}

function withoutDuplicates(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ subjectId, event, attempt, repeated }) => {
    const key =
      event === 'sending' || event === 'retry'
        ? `${subjectId} ${event} ${attempt}`
        : `${subjectId} ${event} ${repeated}`;
    return !seen.has(key) && seen.add(key);
  });
}
