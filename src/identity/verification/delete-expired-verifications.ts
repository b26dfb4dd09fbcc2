import type { Read } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { verificationLimitWindowMs } from '../verification-limit/verification-limiter.ts';

/** Other writes wait for each deletion, so one deletion is limited to this number of rows. */
const deleteBatchRows = 500;

/** Deletes the keys without a counted failure in the last month, and returns their number. */
export async function deleteExpiredFailures(claim: WriteWithoutEvent, now: number): Promise<number> {
  for (let total = 0; ; ) {
    // The age is checked twice: on PostgreSQL a failure may be counted between the subquery and the deletion.
    const rows = await claim({
      sql: `delete from verification_limit where updated_at < $1 and verification_key in
        (select verification_key from verification_limit where updated_at < $1 order by updated_at limit ${deleteBatchRows}) returning verification_key`,
      args: [now - verificationLimitWindowMs],
    });
    total += rows.length;
    if (rows.length < deleteBatchRows) return total;
  }
}

/** Results that were checked before this time (epoch ms) are deleted. */
type VerificationExpiry = { readonly read: Read; readonly claim: WriteWithoutEvent; readonly before: number };

/** Deletes expired results, and returns their number. Their events stay in the ledger. */
export async function deleteExpiredVerifications({ read, claim, before }: VerificationExpiry): Promise<number> {
  let total = 0;
  for (let after = ''; ; ) {
    // Ids are ordered by time, so no other index is needed. Each page starts after the previous one: PostgreSQL would otherwise scan
    // all rows that were deleted since its last vacuum.
    const oldest = await read(
      `select id, checked_at from verification where id > $1 order by id limit ${deleteBatchRows}`,
      [after],
    );
    const end = oldest.findIndex((row) => integerField(row, 'checked_at') >= before);
    const last = oldest.at(end < 0 ? -1 : end - 1);
    if (last === undefined || end === 0) return total;
    const rows = await claim({
      sql: 'delete from verification where id > $1 and id <= $2 and checked_at < $3 returning id',
      args: [after, textField(last, 'id'), before],
    });
    total += rows.length;
    if (oldest.length < deleteBatchRows || end >= 0) return total;
    after = textField(last, 'id');
  }
}
