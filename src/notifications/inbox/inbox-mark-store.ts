import type { Row, Statement } from '../../db/database.ts';
import type { NotificationId } from '../../kernel/id.ts';

/** The marks that a citizen gave to a message in the inbox. They change nothing for its sender. */
export type InboxMark = { readonly archived: boolean; readonly unread: boolean };

/** One change of a mark. */
export type InboxMarkChange = Partial<InboxMark>;

/** The columns of the joined table `m` that `inboxMarkFromRow` reads. */
export const inboxMarkColumns = 'm.archived, m.unread as marked_unread';

/** Reads a row with `inboxMarkColumns`. A message without a mark has nulls. */
export function inboxMarkFromRow(row: Row): InboxMark {
  return { archived: row['archived'] === true, unread: row['marked_unread'] === true };
}

/** Stores one change of the mark of a message. Members that it does not name stay. */
export function changeInboxMark(notification: NotificationId, change: InboxMarkChange): Statement {
  return {
    sql: `insert into inbox_mark (notification_id, archived, unread)
      values ($1, coalesce(cast($2 as boolean), false), coalesce(cast($3 as boolean), false))
      on conflict (notification_id) do update set
        archived = coalesce(cast($2 as boolean), inbox_mark.archived),
        unread = coalesce(cast($3 as boolean), inbox_mark.unread)`,
    args: [notification, change.archived ?? null, change.unread ?? null],
  };
}

/** Deletes the marks of the messages of an erased citizen. `erasedId` has replaced the citizen id in their rows. */
export function deleteInboxMarks(erasedId: string): Statement {
  return {
    sql: 'delete from inbox_mark where notification_id in (select id from notification where citizen_id = $1)',
    // PostgreSQL would join all marks.
    postgresSql:
      'delete from inbox_mark where notification_id = any(array(select id from notification where citizen_id = $1))',
    args: [erasedId],
  };
}
