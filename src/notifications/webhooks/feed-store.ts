import { batchInsert, lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import { idField, integerField, textField } from '../../db/row-fields.ts';
import type { BatchId, EventId } from '../../kernel/id.ts';
import type { CitizenEvent, SystemEvent } from '../../ledger/ledger-event.ts';
import type { Notification, NotificationStatus } from '../notification/notification.ts';

/** The statuses of a presentation in the feed, in the order in which it can have them. The last five are final. */
export const presentationFeedStatuses = [
  'fetched',
  'answered',
  'completed',
  'refused',
  'failed',
  'expired',
  'cancelled',
] as const;
/** One of `presentationFeedStatuses`. */
export type PresentationFeedStatus = (typeof presentationFeedStatuses)[number];

/** The ledger events that the feed reports to the client that asked a wallet. */
const presentationEventTypes = presentationFeedStatuses.map((status) => `identity.presentation-${status}` as const);

/** The ledger events that the feed reports to the sender of a notification, or to the client that asked a wallet. */
export const statusEventTypes = [
  'notification.delivery-ended',
  'notification.sent',
  'notification.unknown',
  'notification.undeliverable',
  'notification.opened',
  'notification.confirmed',
  'notification.cancelled',
  ...presentationEventTypes,
] as const;
type StatusEventType = Extract<CitizenEvent['type'], (typeof statusEventTypes)[number]>;

/** The events of a batch in the feed: one for each final state. */
export const batchEventTypes = [
  'notification-batch.done',
  'notification-batch.refused',
  'notification-batch.cancelled',
] as const;

/** The types of the events in the feed. */
export const feedEventTypes = [...statusEventTypes, ...batchEventTypes] as const;
/** The type of an event in the feed. */
export type FeedEventType = (typeof feedEventTypes)[number];

/** The outcomes of a delivery attempt in the feed: `retry` is a failed attempt that another one follows. */
export const feedOutcomes = ['sent', 'delivered', 'failed', 'unknown', 'skipped', 'retry'] as const;

/** The members of a feed event's content that the server reads; `event-shape.ts` describes all. There are no personal data. */
type FeedData =
  | { readonly notification: string; readonly status: NotificationStatus }
  | { readonly presentation: string; readonly status: PresentationFeedStatus }
  | { readonly batch: string };

/** An event of the feed. `number` counts the events of its client from 1. */
type FeedEvent = {
  readonly id: EventId;
  readonly clientId: string;
  readonly number: number;
  readonly at: number;
  readonly type: string;
  readonly data: FeedData;
};

const insertFeedRow = batchInsert('feed_event', 'id, client_id, at, type, data');

/** Adds an event to the feed of the sender. The statement must be in the same unit as the event. */
export function insertFeedEvent(
  notification: Notification,
  status: NotificationStatus,
  event: Extract<CitizenEvent, { readonly type: StatusEventType }>,
): Statement {
  const { id, reference, clientId } = notification;
  const data = {
    notification: id,
    reference,
    status,
    ...(event.type === 'notification.delivery-ended'
      ? { delivery: event.delivery, channel: event.channel, outcome: event.outcome, reason: event.reason }
      : {}),
    ...(event.type === 'notification.confirmed' ? { channel: event.channel } : {}),
    ...('reason' in event && event.type !== 'notification.delivery-ended' ? { reason: event.reason } : {}),
  };
  return insertFeedRow([event.id, clientId, event.at, event.type, JSON.stringify(data)]);
}

/** How a batch ended. The counts are absent if it was cancelled, `code` unless the server refused or cancelled it. */
export type EndedBatch = {
  readonly batch: BatchId;
  readonly rows?: number | undefined;
  readonly accepted?: number | undefined;
  readonly refused?: number | undefined;
  readonly code?: string | undefined;
};

/** Adds the end of a batch to the feed of its client. The statement must be in the same unit as the ledger event with this id. */
export function insertBatchFeedEvent(
  event: { readonly id: EventId; readonly at: number; readonly type: (typeof batchEventTypes)[number] },
  clientId: string,
  ended: EndedBatch,
): Statement {
  return insertFeedRow([event.id, clientId, event.at, event.type, JSON.stringify(ended)]);
}

type PresentationFeedEvent = Extract<SystemEvent, { readonly type: (typeof presentationEventTypes)[number] }>;

/** Adds an event about a presentation to the feed of its client. The statement must be in the same unit as the event. */
export function insertPresentationFeedEvent(event: PresentationFeedEvent, status: PresentationFeedStatus): Statement {
  const data: FeedData = { presentation: event.presentation, status };
  return insertFeedRow([event.id, event.clientId, event.at, event.type, JSON.stringify(data)]);
}

/** A committed event without a number. */
export type UnnumberedEvent = Pick<FeedEvent, 'id' | 'clientId' | 'at' | 'data'>;

/** The oldest events without a number. */
export async function findUnnumberedEvents(read: Read, limit: number): Promise<UnnumberedEvent[]> {
  const rows = await read('select id, client_id, at, data from feed_event where number is null order by id limit $1', [
    limit,
  ]);
  return rows.map((row) => ({
    id: idField(row, 'id', 'event'),
    clientId: textField(row, 'client_id'),
    at: integerField(row, 'at'),
    data: feedDataFromRow(row),
  }));
}

/** The last number of a client, and the last one that was pruned; 0 when there is none. */
export async function findFeedHead(read: Read, clientId: string): Promise<{ last: number; pruned: number }> {
  const [row] = await read('select last, pruned from feed_head where client_id = $1', [clientId]);
  return row === undefined
    ? { last: 0, pruned: 0 }
    : { last: integerField(row, 'last'), pruned: integerField(row, 'pruned') };
}

const updateNumbers = createMultiRowBuilder(
  'with given (id, number) as (values',
  2,
  `) update feed_event set number = cast(given.number as bigint) from given
    where feed_event.id = given.id and feed_event.number is null returning feed_event.id`,
);

/** Assigns numbers to events. Refused (`rows`) when one of them has a number already. */
export function assignNumbers(numbers: readonly (readonly [id: EventId, number: number])[]): Statement[] {
  return updateNumbers(numbers).map(({ sql, args = [] }) => ({ sql, args, rows: args.length / 2 }));
}

/** Moves a client's last number from `from` to `to`. Refused (`rows`) when another process has moved it before. */
export function moveFeedHead(clientId: string, from: number, to: number): Statement {
  return {
    sql: `insert into feed_head (client_id, last) values ($1, $2)
      on conflict (client_id) do update set last = excluded.last where feed_head.last = $3 returning client_id`,
    args: [clientId, to, from],
    rows: 1,
  };
}

/** The most events that a query with types reads. Most events may have other types. */
export const eventsPerQuery = 10_000;

type FeedPage = {
  readonly clientId: string;
  readonly after: number;
  readonly limit: number;
  /** Only events of these types, among the next `eventsPerQuery` events; undefined for all. */
  readonly types?: readonly string[] | undefined;
};

/** A client's events after a number, in order. */
export async function findFeedEvents(read: Read, { clientId, after, limit, types }: FeedPage): Promise<FeedEvent[]> {
  const columns = 'id, client_id, number, at, type, data';
  if (types === undefined) {
    const sql = `select ${columns} from feed_event where client_id = $1 and number > $2 order by number limit $3`;
    return (await read(sql, [clientId, after, limit])).map(feedEventFromRow);
  }
  const given = types.map((_type, index) => `$${index + 5}`).join(', ');
  // Without the upper bound, a rare type would let one request read the whole feed.
  const sql = `select ${columns} from feed_event
    where client_id = $1 and number > $2 and number <= $4 and type in (${given}) order by number limit $3`;
  return (await read(sql, [clientId, after, limit, after + eventsPerQuery, ...types])).map(feedEventFromRow);
}

const findFeedRow = lookupByKey('feed_event', 'id', 'id, client_id, number, at, type, data');

/** One event of the feed by its id. */
export async function findFeedEvent(read: Read, id: string): Promise<FeedEvent | undefined> {
  const [row] = await findFeedRow(read, id);
  return row === undefined ? undefined : feedEventFromRow(row);
}

function feedEventFromRow(row: Row): FeedEvent {
  return {
    id: idField(row, 'id', 'event'),
    clientId: textField(row, 'client_id'),
    number: integerField(row, 'number'),
    at: integerField(row, 'at'),
    type: textField(row, 'type'),
    data: feedDataFromRow(row),
  };
}

function feedDataFromRow(row: Row): FeedData {
  // `insertFeedEvent` has written it.
  return JSON.parse(textField(row, 'data')) as FeedData;
}
