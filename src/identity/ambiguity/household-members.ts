import type { ClaimLevels } from '../match/compare.ts';
import { fitsWithoutMinimum } from '../match/decide.ts';
import { isSameValue, type Level } from '../match/level.ts';
import type { MatchPolicy } from '../match/policy.ts';
import type { ClaimName } from '../register/claims.ts';
import type { ClaimedPerson } from './missing-value-weights.ts';

const addressClaims = ['streetAddress', 'postalCode', 'locality', 'country'] as const;
const householdClaims = ['streetAddress', 'postalCode'] as const;
/** The claims that differ between the members of a household. */
const personalClaims = ['givenName', 'birthDate'] as const;

const agreeing: ReadonlySet<Level> = new Set([
  'exact',
  'normalised',
  'transliterated',
  'similar',
  'shortened',
  'former',
]);

/** Whether the other person lives at the claimed address, as far as the address agrees with the record of the person. */
export function isHouseholdMember(own: ClaimLevels, other: ClaimLevels): boolean {
  const agreed = householdClaims.filter((claim) => agrees(own[claim]));
  return agreed.length > 0 && agreed.every((claim) => agrees(other[claim]));
}

function agrees(level: Level | undefined): boolean {
  return level !== undefined && agreeing.has(level);
}

/** Whether a given name or date is that of the household member and not that of the person. */
export function isMeantInstead(own: ClaimLevels, member: ClaimLevels): boolean {
  return personalClaims.some((claim) => isSameValue(member[claim]) && !isSameValue(own[claim]));
}

/**
 * Whether the given name agrees, or the claims fit the person if the address is not stated: an address proves nothing between the people who
 * live there, of whom some may not be registered.
 */
export function fitsWithoutAddress({ measured, without }: ClaimedPerson, policy: MatchPolicy): boolean {
  if (isSameValue(measured.levels.givenName)) return true;
  const isStated = (claim: ClaimName) => measured.levels[claim] !== undefined && measured.levels[claim] !== 'missing';
  const stated = addressClaims.filter(isStated);
  // Weights are a sum over the claims.
  const weight = stated.reduce((rest, claim) => rest - measured.weight + without(claim).weight, measured.weight);
  const missing: ClaimLevels = Object.fromEntries(stated.map((claim) => [claim, 'missing' as const]));
  return fitsWithoutMinimum({ ...measured, weight, levels: { ...measured.levels, ...missing } }, policy);
}
