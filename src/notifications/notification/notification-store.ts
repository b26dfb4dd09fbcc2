import type { Read, Row, Statement } from '../../db/database.ts';
import {
  bytesField,
  enumField,
  idField,
  integerField,
  integerOrNull,
  textField,
  textOrNull,
} from '../../db/row-fields.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import {
  type ChannelName,
  categories,
  type Notification,
  type NotificationStatus,
  notificationStatuses,
} from './notification.ts';

/** A notification that is not stored yet, with its content sealed. */
type NewNotification = Omit<Notification, 'revision' | 'statusAt'> & {
  readonly content: Uint8Array;
};

/** A delivery that is not stored yet: waiting for its time, or, in the inbox, already placed. */
export type NewDelivery = {
  readonly id: DeliveryId;
  readonly channel: ChannelName;
  readonly priority: 0 | 1;
  readonly lane: string;
  readonly reminder: boolean;
  readonly initialState:
    | { readonly status: 'queued'; readonly runAt: number }
    | { readonly status: 'sent'; readonly at: number };
};

const insertDeliverySql = `insert into delivery (id, notification_id, channel, status, priority, run_at, attempts, ended_at, lane, reminder)
  values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9)`;

/** The queues that wait for these deliveries, for `Effect.queues`. */
export function queuesOf(deliveries: readonly NewDelivery[]): ReadonlySet<string> {
  const queued = deliveries.filter(({ initialState }) => initialState.status === 'queued');
  return new Set(queued.map(({ channel, priority }) => queueName(channel, priority)));
}

/** The name of the queue of a channel for messages of that priority. */
export function queueName(channel: ChannelName, priority: 0 | 1): string {
  return `${channel} ${priority}`;
}

/** The statements that store a new notification with its deliveries. */
export function insertNotification(notification: NewNotification, deliveries: readonly NewDelivery[]): Statement[] {
  const { id, clientId, citizenId, reference, category, language, status, content } = notification;
  const { createdAt, sendAt, deliverBy, acceptedEvent, legalEffect } = notification;
  return [
    {
      sql: `insert into notification (id, client_id, citizen_id, reference, category, language, status, status_at,
          revision, content, created_at, send_at, deliver_by, accepted_event, legal_effect)
        values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $8, $10, $11, $12, $13)`,
      args: [
        id,
        clientId,
        citizenId,
        reference,
        category,
        language,
        status,
        createdAt,
        content,
        sendAt,
        deliverBy,
        acceptedEvent,
        legalEffect,
      ],
    },
    ...deliveries.map((delivery) => ({
      sql: insertDeliverySql,
      args: [
        delivery.id,
        id,
        delivery.channel,
        delivery.initialState.status,
        delivery.priority,
        delivery.initialState.status === 'queued' ? delivery.initialState.runAt : delivery.initialState.at,
        delivery.initialState.status === 'queued' ? null : delivery.initialState.at,
        delivery.lane,
        delivery.reminder,
      ],
    })),
  ];
}

/** The columns that `notificationOf` reads. */
export const notificationColumns = `id, client_id, citizen_id, reference, category, language, status, status_at, revision, created_at,
  send_at, deliver_by, accepted_event, legal_effect`;

/** The notification with that id, whoever sent it; the caller decides who may see it. */
export async function findNotification(read: Read, id: NotificationId): Promise<Notification | undefined> {
  const [row] = await read(`select ${notificationColumns} from notification where id = $1`, [id]);
  return row === undefined ? undefined : notificationFromRow(row);
}

/** The same with its sealed content, for the worker that sends it and for the citizen's inbox. */
export async function findNotificationWithContent(
  read: Read,
  id: NotificationId,
): Promise<{ notification: Notification; content: Uint8Array } | undefined> {
  const [row] = await read(`select ${notificationColumns}, content from notification where id = $1`, [id]);
  return row === undefined
    ? undefined
    : { notification: notificationFromRow(row), content: bytesField(row, 'content') };
}

/**
 * Moves a notification to the status that was folded from `revision`; refused (`rows`) when something changed since, and
 * then to be folded again.
 */
export function updateStatus(notification: Notification, status: NotificationStatus, at: number): Statement {
  const changedAt = status === notification.status ? notification.statusAt : at;
  return {
    sql: `update notification set status = cast($1 as text), status_at = cast($2 as bigint), revision = revision + 1
      where id = cast($3 as text) and revision = cast($4 as bigint) returning id`,
    args: [status, changedAt, notification.id, notification.revision],
    rows: 1,
  };
}

/** The open notifications whose `deliverBy` has passed, those that waited longest first. */
export async function findOverdueNotifications(read: Read, now: number, limit: number): Promise<NotificationId[]> {
  const rows = await read(
    `select id from notification where status in ('accepted', 'scheduled', 'sending') and deliver_by <= $1
      order by deliver_by limit $2`,
    [now, limit],
  );
  return rows.map((row) => idField(row, 'id', 'notification'));
}

/** When the next open notification falls overdue, in epoch ms. */
export async function findNextDeadline(read: Read): Promise<number | undefined> {
  const [row] = await read(
    "select min(deliver_by) as deliver_by from notification where status in ('accepted', 'scheduled', 'sending')",
  );
  return row === undefined ? undefined : (integerOrNull(row, 'deliver_by') ?? undefined);
}

/** A row of `columns` as the domain sees it. */
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
    acceptedEvent: idField(row, 'accepted_event', 'event'),
    revision: integerField(row, 'revision'),
    status: enumField(row, 'status', notificationStatuses),
    statusAt: integerField(row, 'status_at'),
  };
}
