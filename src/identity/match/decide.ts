import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import type { Level } from './level.ts';
import { probabilityOf } from './model.ts';
import { type MatchPolicy, meetsMinimum } from './policy.ts';

/** The claims that tell namesakes apart: where somebody lives, and the number of a paper. */
export const identifyingClaims: readonly ClaimName[] = ['streetAddress', 'postalCode', 'documentNumber'];

export type MatchDecision = 'match' | 'no_match' | 'not_determined';

type ComparedLevels = {
  readonly levels: { readonly [claim in ClaimName]?: Level };
  readonly weight: number;
  readonly crossed: boolean;
};

type RecordFlags = Pick<RegisterRecord, 'underReview' | 'locked' | 'ownLock' | 'deceased'>;

/** What the policy makes of claims that fit: a silent record answers nothing, a disputed one is left open. */
export function decideRecord(flags: RecordFlags, fits: boolean, policy: MatchPolicy): MatchDecision {
  const isLocked = isLockedRecord(flags, policy);
  if (!fits || isLocked) return 'no_match';
  return flags.underReview ? 'not_determined' : 'match';
}

/** Whether nothing is told of a record, whatever fits it: a locked one, or that of the dead. */
export function isLockedRecord(
  { locked, ownLock, deceased }: Omit<RecordFlags, 'underReview'>,
  policy: MatchPolicy,
): boolean {
  return locked === true || ownLock === true || (deceased === true && !policy.deceasedMatch);
}

/**
 * Whether the claims fit the record and suffice, whatever the record is marked with. `counting` are those of them that may
 * stand for the minimum (`countingClaims`).
 */
export function fitsPolicy(found: ComparedLevels, policy: MatchPolicy, minimumClaims: ReadonlySet<ClaimName>): boolean {
  const agreed = agreedClaims(found.levels, policy).intersection(minimumClaims);
  return meetsMinimum(policy, agreed) && fitsWithoutMinimum(found, policy);
}

/** The probability from which such claims fit. */
export function thresholdFor(levels: ComparedLevels['levels'], policy: MatchPolicy): number {
  return hasIdentifyingClaim(levels) ? policy.threshold : policy.bareThreshold;
}

/** The probability that has to be left to the person beside a rival. */
export function competingThresholdFor(levels: ComparedLevels['levels'], policy: MatchPolicy): number {
  return hasIdentifyingClaim(levels) ? policy.threshold : Math.max(policy.bareThreshold, policy.rivalThreshold);
}

/** Whether something else than names and date says who it is. */
function hasIdentifyingClaim(levels: ComparedLevels['levels']): boolean {
  return identifyingClaims.some((claim) => identifyingLevels.has(levels[claim] ?? 'missing'));
}

/** Whether it is somebody at all: one name, or the date alone, is soon somebody else's. */
function isIdentified(levels: ComparedLevels['levels']): boolean {
  return (
    hasIdentifyingClaim(levels) ||
    nameAndDateClaims.filter((claim) => nameAndDateLevels.has(levels[claim] ?? 'missing')).length >= 2
  );
}

const identifyingLevels: ReadonlySet<Level> = new Set(['exact', 'normalised', 'similar', 'former']);
const nameAndDateClaims = ['givenName', 'familyName', 'birthDate'] as const;
const nameAndDateLevels: ReadonlySet<Level> = new Set([...identifyingLevels, 'precision', 'inverted', 'shortened']);

/**
 * Whether claims and record fit, apart from the minimum set: by the rules of agreement, where the policy has them, and by
 * the probability, where it has a model. Names count as one claim, and no more than `mostFuzzy` claims may be fuzzy. Where
 * the probability alone decides, two of names and date have to agree, or the address, or the document number.
 */
export function fitsWithoutMinimum(found: ComparedLevels, policy: MatchPolicy): boolean {
  const { weight, levels } = found;
  if (levels.citizenId === 'different') return false;
  const likely =
    policy.model === undefined || probabilityOf(weight, policy.model.prior) >= thresholdFor(levels, policy);
  return likely && (policy.tolerant ? isIdentified(levels) : agreesByRules(found, policy));
}

/** Every claim agrees or is unknown to the register; fuzzy ones within what the policy allows. */
function agreesByRules({ levels, crossed }: ComparedLevels, policy: MatchPolicy): boolean {
  const besideId = hasAgreeingId(levels, policy);
  let fuzzy = 0;
  for (const [claim, level] of Object.entries(levels) as [ClaimName, Level][]) {
    if (level === 'missing' || policy.agreement.has(level)) continue;
    if (!besideId || !(policy.agreementBesideId[claim]?.has(level) ?? false)) return false;
    // Names in each other's field are one fault.
    const counted = crossed && claim === 'familyName' && levels.givenName !== undefined;
    if (level !== 'precision' && countedAsFuzzy.has(claim) && !counted) fuzzy += 1;
  }
  return fuzzy <= policy.mostFuzzy;
}

function hasAgreeingId(levels: ComparedLevels['levels'], policy: MatchPolicy): boolean {
  const agrees = (level: Level | undefined) => level !== undefined && policy.agreement.has(level);
  return agrees(levels.citizenId) || agrees(levels.documentNumber);
}

/**
 * The claims that agree, some of them only beside an agreeing id or document number. In a search a place or number has to be the
 * register's own: of those that are nearly right there are any number, and by another one each time dates could be tried without
 * end (test/attacks/verification-limit-tolerant-policy.test.ts).
 */
function agreedClaims(levels: ComparedLevels['levels'], policy: MatchPolicy): Set<ClaimName> {
  const besideId = hasAgreeingId(levels, policy);
  const isSearch = levels.citizenId === undefined;
  const isTolerated = (claim: ClaimName, level: Level) =>
    isSearch && identifyingClaims.includes(claim) ? level === 'former' : level !== 'different' && level !== 'missing';
  const agreed = new Set<ClaimName>();
  for (const [claim, level] of Object.entries(levels) as [ClaimName, Level][]) {
    const counts =
      policy.agreement.has(level) ||
      (policy.tolerant && isTolerated(claim, level)) ||
      (besideId && policy.agreementBesideId[claim]?.has(level) === true);
    if (counts) agreed.add(claim);
  }
  return agreed;
}

const countedAsFuzzy: ReadonlySet<ClaimName> = new Set([
  'givenName',
  'familyName',
  'birthFamilyName',
  'birthDate',
  'documentNumber',
]);
