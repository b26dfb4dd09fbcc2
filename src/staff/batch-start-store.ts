import type { Read, Statement } from '../db/database.ts';
import { integerField } from '../db/row-fields.ts';
import { type StaffKeys, subjectTag } from './staff-entry-store.ts';

/** The messages of the batches that a person starts alone within this time count together. */
const countedMs = 24 * 3_600_000;

/** A batch that a person starts alone, without a proposal. `at` is in epoch milliseconds. */
type BatchStart = {
  readonly batch: string;
  readonly service: string;
  readonly subject: string;
  readonly at: number;
  readonly messages: number;
};

const countedMessages =
  'select cast(coalesce(sum(messages), 0) as bigint) as messages from staff_batch_start where subject_tag = $1 and at > $2';

/** The number of messages in the batches that a person has started alone within 24 hours. */
export async function countStartedMessages(
  read: Read,
  keys: Pick<StaffKeys, 'root'>,
  { subject, at }: Pick<BatchStart, 'subject' | 'at'>,
): Promise<number> {
  const rows = await read(countedMessages, [subjectTag(keys, subject), at - countedMs]);
  return rows.reduce((sum, row) => sum + integerField(row, 'messages'), 0);
}

/**
 * Stores that a person starts a batch alone. Refused (`rows`) if the person would then be over the limit. The first statement locks the
 * service of the person, so that two starts at the same time count one after the other.
 */
export function insertBatchStart(
  keys: Pick<StaffKeys, 'root'>,
  { batch, service, subject, at, messages }: BatchStart,
  limit: number,
): Statement[] {
  return [
    { sql: 'update client set name = name where client_id = $1', args: [service] },
    {
      sql: `insert into staff_batch_start (batch_id, subject_tag, at, messages)
        select cast($3 as text), cast($1 as text), cast($4 as bigint), cast($5 as bigint)
        where (${countedMessages}) + $5 <= $6 returning batch_id`,
      args: [subjectTag(keys, subject), at - countedMs, batch, at, messages, limit],
      rows: 1,
    },
  ];
}
