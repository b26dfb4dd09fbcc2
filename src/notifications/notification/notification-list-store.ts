import type { Read } from '../../db/database.ts';
import { type NotificationId, parseId } from '../../kernel/id.ts';
import { type Notification, type NotificationStatus, notificationStatuses } from './notification.ts';
import { notificationColumns, notificationFromRow } from './notification-store.ts';

/** The notification before the page, in the order of acceptance, newest first. */
type PagePosition = { readonly createdAt: number; readonly id: NotificationId };

/** The filter of a list (times in epoch ms); undefined members do not filter. */
export type NotificationFilter = {
  readonly clientId: string;
  readonly reference: string | undefined;
  readonly citizenId: string | undefined;
  readonly status: NotificationStatus | undefined;
  readonly from: number | undefined;
  readonly before: number | undefined;
  readonly position: PagePosition | undefined;
};

const maxInstant = 9_007_199_254_740_991;

/**
 * One page of a client's notifications, newest first. A citizen has few notifications, so the other filters are applied to those rows.
 * A reference or a status can match a million rows, so both have an index.
 */
export async function findNotificationPage(
  read: Read,
  filter: NotificationFilter,
  limit: number,
): Promise<Notification[]> {
  const { clientId, reference, citizenId, status, from = 0 } = filter;
  const { createdAt, id } = upperBoundOf(filter);
  const bounds = [clientId, from, createdAt, id, limit];
  if (citizenId !== undefined)
    return queryNotifications(read, byCitizen, [...bounds, status ?? null, reference ?? null, citizenId]);
  const { inOneStatus, inAnyStatus } = reference === undefined ? byClient : byReference;
  const args = reference === undefined ? bounds : [...bounds, reference];
  return status === undefined
    ? queryNotifications(read, inAnyStatus, args)
    : queryNotifications(read, inOneStatus, [...args, status]);
}

/**
 * The upper bound of a page: the last notification of the previous page, or an instant. It is one bound, because with two SQLite would
 * use the instant and read all previous pages.
 */
function upperBoundOf({ before = maxInstant, position }: NotificationFilter): {
  readonly createdAt: number;
  readonly id: string;
} {
  return position !== undefined && position.createdAt < before ? position : { createdAt: before, id: '' };
}

const newestFirst = 'order by created_at desc, id desc limit $5';
const equalsIfGiven = (column: string, given: string) => `(cast(${given} as text) is null or ${column} = ${given})`;
const byCitizen = `select ${notificationColumns} from notification where client_id = $1 and created_at >= $2 and (created_at, id) < ($3, $4)
  and ${equalsIfGiven('status', '$6')} and ${equalsIfGiven('reference', '$7')} and citizen_id = $8 ${newestFirst}`;

/** Queries for an index that ends in status and time: for one status, and for all as the union of the newest of each. */
function pageQueries(where: string, status: string) {
  const within = (given: string) => `select * from (select created_at, id from notification
    where client_id = $1${where} and status = ${given} and (created_at, id) < ($3, $4) ${newestFirst}) of_a_status`;
  // The lower bound is applied to the result: with two bounds SQLite would read all statuses of the client.
  const page = (found: string) => `select ${notificationColumns} from notification where id in (
    select id from (${found}) newest where created_at >= $2 ${newestFirst}) order by created_at desc, id desc`;
  const each = notificationStatuses.map((known) => within(`'${known}'`));
  return { inOneStatus: page(within(status)), inAnyStatus: page(each.join(' union all ')) };
}

const byClient = pageQueries('', '$6');
const byReference = pageQueries(' and reference = $6', '$7');

async function queryNotifications(read: Read, sql: string, args: Parameters<Read>[1]): Promise<Notification[]> {
  return (await read(sql, args, { plan: 'custom' })).map(notificationFromRow);
}

/** The newest notifications to a citizen, of one client or of all. */
export async function findNotificationsOfCitizen(
  read: Read,
  {
    citizenId,
    clientId,
    limit,
  }: { readonly citizenId: string; readonly clientId: string | null; readonly limit: number },
): Promise<Notification[]> {
  const sql = `select ${notificationColumns} from notification where citizen_id = $1 and ${equalsIfGiven('client_id', '$2')}
    order by created_at desc, id desc limit $3`;
  return await queryNotifications(read, sql, [citizenId, clientId, limit]);
}

/** The cursor of the page that follows this notification. */
export function cursorAfter({ createdAt, id }: Notification): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** Parses a cursor of `cursorAfter`; undefined for any other text. */
export function parseNotificationCursor(cursor: string): PagePosition | undefined {
  const [, at = '', text = ''] = /^(\d{1,16})\.(\w+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const id = parseId('notification', text);
  const createdAt = Number(at);
  return id === undefined || !Number.isSafeInteger(createdAt) ? undefined : { createdAt, id };
}
