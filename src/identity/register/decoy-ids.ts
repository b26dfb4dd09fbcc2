import type { VerificationId } from '../../kernel/id.ts';

/**
 * Two citizen ids that no citizen has. Attack: everybody can count ledger entries, so their number would reveal whether a search found
 * somebody. A search that concerns no citizen therefore writes entries about these ids. The entries are sealed under keys derived from the
 * root key, and no token can read them (test/attacks/verification-limit-ledger.test.ts).
 */
export function decoyIdsOf(verification: VerificationId): readonly string[] {
  return [`${decoyPrefix}${verification}:1`, `${decoyPrefix}${verification}:2`];
}

const decoyPrefix = 'nobody:';

/** Whether `decoyIdsOf` created this id. */
export function isDecoyId(citizenId: string): boolean {
  return citizenId.startsWith(`${decoyPrefix}ver_`);
}

/** Every search writes at least this number of entries with a citizen id. */
const minConcerned = 2;

/** The owners of a search's ledger entries: the concerned citizens, filled up with decoys to the minimum number. */
export function entryOwnersOf(concerned: readonly string[], verification: VerificationId): readonly string[] {
  const missing = Math.max(0, minConcerned - concerned.length);
  return [...concerned, ...decoyIdsOf(verification).slice(0, missing)];
}
