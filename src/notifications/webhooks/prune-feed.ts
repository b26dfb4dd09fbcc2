import type { Read, Row, Statement } from '../../store/db.ts';
import { textField, wholeField, wholeOrNull } from '../../store/row-fields.ts';
import type { WriteUnit } from './number-feed.ts';

const prunedAtOnce = 500;

/** What is taken out: events from before that instant (epoch ms). */
export type Pruning = { readonly read: Read; readonly write: WriteUnit; readonly before: number };

/**
 * Takes the events and calls from before an instant out of the feed, a batch at a time. In the unit of each batch the
 * client's head learns up to which number its feed is gone, so that a cursor from before is refused instead of being
 * answered with a gap. Events without a number stay. Two processes may do so at once: what the other has done changes nothing.
 */
export async function pruneFeed({ read, write, before }: Pruning): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    const batch = await findOldest(read, before);
    if (batch.length > 0) await write(removal(batch, before));
    isLeft = batch.length === prunedAtOnce;
  }
}

/** The oldest events, as far as they are numbered and from before. Ids are ordered by time, so no other index is needed. */
async function findOldest(read: Read, before: number): Promise<Row[]> {
  const rows = await read('select id, client_id, number, at from feed_event order by id limit $1', [prunedAtOnce]);
  const end = rows.findIndex((row) => wholeField(row, 'at') >= before || wholeOrNull(row, 'number') === null);
  return end < 0 ? rows : rows.slice(0, end);
}

function removal(batch: readonly Row[], before: number): Statement[] {
  const heads = [...Map.groupBy(batch, (row) => textField(row, 'client_id'))].map(([clientId, rows]) => ({
    sql: 'update feed_head set pruned = case when pruned < $1 then $1 else pruned end where client_id = $2',
    args: [Math.max(...rows.map((row) => wholeField(row, 'number'))), clientId],
  }));
  const last = textField(batch.at(-1) ?? {}, 'id');
  return [
    ...heads,
    {
      // Counted, since PostgreSQL may join `exists` with all calls.
      sql: `delete from webhook_call where event_id <= $1 and 0 < (select count(*) from feed_event e
        where e.id = webhook_call.event_id and e.at < $2 and e.number is not null)`,
      args: [last, before],
    },
    { sql: 'delete from feed_event where id <= $1 and at < $2 and number is not null', args: [last, before] },
  ];
}
