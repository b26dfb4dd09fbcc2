import type { ClaimLevels, Measurement } from '../match/compare.ts';
import { competingThresholdFor, fitsWithoutMinimum } from '../match/decide.ts';
import { isConfirmed, isSameValue } from '../match/level.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { isHouseholdMember, isMeantInstead } from './household-members.ts';
import { type ClaimedPerson, missingValueWeights } from './missing-value-weights.ts';

/** A candidate with its comparison, which ignores the id. */
type MeasuredCandidate = { readonly citizenId: string; readonly measured: Measurement };

/**
 * The candidates who fit the claims about as well as the person: twins, namesakes of a household, parent and child. The match is then
 * ambiguous. With a model a candidate competes if the probability of the person, compared with the candidate, is below the threshold;
 * unless the policy is tolerant also if it fits the agreement rules.
 */
export function competingCandidates(
  own: MeasuredCandidate & ClaimedPerson,
  candidates: readonly MeasuredCandidate[],
  policy: MatchPolicy,
): MeasuredCandidate[] {
  const threshold = competingThresholdFor(own.measured.levels, policy);
  const margin = Math.log2(threshold / (1 - threshold));
  const levels = candidates.map(({ measured }) => measured.levels);
  const missingWeights = policy.model === undefined ? () => 0 : missingValueWeights(own, levels);
  return candidates.filter(({ citizenId, measured }) => {
    if (citizenId === own.citizenId) return false;
    const isAsLikely =
      policy.model !== undefined && measured.weight + missingWeights(measured.levels) > own.measured.weight - margin;
    const isMember = policy.discountsHouseholds && isHouseholdMember(own.measured.levels, measured.levels);
    if (isMember && isMeantInstead(own.measured.levels, measured.levels)) return true;
    return isAsLikely || (!policy.tolerant && fitsWithoutMinimum(withIdAgreed(measured), policy));
  });
}

/** The comparison as if an agreeing id had been submitted. */
export function withIdAgreed(measured: Measurement): Measurement {
  return { ...measured, levels: { ...measured.levels, citizenId: 'exact' } };
}

/** Whether competing candidates have to be searched: the policy checks ambiguity, and some claim does not fully agree. */
export function needsAmbiguityCheck(levels: ClaimLevels, policy: MatchPolicy): boolean {
  if (!policy.checksAmbiguity) return false;
  // With a tolerant policy another person may differ only in a name or date that was not submitted.
  if (
    policy.tolerant &&
    !(isSameValue(levels.givenName) && isSameValue(levels.familyName) && isSameValue(levels.birthDate))
  )
    return true;
  // A name or date that the record lacks may be that of another person.
  if ([levels.givenName, levels.familyName, levels.birthDate].includes('missing')) return true;
  return Object.values(levels).some((level) => !isConfirmed(level) && level !== 'missing');
}
