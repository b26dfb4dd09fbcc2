import type { Read, Row, Statement } from '../../db/database.ts';
import { integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WriteUnit } from './number-feed.ts';

const prunedPerBatch = 500;

/** Events from before the instant `before` (epoch ms) are deleted. */
type PruneOptions = { readonly read: Read; readonly write: WriteUnit; readonly before: number };

/**
 * Deletes the events and calls from before an instant, in batches. The unit of each batch also stores the last deleted number of the
 * client, so that an older cursor is refused and never answered with a gap. Events without a number stay. Two processes can do this
 * at the same time.
 */
export async function pruneFeed({ read, write, before }: PruneOptions): Promise<void> {
  // Each batch starts after the previous one. Otherwise PostgreSQL would read the deleted rows again until the next vacuum.
  for (let after = ''; ; ) {
    const rows = await findPrunable(read, before, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const until = textField(last, 'id');
    await write(pruneStatements(rows, { after, until, before }));
    if (rows.length < prunedPerBatch) return;
    after = until;
  }
}

/** The oldest numbered events after the id `after` that can be deleted. Ids are ordered by time, so no other index is needed. */
async function findPrunable(read: Read, before: number, after: string): Promise<Row[]> {
  const rows = await read(
    `select id, client_id, number, at from feed_event where id > $1 order by id limit ${prunedPerBatch}`,
    [after],
  );
  const end = rows.findIndex((row) => integerField(row, 'at') >= before || integerOrNull(row, 'number') === null);
  return end < 0 ? rows : rows.slice(0, end);
}

/** The events after the id `after`, up to `until`, from before the instant `before`. */
type Batch = { readonly after: string; readonly until: string; readonly before: number };

function pruneStatements(rows: readonly Row[], { after, until, before }: Batch): Statement[] {
  const heads = [...Map.groupBy(rows, (row) => textField(row, 'client_id'))].map(([clientId, events]) => ({
    sql: 'update feed_head set pruned = case when pruned < $1 then $1 else pruned end where client_id = $2',
    args: [Math.max(...events.map((row) => integerField(row, 'number'))), clientId],
  }));
  const args = [after, until, before];
  return [
    ...heads,
    {
      // A count, because PostgreSQL may turn `exists` into a join with all calls.
      sql: `delete from webhook_call where event_id > $1 and event_id <= $2 and 0 < (select count(*) from feed_event e
        where e.id = webhook_call.event_id and e.at < $3 and e.number is not null)`,
      args,
    },
    { sql: 'delete from feed_event where id > $1 and id <= $2 and at < $3 and number is not null', args },
  ];
}
