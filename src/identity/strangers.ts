import type { VerificationId } from '../kernel/id.ts';

/**
 * Two citizen ids that nobody has, made for one question: what a search writes about citizens is written about them where it
 * concerns nobody. The ledger seals it under keys derived from the root, and nobody ever reads it: no token names them.
 */
export function strangersOf(verification: VerificationId): readonly string[] {
  return [`${prefix}${verification}:1`, `${prefix}${verification}:2`];
}

const prefix = 'nobody:';

/** Whether this id was made for a question. */
export function isStranger(citizenId: string): boolean {
  return citizenId.startsWith(`${prefix}ver_`);
}

/** So many entries about citizens a search leaves at least. */
const leastConcerned = 2;

/** Whom a search writes of in the ledger: everybody whom it concerns, filled up so that their number does not tell. */
export function ownersOf(concerned: readonly string[], verification: VerificationId): readonly string[] {
  const missing = Math.max(0, leastConcerned - concerned.length);
  return [...concerned, ...strangersOf(verification).slice(0, missing)];
}
