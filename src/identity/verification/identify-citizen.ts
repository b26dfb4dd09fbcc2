import { setImmediate as nextTick } from 'node:timers/promises';
import type { UnmatchedReason } from '../../kernel/verification-explanation.ts';
import {
  type AmbiguityQueries,
  type AmbiguityResults,
  ambiguityQueries,
  type FittingPerson,
  findCompetingIds,
  noCompetingCandidates,
  runAmbiguityQueries,
} from '../ambiguity/ambiguity-check.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import { type ClaimLevels, type Comparison, compareRecord, decoyRecord, measureRecord } from '../match/compare.ts';
import { isLockedRecord, type MatchDecision } from '../match/decide.ts';
import { withCountedFormerValues } from '../match/former-values.ts';
import { isConfirmed, isSameValue } from '../match/level.ts';
import type { Frequencies } from '../match/model.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { wholeNameLevels } from '../match/whole-name.ts';
import type { Claims } from '../register/claims.ts';
import { maxCandidates, type Register, type RegisterRecord } from '../register/register.ts';
import { candidateSearch, searchDetailsOf } from './candidate-search.ts';
import { type Explanation, explainDecision } from './explanation.ts';

/** The decision that the register and the policy lead to, before the verification limit is applied. */
export type IdentificationResult = {
  readonly decision: MatchDecision;
  /** The levels of the one record that fits, or that has the id; empty if there is none. */
  readonly levels: ClaimLevels;
  /**
   * The citizens whose data were used; each gets an entry in the access log. With an id always this id, known or not. In a search the
   * citizens who fit the claims or have the claimed names and date, and the competing candidates.
   */
  readonly concernedIds: readonly string[];
  /** The citizen of the result; null if the result is not about exactly one citizen. */
  readonly aboutCitizenId: string | null;
  readonly isSearch: boolean;
  /** Only the citizen of the result may read it. */
  readonly explanation: Explanation;
};

/** The register, its name frequencies and the policy. */
export type MatchContext = {
  readonly register: Register;
  readonly policy: MatchPolicy;
  readonly frequencies?: Frequencies | undefined;
  /** The day of the request (YYYY-MM-DD): former values count only for some years. */
  readonly today: string;
  /** At the limit the ambiguity check is skipped, so that right claims cause the same work as wrong ones. */
  isBelowLimit(): Promise<boolean>;
};

/** Finds the citizen by id or by search, and decides by the policy. */
export async function identifyCitizen(
  normalisedClaims: NormalisedClaims,
  claims: Claims,
  context: MatchContext,
): Promise<IdentificationResult> {
  const { citizenId } = claims;
  const { register, policy, frequencies, today } = context;
  if (citizenId === undefined) return await searchCitizen(normalisedClaims, context);
  const record = withCountedFormerValues((await register.find(citizenId)) ?? decoyRecord, policy, today);
  const comparison = compareRecord(record, normalisedClaims, policy, frequencies);
  const competing = await findCompeting(record, comparison, normalisedClaims, context);
  const isAmbiguous = competing.length > 0;
  return {
    decision: isAmbiguous ? 'not_determined' : comparison.decision,
    levels: comparison.levels,
    concernedIds: [citizenId],
    aboutCitizenId: citizenId,
    isSearch: false,
    explanation: explainDecision(
      isAmbiguous ? 'others-fit-as-well' : unmatchedReasonOf(record, comparison, policy),
      comparison.levels,
    ),
  };
}

/** The reason why this comparison is no match; null for a match. */
export function unmatchedReasonOf(
  record: RegisterRecord,
  { decision, fits }: Comparison,
  policy: MatchPolicy,
): UnmatchedReason | null {
  if (decision === 'match') return null;
  if (!fits) return 'claims-do-not-fit';
  if (!isLockedRecord(record, policy)) return 'record-under-review';
  return record.locked === true || record.lockedByCitizen === true ? 'record-locked' : 'record-of-the-dead';
}

const comparisonsPerTick = 10;

async function searchCitizen(claims: NormalisedClaims, context: MatchContext): Promise<IdentificationResult> {
  const { register, policy, frequencies, today } = context;
  const records = await register.search(candidateSearch(claims, policy));
  const comparisons: { citizenId: string; record: RegisterRecord; comparison: Comparison }[] = [];
  for (const [at, found] of records.entries()) {
    // Long claims and many candidates must not block the event loop.
    if (at > 0 && at % comparisonsPerTick === 0) await nextTick();
    const record = withCountedFormerValues(found, policy, today);
    const comparison = compareRecord(record, claims, policy, frequencies);
    comparisons.push({ citizenId: record.citizenId, record, comparison });
  }
  // A locked record counts as fitting: otherwise the lock of one person would reveal itself by a match of a similar person.
  const fitting = comparisons.filter(({ comparison }) => comparison.fits);
  const onlyFit = onlyFitOf(fitting, claims, context);
  const concernedPersons = comparisons.filter(
    ({ record, comparison }) => comparison.fits || namesPerson(wholeNameLevels(record, claims, comparison), policy),
  );
  const meantPerson = onlyFit ?? (concernedPersons.length === 1 ? concernedPersons[0] : undefined);
  const tooMany = records.length > maxCandidates;
  // If several records fit, the decision is not_determined already.
  const competing =
    onlyFit === undefined || tooMany ? [] : await findCompeting(onlyFit.record, onlyFit.comparison, claims, context);
  const isAmbiguous = (fitting.length > 0 && onlyFit === undefined) || tooMany || competing.length > 0;
  const decision = isAmbiguous ? 'not_determined' : (onlyFit?.comparison.decision ?? 'no_match');
  // The data of competing candidates were used for the decision.
  const competingIds = decision === 'not_determined' && competing !== 'too-many' ? competing : [];
  const concernedIds = [...new Set([...concernedPersons.map(idOf), ...competingIds])];
  const reason =
    meantPerson === undefined
      ? 'claims-do-not-fit'
      : unmatchedReasonOf(meantPerson.record, meantPerson.comparison, policy);
  return {
    decision,
    levels: onlyFit?.comparison.levels ?? {},
    concernedIds,
    aboutCitizenId: meantPerson?.citizenId ?? null,
    isSearch: true,
    explanation: explainDecision(isAmbiguous ? 'others-fit-as-well' : reason, meantPerson?.comparison.levels ?? {}),
  };
}

type FittingCandidate = { readonly record: RegisterRecord; readonly comparison: Comparison };

/** The record that fits the claims, and with a tolerant policy far better than the others that fit; undefined if there is none. */
function onlyFitOf<Candidate extends FittingCandidate>(
  fitting: readonly Candidate[],
  claims: NormalisedClaims,
  { policy, frequencies }: MatchContext,
): Candidate | undefined {
  const [best, ...others] = [...fitting].sort((one, other) => other.comparison.weight - one.comparison.weight);
  if (best === undefined || others.length === 0 || !policy.tolerant) return others.length === 0 ? best : undefined;
  const fittingPerson: FittingPerson = { record: best.record, levels: best.comparison.levels, claims, policy };
  const results = { days: [others.map(({ record }) => record)], others: noCompetingCandidates };
  const measured = new Map(fitting.map(({ record, comparison }) => [record, comparison]));
  const competing = findCompetingIds(
    fittingPerson,
    'competing',
    results,
    (record) => measured.get(record) ?? measureRecord(record, claims, policy, frequencies),
  );
  return competing.length === 0 ? best : undefined;
}

const idOf = ({ citizenId }: { readonly citizenId: string }) => citizenId;

/**
 * Whether names and birth date agree, even if an address or number differs. Attack: with a tolerant policy an attacker could vary the
 * spelling of a name and try addresses, without an entry in the access log of the person. Misspelled names therefore count too.
 */
function namesPerson(levels: ClaimLevels, { tolerant }: MatchPolicy): boolean {
  return [levels.givenName, levels.familyName, levels.birthDate].every((level) =>
    tolerant ? level !== undefined && level !== 'different' && level !== 'missing' : isConfirmed(level),
  );
}

/**
 * The other citizens who fit the claims (twins, namesakes, parent and child); `too-many` if there are too many to compare. Attack: with a
 * locked record, or at the limit, the answer is no_match in any case, and the additional work of this check would reveal that the claims
 * are right. The check is then skipped (test/attacks/verification-limit-concurrent.test.ts).
 */
async function findCompeting(
  record: RegisterRecord,
  { levels, decision }: Comparison,
  claims: NormalisedClaims,
  { register, policy, frequencies, today, isBelowLimit }: MatchContext,
): Promise<'too-many' | readonly string[]> {
  if (decision === 'no_match' || !(await isBelowLimit())) return [];
  const claimsWithoutId: NormalisedClaims = {
    ...claims,
    submitted: claims.submitted.filter((claim) => claim !== 'citizenId'),
  };
  const fittingPerson: FittingPerson = { record, levels, claims: claimsWithoutId, policy };
  const queries = ambiguityQueries(fittingPerson);
  if (queries === undefined) return [];
  const results = await runAmbiguityQueries(narrowedByAgreement(queries, fittingPerson), register);
  return findCompetingIds(fittingPerson, queries.kind, withoutNamesakeLimit(results, fittingPerson), (other) =>
    measureRecord(withCountedFormerValues(other, policy, today), claimsWithoutId, policy, frequencies),
  );
}

/** Whether the street or document number agrees, which other people of the same name and birth date rarely share. */
function agreesInDetail({ streetAddress, documentNumber }: ClaimLevels): boolean {
  return isSameValue(streetAddress) || isSameValue(documentNumber);
}

/**
 * If a detail agrees with the person, nobody competes who shares neither it nor both names. Only then the search by birth date may be
 * narrowed.
 */
function narrowedByAgreement(queries: AmbiguityQueries, { levels, claims }: FittingPerson): AmbiguityQueries {
  if (queries.kind === 'namesakes' || !agreesInDetail(levels)) return queries;
  const details = searchDetailsOf(claims);
  return { ...queries, days: queries.days.map((keys) => ({ ...keys, details })) };
}

/** If the birth date and a detail agree, namesakes with another date do not compete, so that there cannot be too many of them. */
function withoutNamesakeLimit(results: AmbiguityResults, { levels }: FittingPerson): AmbiguityResults {
  const isDistinct = agreesInDetail(levels) && isSameValue(levels.birthDate);
  return isDistinct ? { ...results, others: { ...results.others, tooMany: false } } : results;
}

/** The result if the register is unavailable. */
export function undeterminedResult(citizenId: string | undefined): IdentificationResult {
  const concernedIds = citizenId === undefined ? [] : [citizenId];
  const isSearch = citizenId === undefined;
  const explanation = explainDecision('register-unavailable', {});
  return {
    decision: 'not_determined',
    levels: {},
    concernedIds,
    aboutCitizenId: citizenId ?? null,
    isSearch,
    explanation,
  };
}
