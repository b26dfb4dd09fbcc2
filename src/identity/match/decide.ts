import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import type { Level } from './level.ts';
import { probabilityOf } from './model.ts';
import { type MatchPolicy, meetsMinimum } from './policy.ts';

/** The claims that distinguish people with the same names and birth date. */
export const identifyingClaims: readonly ClaimName[] = ['streetAddress', 'postalCode', 'documentNumber'];

/** `not_determined`: the record is disputed, several people fit, or the register is unavailable. */
export type MatchDecision = 'match' | 'no_match' | 'not_determined';

type ComparedLevels = {
  readonly levels: { readonly [claim in ClaimName]?: Level };
  readonly weight: number;
  readonly crossed: boolean;
  readonly contradicted: boolean;
};

type RecordFlags = Pick<RegisterRecord, 'underReview' | 'locked' | 'lockedByCitizen' | 'deceased'>;

/** The decision for a record: a locked record never matches, a disputed one is not determined. */
export function decideRecord(flags: RecordFlags, fits: boolean, policy: MatchPolicy): MatchDecision {
  const isLocked = isLockedRecord(flags, policy);
  if (!fits || isLocked) return 'no_match';
  return flags.underReview ? 'not_determined' : 'match';
}

/** Whether the record is answered no_match whatever claims fit: it is locked, or the person has died. */
export function isLockedRecord(
  { locked, lockedByCitizen, deceased }: Omit<RecordFlags, 'underReview'>,
  policy: MatchPolicy,
): boolean {
  return locked === true || lockedByCitizen === true || (deceased === true && !policy.deceasedMatch);
}

/** Whether the claims fit the record and the agreeing ones meet the minimum, regardless of locks. `minimumClaims`: see `claimsForMinimum`. */
export function fitsPolicy(found: ComparedLevels, policy: MatchPolicy, minimumClaims: ReadonlySet<ClaimName>): boolean {
  if (policy.refusesContradictions && areBothNamesUncertain(found)) return false;
  const agreed = agreedClaims(found.levels, policy).intersection(minimumClaims);
  return meetsMinimum(policy, agreed) && fitsWithoutMinimum(found, policy);
}

/**
 * Whether a search states both names otherwise than the register. Attack: misspelled names are unlimited, and each pair has new verification
 * keys, so an attacker could try birth dates beside an address (test/attacks/verification-limit-divided-names.test.ts).
 */
function areBothNamesUncertain({ levels, crossed }: ComparedLevels): boolean {
  const isUncertain = (level: Level | undefined) => level !== undefined && uncertainNameLevels.has(level);
  return levels.citizenId === undefined && !crossed && isUncertain(levels.givenName) && isUncertain(levels.familyName);
}

const uncertainNameLevels: ReadonlySet<Level> = new Set(['similar', 'shortened', 'close', 'near', 'different']);

/** The probability above which claims with these levels fit. */
export function thresholdFor(levels: ComparedLevels['levels'], policy: MatchPolicy): number {
  return hasIdentifyingClaim(levels) ? policy.threshold : policy.bareThreshold;
}

/** The probability that the person must keep next to a competing candidate. */
export function competingThresholdFor(levels: ComparedLevels['levels'], policy: MatchPolicy): number {
  return hasIdentifyingClaim(levels) ? policy.threshold : Math.max(policy.bareThreshold, policy.competingThreshold);
}

/** Whether an address, postal code or document number agrees. */
function hasIdentifyingClaim(levels: ComparedLevels['levels']): boolean {
  return identifyingClaims.some((claim) => identifyingLevels.has(levels[claim] ?? 'missing'));
}

/** Whether enough claims agree to identify a person: one name or the date alone is not enough. */
function isIdentified(levels: ComparedLevels['levels']): boolean {
  return (
    hasIdentifyingClaim(levels) ||
    nameAndDateClaims.filter((claim) => nameAndDateLevels.has(levels[claim] ?? 'missing')).length >= 2
  );
}

const identifyingLevels: ReadonlySet<Level> = new Set(['exact', 'normalised', 'transliterated', 'similar', 'former']);
const nameAndDateClaims = ['givenName', 'familyName', 'birthDate'] as const;
const nameAndDateLevels: ReadonlySet<Level> = new Set([...identifyingLevels, 'precision', 'inverted', 'shortened']);

/**
 * Whether claims and record fit, apart from the minimum: by probability if the policy has a model, and by the agreement rules unless it is
 * tolerant. A tolerant policy requires that two of names and date agree, or an identifying claim.
 */
export function fitsWithoutMinimum(found: ComparedLevels, policy: MatchPolicy): boolean {
  const { weight, levels } = found;
  if (levels.citizenId === 'different' || found.contradicted) return false;
  const likely =
    policy.model === undefined || probabilityOf(weight, policy.model.prior) >= thresholdFor(levels, policy);
  return likely && (policy.tolerant ? isIdentified(levels) : agreesByRules(found, policy));
}

/** Every claim agrees or is missing in the register. With an agreeing id up to `mostFuzzy` claims may be fuzzy. */
function agreesByRules({ levels, crossed }: ComparedLevels, policy: MatchPolicy): boolean {
  const withAgreeingId = hasAgreeingId(levels, policy);
  let fuzzy = 0;
  let isTransliterated = false;
  for (const [claim, level] of Object.entries(levels) as [ClaimName, Level][]) {
    if (level === 'missing' || policy.agreement.has(level)) continue;
    if (!withAgreeingId || !(policy.agreementWithId[claim]?.has(level) ?? false)) return false;
    // Exchanged names count as one deviation.
    const counted = crossed && claim === 'familyName' && levels.givenName !== undefined;
    if (level === 'transliterated') isTransliterated = true;
    else if (level !== 'precision' && countedAsFuzzy.has(claim) && !counted) fuzzy += 1;
  }
  // One writer spells both names, so two names from another script are one deviation.
  return fuzzy + (isTransliterated ? 1 : 0) <= policy.mostFuzzy;
}

function hasAgreeingId(levels: ComparedLevels['levels'], policy: MatchPolicy): boolean {
  const agrees = (level: Level | undefined) => level !== undefined && policy.agreement.has(level);
  return agrees(levels.citizenId) || agrees(levels.documentNumber);
}

/**
 * The claims that agree, some of them only with an agreeing id or document number. In a search an address, postal code or number must agree
 * exactly. Attack: values that almost agree are unlimited, and each is a new verification key, so an attacker could try birth dates without
 * reaching the limit (test/attacks/verification-limit-tolerant-policy.test.ts).
 */
function agreedClaims(levels: ComparedLevels['levels'], policy: MatchPolicy): Set<ClaimName> {
  const withAgreeingId = hasAgreeingId(levels, policy);
  const isSearch = levels.citizenId === undefined;
  const isTolerated = (claim: ClaimName, level: Level) =>
    isSearch && identifyingClaims.includes(claim) ? level === 'former' : level !== 'different' && level !== 'missing';
  const agreed = new Set<ClaimName>();
  for (const [claim, level] of Object.entries(levels) as [ClaimName, Level][]) {
    const counts =
      policy.agreement.has(level) ||
      (policy.tolerant && isTolerated(claim, level)) ||
      (withAgreeingId && policy.agreementWithId[claim]?.has(level) === true);
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
