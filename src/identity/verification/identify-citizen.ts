import type { UnmatchedReason } from '../../kernel/verification-explanation.ts';
import {
  ambiguityQueries,
  type FittingPerson,
  findCompetingIds,
  runAmbiguityQueries,
} from '../ambiguity/ambiguity-check.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import { type ClaimLevels, type Comparison, compareRecord, decoyRecord, measureRecord } from '../match/compare.ts';
import { isLockedRecord, type MatchDecision } from '../match/decide.ts';
import { withCountedFormerValues } from '../match/former-values.ts';
import { isConfirmed } from '../match/level.ts';
import type { Frequencies } from '../match/model.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { nameSearchKeys } from '../names/name-key.ts';
import type { Claims } from '../register/claims.ts';
import { maxCandidates, type Register, type RegisterRecord } from '../register/register.ts';
import { type Explanation, explainDecision } from './explanation.ts';

/** What asking the register gave. */
export type IdentificationResult = {
  readonly decision: MatchDecision;
  /** How the claims compare with the one record that fits, or that the id names; empty where there is none. */
  readonly levels: ClaimLevels;
  /**
   * Whose data were used: they read of it in their ledger. With an id always its owner, known or not; in a search whom the
   * claims name, whom they fit, and those who kept the answer open.
   */
  readonly concernedIds: readonly string[];
  /** The citizen whom the answer is about, where it is one. */
  readonly aboutCitizenId: string | null;
  readonly isSearch: boolean;
  /** For the citizen whom the answer is about. */
  readonly explanation: Explanation;
};

/** What decides: the register, how often its names are, and the policy. */
export type MatchContext = {
  readonly register: Register;
  readonly policy: MatchPolicy;
  readonly frequencies?: Frequencies | undefined;
  /** The day of the question, YYYY-MM-DD: former values count for some time only. */
  readonly today: string;
  /** Whether the guesses leave room for this question: over budget no more is done for what fits than for what does not. */
  isBelowLimit(): Promise<boolean>;
};

/** Finds the person whom the claims are about, by id or by search, and decides. */
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

/** Why that comparison alone is no match; null where it is one. */
function unmatchedReasonOf(
  record: RegisterRecord,
  { decision, fits }: Comparison,
  policy: MatchPolicy,
): UnmatchedReason | null {
  if (decision === 'match') return null;
  if (!fits) return 'claims-do-not-fit';
  if (!isLockedRecord(record, policy)) return 'record-under-review';
  return record.locked === true || record.ownLock === true ? 'record-locked' : 'record-of-the-dead';
}

async function searchCitizen(claims: NormalisedClaims, context: MatchContext): Promise<IdentificationResult> {
  const { register, policy, frequencies, today } = context;
  const { familyName, givenName, birthDate } = claims.values;
  const records = await register.search({
    familyKeys: [...new Set([...nameSearchKeys(familyName?.forms ?? []), ...nameSearchKeys(givenName?.forms ?? [])])],
    birthDate: birthDate?.forms[0] ?? '',
    ...(policy.tolerant ? { anyName: true } : {}),
  });
  const comparisons = records.map((found) => {
    const record = withCountedFormerValues(found, policy, today);
    return { citizenId: record.citizenId, record, comparison: compareRecord(record, claims, policy, frequencies) };
  });
  // A silent record fits as well: who is alike must not be told apart by somebody's being locked.
  const fitting = comparisons.filter(({ comparison }) => comparison.fits);
  const onlyFit = fitting.length === 1 ? fitting[0] : undefined;
  const concernedPersons = comparisons.filter(({ comparison }) => comparison.fits || namesPerson(comparison, policy));
  const meantPerson = onlyFit ?? (concernedPersons.length === 1 ? concernedPersons[0] : undefined);
  const tooMany = records.length > maxCandidates;
  // With a crowd the answer is open as it is.
  const competing =
    onlyFit === undefined || tooMany ? [] : await findCompeting(onlyFit.record, onlyFit.comparison, claims, context);
  const isAmbiguous = fitting.length > 1 || tooMany || competing.length > 0;
  const decision = isAmbiguous ? 'not_determined' : (onlyFit?.comparison.decision ?? 'no_match');
  // Whoever kept the answer open was used for it as well.
  const competingIds = decision === 'not_determined' && competing !== 'too-many' ? competing : [];
  const concernedIds = [...new Set([...concernedPersons.map(idOf), ...competingIds])];
  const reason =
    meantPerson === undefined
      ? 'claims-do-not-fit'
      : unmatchedReasonOf(meantPerson.record, meantPerson.comparison, policy);
  return {
    ...{
      decision,
      levels: onlyFit?.comparison.levels ?? {},
      concernedIds,
      aboutCitizenId: meantPerson?.citizenId ?? null,
      isSearch: true,
    },
    explanation: explainDecision(isAmbiguous ? 'others-fit-as-well' : reason, meantPerson?.comparison.levels ?? {}),
  };
}

const idOf = ({ citizenId }: { readonly citizenId: string }) => citizenId;

/**
 * Whether the claims name this person, even if an address or a number then differs; misspelled too where a policy would
 * match that, or whoever varies the names could try all addresses.
 */
function namesPerson({ levels }: Comparison, { tolerant }: MatchPolicy): boolean {
  return [levels.givenName, levels.familyName, levels.birthDate].every((level) =>
    tolerant ? level !== undefined && level !== 'different' && level !== 'missing' : isConfirmed(level),
  );
}

/**
 * Whom else claims fit that fit this person: twins, namesakes, father and son; `crowd` where too many may. Nobody is looked for
 * where the answer is no match in any case, for a record that is silent or a spent budget: that would take its time.
 */
async function findCompeting(
  record: RegisterRecord,
  { levels, decision }: Comparison,
  claims: NormalisedClaims,
  { register, policy, frequencies, today, isBelowLimit }: MatchContext,
): Promise<'too-many' | readonly string[]> {
  if (decision === 'no_match' || !(await isBelowLimit())) return [];
  const claimsWithoutId = { ...claims, asked: claims.asked.filter((claim) => claim !== 'citizenId') };
  const fittingPerson: FittingPerson = { record, levels, claims: claimsWithoutId, policy };
  const queries = ambiguityQueries(fittingPerson);
  if (queries === undefined) return [];
  const results = await runAmbiguityQueries(queries, register);
  return findCompetingIds(fittingPerson, queries.kind, results, (other) =>
    measureRecord(withCountedFormerValues(other, policy, today), claimsWithoutId, policy, frequencies),
  );
}
