import type { ClaimLevels, Measurement } from '../match/compare.ts';
import { competingThresholdFor, fitsWithoutMinimum } from '../match/decide.ts';
import { isConfirmed, isSameValue } from '../match/level.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { type ClaimedPerson, missingValueWeights } from './missing-value-weights.ts';

/** A candidate beside the person whom the answer would be about; none of the measures looks at an id. */
export type MeasuredCandidate = { readonly citizenId: string; readonly measured: Measurement };

/**
 * Who else of the register fits the claims about as well: twins, namesakes of a household, father and son. A match is then
 * left open, since the slip may be the other's own name. By probability somebody is a rival who would leave less than the
 * threshold to the person; by rules, who fits them as well.
 */
export function competingCandidates(
  own: MeasuredCandidate & ClaimedPerson,
  candidates: readonly MeasuredCandidate[],
  policy: MatchPolicy,
): MeasuredCandidate[] {
  return candidates.filter(createCompetingTest(own, candidates, policy));
}

function createCompetingTest(
  own: MeasuredCandidate & ClaimedPerson,
  candidates: readonly MeasuredCandidate[],
  policy: MatchPolicy,
): (candidate: MeasuredCandidate) => boolean {
  const threshold = competingThresholdFor(own.measured.levels, policy);
  const margin = Math.log2(threshold / (1 - threshold));
  const levels = candidates.map(({ measured }) => measured.levels);
  const missingWeights = policy.model === undefined ? () => 0 : missingValueWeights(own, levels);
  return ({ citizenId, measured }) => {
    if (citizenId === own.citizenId) return false;
    const asLikely =
      policy.model !== undefined && measured.weight + missingWeights(measured.levels) > own.measured.weight - margin;
    return asLikely || (!policy.tolerant && fitsWithoutMinimum(withIdAgreed(measured), policy));
  };
}

/** The measure as it were if the id had been given and agreed. */
export function withIdAgreed(measured: Measurement): Measurement {
  return { ...measured, levels: { ...measured.levels, citizenId: 'exact' } };
}

/** Whether the policy wants rivals looked for: where some claim is not quite what the register holds. */
export function needsAmbiguityCheck(levels: ClaimLevels, policy: MatchPolicy): boolean {
  if (!policy.rivals) return false;
  // Where the probability alone decides, a name or a date that nobody stated leaves room for others as well.
  if (
    policy.tolerant &&
    !(isSameValue(levels.givenName) && isSameValue(levels.familyName) && isSameValue(levels.birthDate))
  )
    return true;
  // A name or date that the register does not hold may be what tells somebody else from this person.
  if ([levels.givenName, levels.familyName, levels.birthDate].includes('missing')) return true;
  return Object.values(levels).some((level) => !isConfirmed(level) && level !== 'missing');
}
