import { type NotificationId, parseId } from '../kernel/id.ts';
import type { Read } from '../store/db.ts';
import type { Notification, NotificationStatus } from './notification.ts';
import { columns, notificationOf } from './notification-store.ts';

/** Where a page begins: right after this notification in the order of acceptance, newest first. */
type Position = { readonly createdAt: number; readonly id: NotificationId };

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
 * One page of a client's notifications, newest first. A citizen has few, so of what is asked beside one the rows found are asked;
 * all else has an index of its own, since one reference, like one status, may be that of a million.
 */
export async function findPage(read: Read, filter: ListFilter, limit: number): Promise<Notification[]> {
  const { clientId, reference, citizenId, status, from = 0 } = filter;
  const { createdAt, id } = endOf(filter);
  const bounds = [clientId, from, createdAt, id, limit];
  if (citizenId !== undefined) return run(read, byCitizen, [...bounds, status ?? null, reference ?? null, citizenId]);
  if (reference !== undefined && status !== undefined) return run(read, byBoth, [...bounds, status, reference]);
  if (reference !== undefined) return run(read, byReference, [...bounds, reference]);
  if (status !== undefined) return run(read, byStatus, [...bounds, status]);
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
const end = 'order by created_at desc, id desc limit $5 /* planned anew */';
const orAny = (column: string, given: string) => `(cast(${given} as text) is null or ${column} = ${given})`;
const byCitizen = `${begin} and ${within} and ${orAny('status', '$6')} and ${orAny('reference', '$7')} and citizen_id = $8 ${end}`;
const byReference = `${begin} and ${within} and reference = $6 ${end}`;
// The older bound is applied to what was found: between two bounds SQLite would look through all statuses of the client.
const sinceOf = (newest: string) =>
  `select * from (${newest}) newest where created_at >= $2 order by created_at desc, id desc`;
const byStatus = sinceOf(`${begin} and status = $6 and (created_at, id) < ($3, $4) ${end}`);
const byBoth = sinceOf(`${begin} and reference = $7 and status = $6 and (created_at, id) < ($3, $4) ${end}`);
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
