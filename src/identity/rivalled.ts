import type { ClaimName } from './claims.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import type { Levels, Measured } from './match/compare.ts';
import { fitsPair } from './match/decide.ts';
import type { Policy } from './match/policy.ts';
import { rivalSearch } from './match/rival-search.ts';
import { asIfNamed, needsRivals, rivalsOf } from './match/rivals.ts';
import { isTwin, twinSearch } from './match/twins.ts';
import { mostCandidates, type RegisterRecord, type RivalKeys, type Rivals, type SearchKeys } from './register.ts';

/** A person whom claims fit, with the levels of that comparison; the claims without an id. */
export type Fitting = {
  readonly record: RegisterRecord;
  readonly levels: Levels;
  readonly claims: NormalisedClaims;
  readonly policy: Policy;
};

/** What a register is asked about others whom the claims may fit as well. */
export type RivalQuestions =
  | { readonly kind: 'rivals'; readonly days: readonly SearchKeys[]; readonly others: RivalKeys }
  | { readonly kind: 'twins'; readonly twins: SearchKeys };

/** What it answered. */
export type RivalAnswers = { readonly days: readonly (readonly RegisterRecord[])[]; readonly others: Rivals };

/**
 * The questions whose answers tell whether a match is left open. Undefined where claims are the same as the record to the
 * letter; one question where a name only counts as the same.
 */
export function rivalQuestions({ record, levels, claims, policy }: Fitting): RivalQuestions | undefined {
  if (needsRivals(levels, policy)) return { kind: 'rivals', ...rivalSearch(record, claims, policy) };
  const twins = twinSearch(record, claims, levels);
  return twins === undefined ? undefined : { kind: 'twins', twins };
}

/** Puts the questions to a register over a network or in a database, all at once. */
export async function askForRivals(
  questions: RivalQuestions,
  register: {
    search(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
    rivals(keys: RivalKeys): Promise<Rivals>;
    twins(keys: SearchKeys): Promise<readonly RegisterRecord[]>;
  },
): Promise<RivalAnswers> {
  if (questions.kind === 'twins') return { days: [await register.twins(questions.twins)], others: nobody };
  const days = questions.days.map((keys) => register.search(keys));
  const [others, ...found] = await Promise.all([register.rivals(questions.others), ...days]);
  return { days: found, others };
}

export const nobody: Rivals = { records: [], crowd: false };

/**
 * Whom, by these answers, the claims fit as well, so that the match is left open; `crowd` where too many may be among those
 * who were not looked at.
 */
export function rivalsAmong(
  { record, claims, policy }: Fitting,
  kind: RivalQuestions['kind'],
  { days, others }: RivalAnswers,
  measured: (other: RegisterRecord) => Measured,
): 'crowd' | readonly string[] {
  if (others.crowd || days.some((day) => day.length > mostCandidates)) return 'crowd';
  const found = [...days.flat(), ...others.records];
  if (kind === 'twins')
    return found
      .filter((other) => isTwin(record, other, claims) && fitsPair(asIfNamed(measured(other)), policy))
      .map(({ citizenId }) => citizenId);
  const without = (claim: ClaimName) => measured({ ...record, [claim]: null });
  const own = { citizenId: record.citizenId, measured: measured(record), without };
  const candidates = new Map(found.map((other) => [other.citizenId, other]));
  const beside = [...candidates.values()].map((other) => ({ citizenId: other.citizenId, measured: measured(other) }));
  return rivalsOf(own, beside, policy).map(({ citizenId }) => citizenId);
}
