import type { Measured } from './compare.ts';
import { fitsPair } from './decide.ts';
import type { Policy } from './policy.ts';

/** A candidate beside the person whom the answer would be about; none of the measures looks at an id. */
export type Candidate = { readonly citizenId: string; readonly measured: Measured };

/**
 * Whether somebody else of the register fits the claims as well: twins, namesakes of a household, father and son. A fuzzy
 * match is then left open, since the slip may be the other's own name.
 */
export function hasRival(own: Candidate, candidates: readonly Candidate[], policy: Policy): boolean {
  return candidates.some(({ citizenId, measured }) => {
    if (citizenId === own.citizenId) return false;
    return measured.weight >= own.measured.weight || fitsPair(asIfNamed(measured), policy);
  });
}

/** The measure as it were if the id had been given and agreed. */
export function asIfNamed(measured: Measured): Measured {
  return { ...measured, levels: { ...measured.levels, citizenId: 'exact' } };
}
