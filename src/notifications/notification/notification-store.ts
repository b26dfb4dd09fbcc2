import { batchInsert, lookupByKey } from '../../db/batch-statements.ts';
import type { Batch, Read, Row, Statement } from '../../db/database.ts';
import {
  bytesField,
  enumField,
  idField,
  integerField,
  integerOrNull,
  textField,
  textOrNull,
} from '../../db/row-fields.ts';
import type { BatchId, DeliveryId, NotificationId } from '../../kernel/id.ts';
import {
  type ChannelName,
  categories,
  type Notification,
  type NotificationStatus,
  notificationStatuses,
} from './notification.ts';

/** A notification to be stored, with its encrypted content. */
type NewNotification = Omit<Notification, 'revision' | 'statusAt'> & {
  readonly content: Uint8Array;
  /** The batch and row that it comes from; absent for a single message. */
  readonly batch?: BatchRow | undefined;
};

/** A row of a batch, counted from 1. */
export type BatchRow = { readonly id: BatchId; readonly row: number };

/** 0: urgent. 1: other single messages. 2: rows of batches, which wait for all single messages. */
export type DeliveryPriority = 0 | 1 | 2;

/** A delivery to be stored: queued until `runAt`, or `sent` when it is already placed in the inbox. */
export type NewDelivery = {
  readonly id: DeliveryId;
  readonly channel: ChannelName;
  readonly priority: DeliveryPriority;
  readonly lane: string;
  readonly reminder: boolean;
  readonly initialState:
    | { readonly status: 'queued'; readonly runAt: number }
    | { readonly status: 'sent'; readonly at: number };
};

const insertNotificationRow = batchInsert(
  'notification',
  'id, client_id, citizen_id, reference, category, language, status, status_at, revision, content, created_at, send_at, deliver_by, accepted_event, legal_effect, notice_only, batch_id, batch_row',
);

const insertDeliveryRow = batchInsert(
  'delivery',
  'id, notification_id, channel, status, priority, run_at, attempts, ended_at, lane, reminder',
);

/** The queues that wait for these deliveries, for `Effect.queues`. */
export function queuesOf(deliveries: readonly NewDelivery[]): ReadonlySet<string> {
  const queued = deliveries.filter(({ initialState }) => initialState.status === 'queued');
  return new Set(queued.map(({ channel, priority }) => queueName(channel, priority)));
}

/** The name of the queue of a channel for messages of that priority. */
export function queueName(channel: ChannelName, priority: DeliveryPriority): string {
  return `${channel} ${priority}`;
}

const firstRevision = 0;
const noAttempts = 0;

/** The statements that store a new notification with its deliveries. */
export function insertNotification(notification: NewNotification, deliveries: readonly NewDelivery[]): Statement[] {
  const { id, clientId, citizenId, reference, category, language, status, content } = notification;
  const { createdAt, sendAt, deliverBy, acceptedEvent, legalEffect, noticeOnly, batch } = notification;
  return [
    insertNotificationRow([
      id,
      clientId,
      citizenId,
      reference,
      category,
      language,
      status,
      createdAt,
      firstRevision,
      content,
      createdAt,
      sendAt,
      deliverBy,
      acceptedEvent,
      legalEffect,
      noticeOnly,
      batch?.id ?? null,
      batch?.row ?? null,
    ]),
    ...deliveries.map((delivery) => insertDelivery(id, delivery)),
  ];
}

/** Stores a further delivery of a notification. */
export function insertDelivery(notification: NotificationId, { initialState, ...delivery }: NewDelivery): Statement {
  return insertDeliveryRow([
    delivery.id,
    notification,
    delivery.channel,
    initialState.status,
    delivery.priority,
    initialState.status === 'queued' ? initialState.runAt : initialState.at,
    noAttempts,
    initialState.status === 'queued' ? null : initialState.at,
    delivery.lane,
    delivery.reminder,
  ]);
}

/** The columns that `notificationFromRow` reads. */
export const notificationColumns = `id, client_id, citizen_id, reference, category, language, status, status_at, revision, created_at,
  send_at, deliver_by, accepted_event, legal_effect, notice_only`;

const findRow = lookupByKey('notification', 'id', notificationColumns);
const findRowWithContent = lookupByKey('notification', 'id', `${notificationColumns}, content`);

/** A notification of any client. The caller must check who may see it. */
export async function findNotification(read: Read, id: NotificationId): Promise<Notification | undefined> {
  const [row] = await findRow(read, id);
  return row === undefined ? undefined : notificationFromRow(row);
}

/** A notification with its encrypted content, for the worker and for the citizen's inbox. */
export async function findNotificationWithContent(
  read: Read,
  id: NotificationId,
): Promise<{ notification: Notification; content: Uint8Array } | undefined> {
  const [row] = await findRowWithContent(read, id);
  return row === undefined
    ? undefined
    : { notification: notificationFromRow(row), content: bytesField(row, 'content') };
}

/**
 * Stores the status that was derived at `notification.revision`. Refused (`rows`) when the notification has changed since: read it and
 * derive the status again.
 */
export function updateStatus(notification: Notification, status: NotificationStatus, at: number): Statement {
  const changedAt = status === notification.status ? notification.statusAt : at;
  return {
    sql: `update notification set status = $1, status_at = $2, revision = revision + 1
      where id = $3 and revision = $4 returning id`,
    args: [status, changedAt, notification.id, notification.revision],
    rows: 1,
    batch: updateStatusBatch,
  };
}

const updateStatusBatch: Batch = {
  kind: 'update',
  idIndex: 2,
  sql: `update notification n set status = input.status, status_at = input.status_at, revision = n.revision + 1
    from unnest(cast($1 as text[]), cast($2 as bigint[]), cast($3 as text[]), cast($4 as bigint[]))
      as input (status, status_at, id, revision)
    where n.id = input.id and n.revision = input.revision returning n.id`,
};

/** The open notifications whose `deliverBy` has passed, longest overdue first. */
export async function findOverdueNotifications(read: Read, now: number, limit: number): Promise<NotificationId[]> {
  const rows = await read(
    `select id from notification where status in ('accepted', 'scheduled', 'sending') and deliver_by <= $1
      order by deliver_by limit $2`,
    [now, limit],
  );
  return rows.map((row) => idField(row, 'id', 'notification'));
}

/** When the next open notification becomes overdue (epoch ms). */
export async function findNextDeadline(read: Read): Promise<number | undefined> {
  const [row] = await read(
    "select min(deliver_by) as deliver_by from notification where status in ('accepted', 'scheduled', 'sending')",
  );
  return row === undefined ? undefined : (integerOrNull(row, 'deliver_by') ?? undefined);
}

/** Reads a row with `notificationColumns`. */
export function notificationFromRow(row: Row): Notification {
  return {
    id: idField(row, 'id', 'notification'),
    clientId: textField(row, 'client_id'),
    citizenId: textField(row, 'citizen_id'),
    reference: textOrNull(row, 'reference'),
    category: enumField(row, 'category', categories),
    language: textOrNull(row, 'language'),
    createdAt: integerField(row, 'created_at'),
    sendAt: integerOrNull(row, 'send_at'),
    deliverBy: integerField(row, 'deliver_by'),
    legalEffect: textOrNull(row, 'legal_effect'),
    noticeOnly: row['notice_only'] === true,
    acceptedEvent: idField(row, 'accepted_event', 'event'),
    revision: integerField(row, 'revision'),
    status: enumField(row, 'status', notificationStatuses),
    statusAt: integerField(row, 'status_at'),
  };
}
