import { Type } from 'typebox';
import type { SqlValue } from '../../db/database.ts';
import { type Category, categories } from '../notification/notification.ts';
import { literalUnion } from '../notification/notification-shape.ts';

/** The messages that a list or a search of the inbox returns. A member that is absent excludes none. */
export type InboxFilter = {
  readonly senderId?: string | undefined;
  readonly category?: Category | undefined;
  readonly unread?: boolean | undefined;
  readonly archived?: boolean | undefined;
};

/** The schema of these members in a request. */
export const inboxFilterProperties = {
  senderId: Type.Optional(
    Type.String({ maxLength: 64, description: 'The client whose messages are returned. Default: all clients.' }),
  ),
  category: Type.Optional(literalUnion(categories, 'The category of the returned messages. Default: all categories.')),
  unread: Type.Optional(
    Type.Boolean({
      description: 'true: only messages that are new or marked as unread. false: only the others. Default: all.',
    }),
  ),
  archived: Type.Optional(
    Type.Boolean({ description: 'true: only archived messages. false: only the others. Default: all.' }),
  ),
};

/** Whether a message is unread, in SQL. The citizen has not opened it, or marked it as unread afterwards. */
export const unreadSql = "(n.status <> 'read' or coalesce(m.unread, false) = true)";
/** Whether a message is archived, in SQL. */
export const archivedSql = 'coalesce(m.archived, false) = true';

/** The conditions of a filter on `notification n` and `inbox_mark m`, with its arguments from `$first` on. */
export function filterConditions(
  { senderId, category, unread, archived }: InboxFilter,
  first: number,
): { readonly sql: string; readonly args: readonly SqlValue[] } {
  const args: SqlValue[] = [];
  const conditions: string[] = [];
  const compare = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(`${column} = $${first + args.length}`);
    args.push(value);
  };
  const is = (condition: string, wanted: boolean | undefined) => {
    if (wanted !== undefined) conditions.push(wanted ? condition : `not (${condition})`);
  };
  compare('n.client_id', senderId);
  compare('n.category', category);
  is(unreadSql, unread);
  is(archivedSql, archived);
  return { sql: conditions.map((condition) => ` and ${condition}`).join(''), args };
}
