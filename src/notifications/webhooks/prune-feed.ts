import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WriteUnit } from './number-feed.ts';

const prunedPerBatch = 500;

/** What is taken out: events from before that instant (epoch ms). */
type PruneOptions = { readonly read: Read; readonly write: WriteUnit; readonly before: number };

/**
 * Takes the events and calls from before an instant out of the feed, a batch at a time. In the unit of each batch the
 * client's head learns up to which number its feed is gone, so that a cursor from before is refused instead of being
 * answered with a gap. Events without a number stay. Two processes may do so at once: what the other has done changes nothing.
 */
export async function pruneFeed({ read, write, before }: PruneOptions): Promise<void> {
  // Each page begins behind the one before: PostgreSQL goes past all that was taken out since it last cleaned up.
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Page = { after, rows: await findPrunable(read, before, after) };
    if (page.rows.length > 0) await write(pruneStatements(page, before));
    after = page.rows.length === prunedPerBatch ? lastIdOf(page) : undefined;
  }
}

/** The oldest events behind that id, as far as they are numbered and from before. */
type Page = { readonly after: string; readonly rows: readonly Row[] };

const lastIdOf = ({ rows }: Page) => textField(rows.at(-1) ?? {}, 'id');

/** Ids are ordered by time, so no other index is needed. */
async function findPrunable(read: Read, before: number, after: string): Promise<Row[]> {
  const rows = await read(
    `select id, client_id, number, at from feed_event where id > $1 order by id limit ${prunedPerBatch}`,
    [after],
  );
  const end = rows.findIndex((row) => integerField(row, 'at') >= before || integerOrNull(row, 'number') === null);
  return end < 0 ? rows : rows.slice(0, end);
}

function pruneStatements(page: Page, before: number): Statement[] {
  const heads = [...Map.groupBy(page.rows, (row) => textField(row, 'client_id'))].map(([clientId, rows]) => ({
    sql: 'update feed_head set pruned = case when pruned < $1 then $1 else pruned end where client_id = $2',
    args: [Math.max(...rows.map((row) => integerField(row, 'number'))), clientId],
  }));
  const args = [page.after, lastIdOf(page), before];
  return [
    ...heads,
    {
      // Counted, since PostgreSQL may join `exists` with all calls.
      sql: `delete from webhook_call where event_id > $1 and event_id <= $2 and 0 < (select count(*) from feed_event e
        where e.id = webhook_call.event_id and e.at < $3 and e.number is not null)`,
      args,
    },
    { sql: 'delete from feed_event where id > $1 and id <= $2 and at < $3 and number is not null', args },
  ];
}
