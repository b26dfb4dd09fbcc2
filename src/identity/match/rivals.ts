import type { Levels, Measured } from './compare.ts';
import { fitsPair, rivalThresholdFor } from './decide.ts';
import { isBorneOut, isSame } from './level.ts';
import type { Policy } from './policy.ts';
import { gapsOf, type Person } from './rival-gaps.ts';

/** A candidate beside the person whom the answer would be about; none of the measures looks at an id. */
export type Candidate = { readonly citizenId: string; readonly measured: Measured };

/**
 * Who else of the register fits the claims about as well: twins, namesakes of a household, father and son. A match is then
 * left open, since the slip may be the other's own name. By probability somebody is a rival who would leave less than the
 * threshold to the person; by rules, who fits them as well.
 */
export function rivalsOf(own: Candidate & Person, candidates: readonly Candidate[], policy: Policy): Candidate[] {
  return candidates.filter(rivalling(own, candidates, policy));
}

function rivalling(
  own: Candidate & Person,
  candidates: readonly Candidate[],
  policy: Policy,
): (candidate: Candidate) => boolean {
  const threshold = rivalThresholdFor(own.measured.levels, policy);
  const margin = Math.log2(threshold / (1 - threshold));
  const levels = candidates.map(({ measured }) => measured.levels);
  const gaps = policy.model === undefined ? () => 0 : gapsOf(own, levels);
  return ({ citizenId, measured }) => {
    if (citizenId === own.citizenId) return false;
    const asLikely =
      policy.model !== undefined && measured.weight + gaps(measured.levels) > own.measured.weight - margin;
    return asLikely || (!policy.tolerant && fitsPair(asIfNamed(measured), policy));
  };
}

/** The measure as it were if the id had been given and agreed. */
export function asIfNamed(measured: Measured): Measured {
  return { ...measured, levels: { ...measured.levels, citizenId: 'exact' } };
}

/** Whether the policy wants rivals looked for: where some claim is not quite what the register holds. */
export function needsRivals(levels: Levels, policy: Policy): boolean {
  if (!policy.rivals) return false;
  // Where the probability alone decides, a name or a date that nobody stated leaves room for others as well.
  if (policy.tolerant && !(isSame(levels.givenName) && isSame(levels.familyName) && isSame(levels.birthDate)))
    return true;
  // A name or date that the register does not hold may be what tells somebody else from this person.
  if ([levels.givenName, levels.familyName, levels.birthDate].includes('missing')) return true;
  return Object.values(levels).some((level) => !isBorneOut(level) && level !== 'missing');
}
