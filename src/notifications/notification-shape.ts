import { type TLiteral, type TProperties, type TUnion, Type } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { toInstant } from '../kernel/clock.ts';
import type { Attempt } from './delivery/delivery-store.ts';
import type { Past } from './evidence/history-store.ts';
import {
  categories,
  channelNames,
  type Delivery,
  deliveryStatuses,
  type Notification,
  notificationStatuses,
  reasonOfUndeliverable,
} from './notification.ts';
import { finalReasonOf, reasonCodes, reasonOf } from './reason.ts';

type OneOf<W extends readonly string[]> = TUnion<{ -readonly [I in keyof W]: TLiteral<W[I]> }>;

/** A schema of one of these words. */
export function oneOf<const W extends readonly string[]>(words: W, description?: string): OneOf<W> {
  const literals = words.map((word) => Type.Literal(word));
  // One literal for each word, in their order: map() forgets that it keeps a tuple.
  return Type.Union(literals, description === undefined ? {} : { description }) as unknown as OneOf<W>;
}

/** A schema of a language as callers name it (BCP 47). */
export const languageTag = (description: string) =>
  Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$', description });

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
/** A schema of an instant that callers are told. */
export const instant = (description: string) => Type.String({ format: 'date-time', description });
/** A schema of one that they may state. */
export const statedInstant = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }));
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** The path of an operation on one notification. */
export const notificationParams = closed({
  id: Type.String({ maxLength: 64, description: 'The id that sending answered.' }),
});

/** Why a channel did not succeed, or would not. */
export const reasonShape = closed({
  code: oneOf(reasonCodes, 'For programs; a code never changes its meaning.'),
  retryable: Type.Boolean({ description: 'Whether sending the same again later can succeed.' }),
  whoActs: oneOf(['citizen', 'sender', 'operator', 'nobody'], 'Who has to do something first.'),
  detail: Type.String(),
});

const deliveryShape = closed({
  id: Type.String(),
  channel: oneOf(channelNames, 'The channel.'),
  reminder: Type.Optional(Type.Boolean({ description: 'It tells again of an unread message.' })),
  status: oneOf(deliveryStatuses, 'sent: the provider took it; delivered: proved to be in the hands of the citizen.'),
  attempts: Type.Integer({ description: 'Calls of the provider so far.' }),
  nextAttemptAt: Type.Optional(
    instant('While queued: not before this. Before the first attempt with the scope citizens:known only.'),
  ),
  endedAt: Type.Optional(instant('When it came into its last status.')),
  reason: Type.Optional(reasonShape),
});

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
  'read',
  'undeliverable',
  'cancelled',
] as const;

const timelineShape = closed({
  at: instant('When it happened.'),
  event: oneOf(timelineEvents, 'What happened.'),
  channel: Type.Optional(oneOf(channelNames, 'The channel, where it is about one.')),
  attempt: Type.Optional(Type.Integer({ description: 'The number of the attempt; part of the Message-ID of mail.' })),
  reason: Type.Optional(reasonShape),
});

const summary = {
  id: Type.String(),
  citizenId: Type.String(),
  reference: orNull('The reference that the sender gave.'),
  category: oneOf(categories, 'What kind of message it is.'),
  status: oneOf(notificationStatuses, 'Where it stands.'),
  statusAt: instant('When it came into that status.'),
  createdAt: instant('When it was accepted.'),
  sendAt: Type.Optional(instant('Not sent before this.')),
  legalEffect: Type.Optional(Type.String({ description: 'The rule by which it counts as served.' })),
  deliverBy: instant('Undeliverable if not delivered by then.'),
  receipt: Type.String({ description: 'The ledger receipt of its acceptance.' }),
};

/** A notification in a list. */
export const summaryShape = closed(summary);

/** A notification by itself. */
export const notificationShape = closed({
  ...summary,
  language: orNull('The language of the message, as its sender named it.'),
  reason: Type.Optional(reasonShape),
  deliveries: Type.Array(deliveryShape, { description: 'One for each channel.' }),
  timeline: Type.Array(timelineShape, { description: 'What happened, in order.' }),
});

/** A notification with all that is known of it. */
export type NotificationRecord = {
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  readonly attempts: readonly Attempt[];
  readonly history: readonly Past[];
};

/** One line of a timeline. */
export type Entry = {
  readonly at: number;
  /** The notification, or the delivery that it is about: together with `event` and `attempt` it stays for ever. */
  readonly of: string;
  readonly event: (typeof timelineEvents)[number];
  readonly channel?: string;
  readonly attempt?: number;
  readonly reason?: Attempt['reason'];
  /** The proof of the delivery was the citizen's own. */
  readonly confirmed?: boolean;
  /** It had failed before, and was called delivered in between. */
  readonly again?: boolean;
};

/** The entry of a list. */
export function summaryOf(notification: Notification) {
  const { id, citizenId, reference, category, status, statusAt, createdAt, sendAt, deliverBy, legalEffect } =
    notification;
  return {
    id,
    citizenId,
    reference,
    category,
    status,
    statusAt: toInstant(statusAt),
    createdAt: toInstant(createdAt),
    ...(sendAt === null ? {} : { sendAt: toInstant(sendAt) }),
    ...(legalEffect === null ? {} : { legalEffect }),
    deliverBy: toInstant(deliverBy),
    receipt: receiptOf(notification),
  };
}

/**
 * The whole answer about one notification. When and by which steps a channel will be tried is by the citizen's wishes: to
 * learn that, and whether there is such a citizen, one has the scope citizens:known.
 */
export function notificationView(found: NotificationRecord, { scopes }: Pick<Caller, 'scopes'>) {
  const mayKnow = scopes.has('citizens:known');
  const shown = found.deliveries.filter((one) => mayKnow || !(one.reminder && isUntried(one, found.attempts)));
  const record = { ...found, deliveries: shown };
  const { notification, deliveries, attempts } = record;
  const undeliverable = notification.status === 'undeliverable';
  return {
    ...summaryOf(notification),
    language: notification.language,
    ...(undeliverable ? { reason: finalReasonOf(reasonOfUndeliverable(found.deliveries)) } : {}),
    deliveries: deliveries.map((delivery) => deliveryView(delivery, { attempts, mayKnow })),
    timeline: timelineOf(record).map(({ at, event, channel, attempt, reason }) => ({
      at: toInstant(at),
      event,
      ...(channel === undefined ? {} : { channel }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
    })),
  };
}

/** Where the receipt of the acceptance is. */
export function receiptOf(notification: Pick<Notification, 'acceptedEvent'>): string {
  return `/v1/receipts/${notification.acceptedEvent}`;
}

/**
 * It waits for its first attempt, or did so until the sender withdrew the message; also where a worker had it in hand and put
 * it back, since the citizen wishes to be left alone.
 */
export function isUntried({ id, state }: Delivery, attempts: readonly Attempt[]): boolean {
  if (attempts.some(({ delivery }) => delivery === id)) return false;
  return state.status === 'queued' || (state.status === 'skipped' && state.reason === 'withdrawn');
}

type Shown = { readonly attempts: readonly Attempt[]; readonly mayKnow: boolean };

function deliveryView(delivery: Delivery, { attempts, mayKnow }: Shown) {
  const { id, channel, state, reminder } = delivery;
  const isTold = state.status === 'queued' && (mayKnow || !isUntried(delivery, attempts));
  const running = state.status === 'sending' && state.startedAt !== undefined ? 1 : 0;
  const reason = state.status === 'queued' ? state.lastReason : 'reason' in state ? state.reason : undefined;
  return {
    id,
    channel,
    ...(reminder ? { reminder } : {}),
    status: state.status,
    attempts: attempts.filter((attempt) => attempt.delivery === id).length + running,
    ...(isTold ? { nextAttemptAt: toInstant(state.runAt) } : {}),
    ...('endedAt' in state ? { endedAt: toInstant(state.endedAt) } : {}),
    ...(reason === undefined ? {} : { reason: reasonOf(reason) }),
  };
}

/**
 * What happened, in order: read off the notification, its deliveries and their attempts, and off the history that is kept of
 * what these do not say any more. So an entry that was there once is there for ever.
 */
export function timelineOf({ notification, deliveries, attempts, history }: NotificationRecord): readonly Entry[] {
  const { id, status, statusAt, createdAt, sendAt } = notification;
  const entries: Entry[] = [{ at: createdAt, of: id, event: 'accepted' }];
  if (sendAt !== null) entries.push({ at: createdAt, of: id, event: 'scheduled' });
  for (const delivery of deliveries) {
    const own = attempts.filter((attempt) => attempt.delivery === delivery.id);
    entries.push(...entriesOf(delivery, own, history), ...placedBefore(delivery, own, createdAt));
  }
  for (const { of, status: event, at } of history) if (event === 'undeliverable') entries.push({ at, of, event });
  if (status === 'read' || status === 'undeliverable' || status === 'cancelled') {
    entries.push({ at: statusAt, of: id, event: status });
  }
  // What changed while it was read stands in two places. Stable: what has the same instant stays as it was put in.
  return uniqueOf(entries).sort((left, right) => left.at - right.at);
}

function entriesOf(delivery: Delivery, attempts: readonly Attempt[], history: readonly Past[]): Entry[] {
  const { id: of, channel, attempts: count, state } = delivery;
  const entries: Entry[] = attempts.flatMap(({ number, startedAt, endedAt, outcome, reason }) => [
    { at: startedAt, of, event: 'sending', channel, attempt: number },
    { at: endedAt, of, event: outcome, channel, attempt: number, ...(reason === undefined ? {} : { reason }) },
  ]);
  if (state.status === 'sending' && state.startedAt !== undefined) {
    entries.push({ at: state.startedAt, of, event: 'sending', channel, attempt: count });
  }
  const past = history.filter((one) => one.of === of);
  for (const { status: event, at, reason } of past) {
    const why = reason === undefined ? {} : { reason };
    if (event === 'failed' || event === 'delivered') entries.push({ at, of, event, channel, ...why });
    if (event === 'failed-again') entries.push({ at, of, event: 'failed', channel, ...why, again: true });
  }
  // A state that no attempt brought: placed in the inbox, skipped, cut off by the deadline, proved late, or come back behind a proof.
  const isBack = state.status === 'failed' && past.some(({ status }) => status === 'delivered');
  if ('endedAt' in state && (isBack || attempts.at(-1)?.outcome !== state.status)) {
    const reason = 'reason' in state ? { reason: state.reason } : {};
    const confirmed = state.status === 'delivered' && past.some(({ status }) => status === 'confirmed');
    const before = [...past.map(({ status, at }) => ({ status, at })), ...attempts.map(attempted)];
    const again = isBack && before.some(({ status, at }) => status === 'failed' && at !== state.endedAt);
    entries.push({
      at: state.endedAt,
      of,
      event: state.status,
      channel,
      ...reason,
      ...(confirmed ? { confirmed } : {}),
      ...(again ? { again } : {}),
    });
  }
  return entries;
}

const attempted = ({ outcome: status, endedAt: at }: Attempt) => ({ status, at });

/** The copy in the inbox that was placed by the acceptance itself and opened since: its row says only that it was opened. */
function placedBefore({ id: of, channel, state }: Delivery, attempts: readonly Attempt[], createdAt: number): Entry[] {
  const placed = attempts.some(({ outcome }) => outcome === 'sent');
  if (channel !== 'inbox' || state.status !== 'delivered' || placed) return [];
  return [{ at: createdAt, of, event: 'sent', channel }];
}

function uniqueOf(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ of, event, attempt, again }) => {
    const key = event === 'sending' || event === 'retry' ? `${of} ${event} ${attempt}` : `${of} ${event} ${again}`;
    return !seen.has(key) && seen.add(key);
  });
}
