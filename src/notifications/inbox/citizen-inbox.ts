import type { Read } from '../../db/database.ts';
import { bytesField } from '../../db/row-fields.ts';
import { type IdGenerator, type NotificationId, parseId } from '../../kernel/id.ts';
import type { Effect } from '../../ledger/commit.ts';
import { markInboxDelivered } from '../delivery/late-report-store.ts';
import { skipUnneeded } from '../notification/delivery-store.ts';
import { type ContentKeys, type MessageContent, openMessageContent } from '../notification/message-content.ts';
import type { Notification } from '../notification/notification.ts';
import { recordUnproven } from '../notification/notification-history-store.ts';
import {
  findNotification,
  findNotificationWithContent,
  notificationColumns,
  notificationFromRow,
  updateStatus,
} from '../notification/notification-store.ts';
import { insertFeedEvent } from '../webhooks/feed-store.ts';
import { filterConditions, type InboxFilter } from './inbox-filter.ts';
import { changeInboxMark, type InboxMark, inboxMarkColumns, inboxMarkFromRow } from './inbox-mark-store.ts';

type InboxDeps = {
  readonly read: Read;
  readonly citizenKeys: ContentKeys;
  readonly createId: IdGenerator;
};

/** A message in the inbox with its decrypted content. */
export type InboxMessage = {
  readonly notification: Notification;
  readonly content: MessageContent;
  readonly mark: InboxMark;
};

/** Whether a message is new, or the citizen marked it as unread. */
export function isUnread({ notification, mark }: Pick<InboxMessage, 'notification' | 'mark'>): boolean {
  return notification.status !== 'read' || mark.unread;
}

/** The position of a message in the order of an inbox. */
type InboxPosition = { readonly receivedAt: number; readonly id: NotificationId };

/** When a message was placed in the inbox: at once, or at the `sendAt` of its sender (epoch ms). */
export function receivedAtOf({ sendAt, createdAt }: Pick<Notification, 'sendAt' | 'createdAt'>): number {
  return sendAt ?? createdAt;
}

/** The position of the citizen's message with this id; undefined when there is none. */
export async function findInboxPosition(
  read: Read,
  citizenId: string,
  text: string,
): Promise<InboxPosition | undefined> {
  const id = parseId('notification', text);
  const found = id === undefined ? undefined : await findNotification(read, id);
  if (found?.citizenId !== citizenId) return undefined;
  return { receivedAt: receivedAtOf(found), id: found.id };
}

/** A page of the inbox: at most `limit` messages after the position `before`. */
type InboxPageRequest = {
  readonly limit: number;
  readonly before?: InboxPosition | undefined;
  readonly filter?: InboxFilter;
};

/** Counts the delivery, because PostgreSQL may turn `exists` into a join with all deliveries. */
function inboxHalf(condition: string, time: 'created_at' | 'send_at'): string {
  return `select * from (
    select ${notificationColumns}, content, ${time} as received_at, ${inboxMarkColumns}
    from notification n left join inbox_mark m on m.notification_id = n.id
    where citizen_id = $1 and ${condition} and (${time}, id) < ($2, $3) and 0 < (
      select count(*) from delivery d
      where d.notification_id = n.id and d.channel = 'inbox' and d.status in ('sent', 'delivered'))
    order by ${time} desc, id desc limit $4) as by_${time}`;
}

/**
 * The messages in a citizen's inbox, newest first by `receivedAt`, without erased ones. The query has two halves with an index each, so
 * that a message without `sendAt` needs one index entry only. The page starts after the position `before`. `next` is its last message
 * when older ones follow, even if that message cannot be decrypted.
 */
export async function findInboxPage(
  deps: Pick<InboxDeps, 'read' | 'citizenKeys'>,
  citizenId: string,
  { limit, before, filter = {} }: InboxPageRequest,
): Promise<{ readonly messages: readonly InboxMessage[]; readonly next: NotificationId | undefined }> {
  const only = filterConditions(filter, 5);
  const found = await deps.read(
    `${inboxHalf(`send_at is null${only.sql}`, 'created_at')} union all ${inboxHalf(`send_at is not null${only.sql}`, 'send_at')}
      order by received_at desc, id desc limit $4`,
    // Ids of notifications start with ntf_, so all sort before ntg. One row more than the limit shows whether older ones follow.
    [citizenId, before?.receivedAt ?? Number.MAX_SAFE_INTEGER, before?.id ?? 'ntg', limit + 1, ...only.args],
  );
  const rows = found.slice(0, limit);
  const opened = await Promise.all(
    rows.map(async (row) => {
      const notification = notificationFromRow(row);
      const content = await openMessageContent(deps.citizenKeys, notification, bytesField(row, 'content'));
      return content === undefined ? [] : [{ notification, content, mark: inboxMarkFromRow(row) }];
    }),
  );
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { messages: opened.flat(), next: last && notificationFromRow(last).id };
}

/**
 * Opens a message, which also removes its mark as unread. Commit the effect before you show the message: it proves the delivery and makes
 * the notification `read`. Undefined when the message is not in the citizen's inbox or was erased. If the commit is refused (`rows`)
 * because of a concurrent change, open it again.
 */
export async function openMessageOfCitizen(
  deps: InboxDeps,
  citizenId: string,
  request: { readonly id: NotificationId; readonly now: number },
): Promise<(InboxMessage & { readonly effect: Effect }) | undefined> {
  const found = await findNotificationWithContent(deps.read, request.id);
  if (found === undefined || found.notification.citizenId !== citizenId) return undefined;
  const { notification } = found;
  const mark = await findPlacedMark(deps.read, request.id);
  if (mark === undefined) return undefined;
  const content = await openMessageContent(deps.citizenKeys, notification, found.content);
  if (content === undefined) return undefined;
  const isFirstOpening = notification.status !== 'read';
  const event = {
    type: 'notification.opened',
    id: deps.createId('event'),
    at: request.now,
    actor: { citizen: true },
    citizenId,
    notification: request.id,
    newStatus: isFirstOpening ? 'read' : undefined,
  } as const;
  const statements = [
    markInboxDelivered(request.id, request.now),
    updateStatus(notification, 'read', request.now),
    skipUnneeded(request.id, 'already-read', request.now),
    ...recordUnproven(notification, 'read'),
    insertFeedEvent(notification, 'read', event),
  ];
  const unmark = mark.unread ? [changeInboxMark(request.id, { unread: false })] : [];
  return {
    notification,
    content,
    mark,
    effect: { events: [event], statements: [...(isFirstOpening ? statements : []), ...unmark] },
  };
}

/** The mark of a message that is in the inbox of its citizen; undefined when it is not there. */
export async function findPlacedMark(read: Read, id: NotificationId): Promise<InboxMark | undefined> {
  const [row] = await read(
    `select ${inboxMarkColumns} from delivery d left join inbox_mark m on m.notification_id = d.notification_id
      where d.notification_id = $1 and d.channel = 'inbox' and d.status in ('sent', 'delivered')`,
    [id],
  );
  return row === undefined ? undefined : inboxMarkFromRow(row);
}

/** A message of the citizen that is in the inbox and was not erased, without its content; undefined for any other id. */
export async function findInboxMessage(
  read: Read,
  citizenId: string,
  text: string,
): Promise<Pick<InboxMessage, 'notification' | 'mark'> | undefined> {
  const id = parseId('notification', text);
  const notification = id === undefined ? undefined : await findNotification(read, id);
  if (notification?.citizenId !== citizenId) return undefined;
  const mark = await findPlacedMark(read, notification.id);
  return mark && { notification, mark };
}
