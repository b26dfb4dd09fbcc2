import type { Read } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import { archivedSql, unreadSql } from './inbox-filter.ts';

/** The newest messages that an overview counts. */
export const maxCounted = 1_000;

/** The clients that sent messages to an inbox, and the number of unread messages outside the archive. */
type InboxOverview = { readonly unread: number; readonly senders: readonly string[] };

/** Counts the newest `maxCounted` messages in the inbox of a citizen, without decrypting any. */
export async function findInboxOverview(read: Read, citizenId: string): Promise<InboxOverview> {
  const rows = await read(
    `select n.client_id, sum(case when ${unreadSql} and not (${archivedSql}) then 1 else 0 end) as unread
      from (
        select id, client_id, status from notification
        where citizen_id = $1 and 0 < (
          select count(*) from delivery d
          where d.notification_id = notification.id and d.channel = 'inbox' and d.status in ('sent', 'delivered'))
        order by created_at desc, id desc limit $2) as n
      left join inbox_mark m on m.notification_id = n.id
      group by n.client_id order by n.client_id`,
    [citizenId, maxCounted],
  );
  return {
    unread: rows.reduce((total, row) => total + integerField(row, 'unread'), 0),
    senders: rows.map((row) => textField(row, 'client_id')),
  };
}
