import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';

/** The lock that a citizen controls. `unlocks` counts its removals on `day` (UTC days since 1970). */
export type CitizenLock = { readonly locked: boolean; readonly day: number; readonly unlocks: number };

const findLockRow = lookupByKey('citizen', 'citizen_id', 'citizen_id, locked_by_citizen, unlock_day, unlocks');

/** Undefined if the register has no such citizen. */
export async function findCitizenLock(read: Read, citizenId: string): Promise<CitizenLock | undefined> {
  const [row] = await findLockRow(read, citizenId);
  if (row === undefined) return undefined;
  const { locked_by_citizen: locked, unlock_day: day, unlocks } = row;
  return { locked: locked === true, day: Number(day ?? 0), unlocks: Number(unlocks ?? 0) };
}

/** Replaces `before` by `after`. The unit fails if the stored lock is no longer `before`. */
export function replaceCitizenLock(citizenId: string, before: CitizenLock, after: CitizenLock): Statement {
  return {
    sql: `update citizen set locked_by_citizen = $2, unlock_day = $3, unlocks = $4
      where citizen_id = $1 and coalesce(locked_by_citizen, false) = $5 and coalesce(unlocks, 0) = $6 returning citizen_id`,
    args: [citizenId, after.locked, after.day, after.unlocks, before.locked, before.unlocks],
    rows: 1,
  };
}
