import type { VerificationId } from '../../kernel/id.ts';

/**
 * Two citizen ids that nobody has, made for one question: what a search writes about citizens is written about them where it
 * concerns nobody. The ledger seals it under keys derived from the root, and nobody ever reads it: no token names them.
 */
export function decoyIdsOf(verification: VerificationId): readonly string[] {
  return [`${decoyPrefix}${verification}:1`, `${decoyPrefix}${verification}:2`];
}

const decoyPrefix = 'nobody:';

/** Whether this id was made for a question. */
export function isDecoyId(citizenId: string): boolean {
  return citizenId.startsWith(`${decoyPrefix}ver_`);
}

/** So many entries about citizens a search leaves at least. */
const minConcerned = 2;

/** Whom a search writes of in the ledger: everybody whom it concerns, filled up so that their number does not tell. */
export function entryOwnersOf(concerned: readonly string[], verification: VerificationId): readonly string[] {
  const missing = Math.max(0, minConcerned - concerned.length);
  return [...concerned, ...decoyIdsOf(verification).slice(0, missing)];
}
