import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';

/** The lock that a citizen holds, and how often it was lifted on the day (UTC, counted from 1970) of its last lifting. */
export type CitizenLock = { readonly locked: boolean; readonly day: number; readonly unlocks: number };

const findLockRow = lookupByKey('citizen', 'citizen_id', 'citizen_id, own_lock, unlock_day, unlocks');

/** The lock of a citizen; undefined where the register has no such person. */
export async function findCitizenLock(read: Read, citizenId: string): Promise<CitizenLock | undefined> {
  const [row] = await findLockRow(read, citizenId);
  if (row === undefined) return undefined;
  const { own_lock: locked, unlock_day: day, unlocks } = row;
  return { locked: locked === true, day: Number(day ?? 0), unlocks: Number(unlocks ?? 0) };
}

/** Puts the other state in place of that one; the unit is refused where it is not that one any more. */
export function replaceCitizenLock(citizenId: string, before: CitizenLock, after: CitizenLock): Statement {
  return {
    sql: `update citizen set own_lock = $2, unlock_day = $3, unlocks = $4
      where citizen_id = $1 and coalesce(own_lock, false) = $5 and coalesce(unlocks, 0) = $6 returning citizen_id`,
    args: [citizenId, after.locked, after.day, after.unlocks, before.locked, before.unlocks],
    rows: 1,
  };
}
