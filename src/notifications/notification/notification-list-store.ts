import type { Read } from '../../db/database.ts';
import { type NotificationId, parseId } from '../../kernel/id.ts';
import { type Notification, type NotificationStatus, notificationStatuses } from './notification.ts';
import { notificationColumns, notificationFromRow } from './notification-store.ts';

/** Where a page begins: right after this notification in the order of acceptance, newest first. */
type PagePosition = { readonly createdAt: number; readonly id: NotificationId };

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
 * One page of a client's notifications, newest first. A citizen has few, so of what is asked beside one the rows found are asked;
 * one reference, like one status, may be that of a million, and both stand in an index.
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
  const { ofOne: inOneStatus, ofAll: inAnyStatus } = reference === undefined ? byClient : byReference;
  const args = reference === undefined ? bounds : [...bounds, reference];
  return status === undefined
    ? queryNotifications(read, inAnyStatus, args)
    : queryNotifications(read, inOneStatus, [...args, status]);
}

/**
 * What a page stands before: the last one of the page before it, or an instant. One bound for both: of two SQLite would take
 * the instant, and look through all pages before this one.
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

/** What is found by an index that ends in status and time: in one status, and in any, whose newest are among those of each. */
function pageQueries(where: string, status: string) {
  const within = (given: string) => `select * from (select created_at, id from notification
    where client_id = $1${where} and status = ${given} and (created_at, id) < ($3, $4) ${newestFirst}) of_a_status`;
  // The older bound is applied to what was found: between two bounds SQLite would look through all statuses of the client.
  const page = (found: string) => `select ${notificationColumns} from notification where id in (
    select id from (${found}) newest where created_at >= $2 ${newestFirst}) order by created_at desc, id desc`;
  const each = notificationStatuses.map((known) => within(`'${known}'`));
  return { ofOne: page(within(status)), ofAll: page(each.join(' union all ')) };
}

const byClient = pageQueries('', '$6');
const byReference = pageQueries(' and reference = $6', '$7');

async function queryNotifications(read: Read, sql: string, args: Parameters<Read>[1]): Promise<Notification[]> {
  return (await read(sql, args, { plan: 'custom' })).map(notificationFromRow);
}

/** The cursor of the page that follows this notification. */
export function cursorAfter({ createdAt, id }: Notification): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** What `positionAfter` made; undefined for any other text. */
export function parseNotificationCursor(cursor: string): PagePosition | undefined {
  const [, at = '', text = ''] = /^(\d{1,16})\.(\w+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const id = parseId('notification', text);
  const createdAt = Number(at);
  return id === undefined || !Number.isSafeInteger(createdAt) ? undefined : { createdAt, id };
}
