import { type NotificationId, parseId } from '../kernel/id.ts';
import type { Read } from '../store/db.ts';
import type { Notification, NotificationStatus } from './notification.ts';
import { columns, notificationOf } from './notification-store.ts';

/** Where a page begins: right after this notification in the order of acceptance, newest first. */
export type Position = { readonly createdAt: number; readonly id: NotificationId };

export type ListFilter = {
  readonly clientId: string;
  readonly reference: string | undefined;
  readonly citizenId: string | undefined;
  readonly status: NotificationStatus | undefined;
  readonly from: number | undefined;
  readonly before: number | undefined;
  readonly position: Position | undefined;
};

const latest = 9_007_199_254_740_991;

/**
 * One page of a client's notifications, newest first. The most selective filter that is given picks the index, so there
 * are four texts; the other filters are applied to what it finds.
 */
export async function findPage(read: Read, filter: ListFilter, limit: number): Promise<Notification[]> {
  const { clientId, reference, citizenId, status, from = 0 } = filter;
  const { createdAt, id } = endOf(filter);
  const bounds = [clientId, from, createdAt, id, limit];
  const args = [...bounds, status ?? null];
  if (reference !== undefined) return run(read, byReference, [...args, citizenId ?? null, reference]);
  if (citizenId !== undefined) return run(read, byCitizen, [...args, citizenId]);
  if (status !== undefined) return run(read, byStatus, args);
  return run(read, byClient, bounds);
}

/**
 * What a page stands before: the last one of the page before it, or an instant. One bound for both: of two SQLite would take
 * the instant, and look through all pages before this one.
 */
function endOf({ before = latest, position }: ListFilter): { readonly createdAt: number; readonly id: string } {
  return position !== undefined && position.createdAt < before ? position : { createdAt: before, id: '' };
}

const begin = `select ${columns} from notification where client_id = $1`;
const within = 'created_at >= $2 and (created_at, id) < ($3, $4)';
const end = 'order by created_at desc, id desc limit $5';
const inStatus = '(cast($6 as text) is null or status = $6)';
const byReference = `${begin} and ${within} and ${inStatus} and (cast($7 as text) is null or citizen_id = $7) and reference = $8 ${end}`;
const byCitizen = `${begin} and ${within} and ${inStatus} and citizen_id = $7 ${end}`;
// The older bound is applied to what was found: between two bounds SQLite would look through all statuses of the client.
const byStatus = `select * from (${begin} and status = $6 and (created_at, id) < ($3, $4) ${end}) newest
  where created_at >= $2 order by created_at desc, id desc`;
const byClient = `${begin} and ${within} ${end}`;

async function run(read: Read, sql: string, args: Parameters<Read>[1]): Promise<Notification[]> {
  return (await read(sql, args)).map(notificationOf);
}

/** The cursor of the page that follows this notification. */
export function positionAfter({ createdAt, id }: Notification): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** What `positionAfter` made; undefined for any other text. */
export function parsePosition(cursor: string): Position | undefined {
  const [, at = '', text = ''] = /^(\d{1,16})\.(\w+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const id = parseId('notification', text);
  const createdAt = Number(at);
  return id === undefined || !Number.isSafeInteger(createdAt) ? undefined : { createdAt, id };
}
