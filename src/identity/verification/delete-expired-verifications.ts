import type { Read } from '../../db/database.ts';
import { integerField, textField } from '../../db/row-fields.ts';
import type { WriteWithoutEvent } from '../../jobs/write-without-event.ts';
import { verificationLimitWindowMs } from '../verification-limit/verification-limiter.ts';

/** So many rows go in one write, which others wait for. */
const deleteBatchRows = 500;

/** Takes out the budgets about whom nobody has guessed wrong for as long as a guess counts; gives how many. */
export async function deleteExpiredFailures(claim: WriteWithoutEvent, now: number): Promise<number> {
  for (let total = 0; ; ) {
    // The age stands there twice: on PostgreSQL a guess may be counted between the look and the deletion.
    const rows = await claim({
      sql: `delete from guess_budget where updated_at < $1 and subject in
        (select subject from guess_budget where updated_at < $1 order by updated_at limit ${deleteBatchRows}) returning subject`,
      args: [now - verificationLimitWindowMs],
    });
    total += rows.length;
    if (rows.length < deleteBatchRows) return total;
  }
}

/** What is taken out: answers from before that instant (epoch ms). */
export type VerificationExpiry = { readonly read: Read; readonly claim: WriteWithoutEvent; readonly before: number };

/** Takes out sealed answers that were kept long enough, and gives how many. Their events stay in the ledger. */
export async function deleteExpiredVerifications({ read, claim, before }: VerificationExpiry): Promise<number> {
  let total = 0;
  for (let after = ''; ; ) {
    // Ids are ordered by time, so no other index is needed. Each page begins behind the one before: PostgreSQL goes past all
    // that was taken out since it last cleaned up.
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
