import type { Read, Statement } from '../db/database.ts';
import { bytesField } from '../db/row-fields.ts';
import type { EventId, LookUpId } from '../kernel/id.ts';
import { openStaffValue, type StaffKeys, sealStaffValue, subjectTag } from './staff-entry-store.ts';

/** How long the person who made a look-up can read its result again, in milliseconds. */
export const lookUpKeptMs = 1_800_000;

/** The result of a look-up: the found citizens, each with the ledger event of the look-up. */
export type StoredLookUp = {
  readonly found: readonly { readonly citizenId: string; readonly event: EventId }[];
  readonly hasMore: boolean;
  readonly entry: string;
  readonly reason: string;
  readonly reference: string;
};

/** An instant in epoch milliseconds, and the person who made the look-up. */
type Owner = { readonly subject: string; readonly now: number };

/** Stores a look-up for its person, and deletes the expired ones. */
export function insertLookUp(
  keys: StaffKeys,
  id: LookUpId,
  { subject, now, ...lookUp }: StoredLookUp & Owner,
): Statement[] {
  return [
    { sql: 'delete from staff_look_up where expires_at <= $1', args: [now] },
    {
      sql: 'insert into staff_look_up (id, expires_at, subject_tag, content) values ($1, $2, $3, $4)',
      args: [id, now + lookUpKeptMs, subjectTag(keys, subject), sealStaffValue(keys, id, lookUp)],
    },
  ];
}

/** The look-up that this person made within `lookUpKeptMs`. */
export async function findLookUp(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  id: LookUpId,
  { subject, now }: Owner,
): Promise<StoredLookUp | undefined> {
  const sql = 'select content from staff_look_up where id = $1 and subject_tag = $2 and expires_at > $3';
  const [row] = await read(sql, [id, subjectTag({ root }, subject), now]);
  // `insertLookUp` wrote it, and it was authenticated.
  return row && (openStaffValue({ root }, id, bytesField(row, 'content')) as StoredLookUp);
}

/** For the erasure of a citizen. The found citizens are sealed, so the erasure deletes the look-ups of all citizens. */
export const deleteLookUps: Statement = { sql: 'delete from staff_look_up', args: [] };
