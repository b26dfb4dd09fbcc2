import type { NormalisedClaims } from '../match/comparable.ts';
import type { ClaimLevels, Measurement } from '../match/compare.ts';
import { fitsWithoutMinimum } from '../match/decide.ts';
import type { MatchPolicy } from '../match/policy.ts';
import type { ClaimName } from '../register/claims.ts';
import {
  type CompetingCandidateKeys,
  type CompetingCandidates,
  maxCandidates,
  type RegisterRecord,
  type SearchKeys,
} from '../register/register.ts';
import { ambiguitySearch } from './ambiguity-search.ts';
import { competingCandidates, needsAmbiguityCheck, withIdAgreed } from './competing-candidates.ts';
import { exactNamesakeKeys, isExactNamesake } from './exact-namesakes.ts';
import { fitsWithoutAddress, isHouseholdMember } from './household-members.ts';

/** A person who fits the claims, with the levels of the comparison. `claims` are without the id. */
export type FittingPerson = {
  readonly record: RegisterRecord;
  readonly levels: ClaimLevels;
  readonly claims: NormalisedClaims;
  readonly policy: MatchPolicy;
};

/** The searches for other people in the register who may fit the claims. */
export type AmbiguityQueries =
  | { readonly kind: 'competing'; readonly days: readonly SearchKeys[]; readonly others: CompetingCandidateKeys }
  | { readonly kind: 'namesakes'; readonly namesakeKeys: SearchKeys };

/** The results of `AmbiguityQueries`. */
export type AmbiguityResults = {
  readonly days: readonly (readonly RegisterRecord[])[];
  readonly others: CompetingCandidates;
};

/**
 * The searches that decide whether a match is ambiguous. Undefined if the claims are exactly the values of the record. If all claims agree
 * and only letters of a name differ, the searches are for exact namesakes.
 */
export function ambiguityQueries({ record, levels, claims, policy }: FittingPerson): AmbiguityQueries | undefined {
  if (needsAmbiguityCheck(levels, policy)) return { kind: 'competing', ...ambiguitySearch(record, claims, policy) };
  const namesakeKeys = exactNamesakeKeys(record, claims, levels);
  return namesakeKeys === undefined ? undefined : { kind: 'namesakes', namesakeKeys };
}

/** Runs the searches in parallel. */
export async function runAmbiguityQueries(
  queries: AmbiguityQueries,
  register: {
    search(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
    searchCompeting(keys: CompetingCandidateKeys): Promise<CompetingCandidates>;
    searchExactNamesakes(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  },
): Promise<AmbiguityResults> {
  if (queries.kind === 'namesakes')
    return { days: [await register.searchExactNamesakes(queries.namesakeKeys)], others: noCompetingCandidates };
  const days = queries.days.map((keys) => register.search(keys));
  const [others, ...found] = await Promise.all([register.searchCompeting(queries.others), ...days]);
  return { days: found, others };
}

/** The result if no candidates are searched. */
export const noCompetingCandidates: CompetingCandidates = { records: [], tooMany: false, tooManyNeighbours: false };

/** The ids of other people who fit the claims; the match is ambiguous unless empty. `too-many`: a search found more than its limit. */
export function findCompetingIds(
  { record, levels, claims, policy }: FittingPerson,
  kind: AmbiguityQueries['kind'],
  { days, others }: AmbiguityResults,
  measureOther: (other: RegisterRecord) => Measurement,
): 'too-many' | readonly string[] {
  if (others.tooMany || days.some((day) => day.length > maxCandidates)) return 'too-many';
  if (others.tooManyNeighbours && !policy.discountsHouseholds) return 'too-many';
  const candidatesFound = [...days.flat(), ...others.records];
  if (kind === 'namesakes')
    return candidatesFound
      .filter(
        (other) =>
          isExactNamesake(record, other, claims) && fitsWithoutMinimum(withIdAgreed(measureOther(other)), policy),
      )
      .map(({ citizenId }) => citizenId);
  const without = (claim: ClaimName) => measureOther({ ...record, [claim]: null });
  const person = { citizenId: record.citizenId, measured: measureOther(record), without };
  const candidates = new Map(candidatesFound.map((other) => [other.citizenId, other]));
  const measuredCandidates = [...candidates.values()].map((other) => ({
    citizenId: other.citizenId,
    measured: measureOther(other),
  }));
  // A search can find several people who fit. Claims that are exactly the values of one are about that person, as with an id.
  if (policy.refusesContradictions && !needsAmbiguityCheck(levels, policy))
    return measuredCandidates
      .filter(({ measured }) => !needsAmbiguityCheck(measured.levels, policy))
      .map(({ citizenId }) => citizenId);
  const competing = competingCandidates(person, measuredCandidates, policy).map(({ citizenId }) => citizenId);
  const members = measuredCandidates.filter(
    ({ citizenId, measured }) =>
      citizenId !== record.citizenId && isHouseholdMember(person.measured.levels, measured.levels),
  );
  const sharesAddress = members.length > 0 || others.tooManyNeighbours;
  if (!policy.discountsHouseholds || !sharesAddress || fitsWithoutAddress(person, policy)) return competing;
  return members.length === 0 ? 'too-many' : [...new Set([...competing, ...members.map(({ citizenId }) => citizenId)])];
}
