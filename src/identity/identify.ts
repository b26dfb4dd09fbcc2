import type { UnmatchedReason } from '../kernel/explanation-words.ts';
import type { Claims } from './claims.ts';
import { type Explanation, explain } from './explanation.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import { type Comparison, compare, decoy, type Levels, measure } from './match/compare.ts';
import { isSilent, type MatchDecision } from './match/decide.ts';
import { withFormerOf } from './match/former.ts';
import { isBorneOut } from './match/level.ts';
import type { Frequencies } from './match/model.ts';
import type { Policy } from './match/policy.ts';
import { keysOf } from './names/name-key.ts';
import { mostCandidates, type Register, type RegisterRecord } from './register.ts';
import { askForRivals, type Fitting, rivalQuestions, rivalsAmong } from './rivalled.ts';

/** What asking the register gave. */
export type Finding = {
  readonly decision: MatchDecision;
  /** How the claims compare with the one record that fits, or that the id names; empty where there is none. */
  readonly levels: Levels;
  /**
   * Whose data were used: they read of it in their ledger. With an id always its owner, known or not; in a search whom the
   * claims name, whom they fit, and those who kept the answer open.
   */
  readonly concerned: readonly string[];
  /** The citizen whom the answer is about, where it is one. */
  readonly about: string | null;
  readonly searched: boolean;
  /** For the citizen whom the answer is about. */
  readonly explanation: Explanation;
};

/** What decides: the register, how often its names are, and the policy. */
export type Bench = {
  readonly register: Register;
  readonly policy: Policy;
  readonly frequencies?: Frequencies | undefined;
  /** The day of the question, YYYY-MM-DD: former values count for some time only. */
  readonly today: string;
  /** Whether the guesses leave room for this question: over budget no more is done for what fits than for what does not. */
  unspent(): Promise<boolean>;
};

/** Finds the person whom the claims are about, by id or by search, and decides. */
export async function identify(normalised: NormalisedClaims, claims: Claims, bench: Bench): Promise<Finding> {
  const { citizenId } = claims;
  const { register, policy, frequencies, today } = bench;
  if (citizenId === undefined) return await search(normalised, bench);
  const record = withFormerOf((await register.find(citizenId)) ?? decoy, policy, today);
  const compared = compare(record, normalised, policy, frequencies);
  const rivals = await rivalsOf(record, compared, normalised, bench);
  const undecided = rivals.length > 0;
  return {
    decision: undecided ? 'not_determined' : compared.decision,
    levels: compared.levels,
    concerned: [citizenId],
    about: citizenId,
    searched: false,
    explanation: explain(undecided ? 'others-fit-as-well' : reasonOf(record, compared, policy), compared.levels),
  };
}

/** Why that comparison alone is no match; null where it is one. */
function reasonOf(record: RegisterRecord, { decision, fits }: Comparison, policy: Policy): UnmatchedReason | null {
  if (decision === 'match') return null;
  if (!fits) return 'claims-do-not-fit';
  if (!isSilent(record, policy)) return 'record-under-review';
  return record.locked === true || record.ownLock === true ? 'record-locked' : 'record-of-the-dead';
}

async function search(claims: NormalisedClaims, bench: Bench): Promise<Finding> {
  const { register, policy, frequencies, today } = bench;
  const { familyName, givenName, birthDate } = claims.values;
  const records = await register.search({
    familyKeys: [...new Set([...keysOf(familyName?.forms ?? []), ...keysOf(givenName?.forms ?? [])])],
    birthDate: birthDate?.forms[0] ?? '',
    ...(policy.tolerant ? { anyName: true } : {}),
  });
  const compared = records.map((found) => {
    const record = withFormerOf(found, policy, today);
    return { citizenId: record.citizenId, record, comparison: compare(record, claims, policy, frequencies) };
  });
  // A silent record fits as well: who is alike must not be told apart by somebody's being locked.
  const fitting = compared.filter(({ comparison }) => comparison.fits);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  const used = compared.filter(({ comparison }) => comparison.fits || isPerson(comparison, policy));
  const meant = only ?? (used.length === 1 ? used[0] : undefined);
  const crowd = records.length > mostCandidates;
  // With a crowd the answer is open as it is.
  const rivals = only === undefined || crowd ? [] : await rivalsOf(only.record, only.comparison, claims, bench);
  const undecided = fitting.length > 1 || crowd || rivals.length > 0;
  const decision = undecided ? 'not_determined' : (only?.comparison.decision ?? 'no_match');
  // Whoever kept the answer open was used for it as well.
  const others = decision === 'not_determined' && rivals !== 'crowd' ? rivals : [];
  const concerned = [...new Set([...used.map(idOf), ...others])];
  const alone = meant === undefined ? 'claims-do-not-fit' : reasonOf(meant.record, meant.comparison, policy);
  return {
    ...{ decision, levels: only?.comparison.levels ?? {}, concerned, about: meant?.citizenId ?? null, searched: true },
    explanation: explain(undecided ? 'others-fit-as-well' : alone, meant?.comparison.levels ?? {}),
  };
}

const idOf = ({ citizenId }: { readonly citizenId: string }) => citizenId;

/**
 * Whether the claims name this person, even if an address or a number then differs; misspelled too where a policy would
 * match that, or whoever varies the names could try all addresses.
 */
function isPerson({ levels }: Comparison, { tolerant }: Policy): boolean {
  return [levels.givenName, levels.familyName, levels.birthDate].every((level) =>
    tolerant ? level !== undefined && level !== 'different' && level !== 'missing' : isBorneOut(level),
  );
}

/**
 * Whom else claims fit that fit this person: twins, namesakes, father and son; `crowd` where too many may. Nobody is looked for
 * where the answer is no match in any case, for a record that is silent or a spent budget: that would take its time.
 */
async function rivalsOf(
  record: RegisterRecord,
  { levels, decision }: Comparison,
  claims: NormalisedClaims,
  { register, policy, frequencies, today, unspent }: Bench,
): Promise<'crowd' | readonly string[]> {
  if (decision === 'no_match' || !(await unspent())) return [];
  const asked = { ...claims, asked: claims.asked.filter((claim) => claim !== 'citizenId') };
  const fitting: Fitting = { record, levels, claims: asked, policy };
  const questions = rivalQuestions(fitting);
  if (questions === undefined) return [];
  const answers = await askForRivals(questions, register);
  return rivalsAmong(fitting, questions.kind, answers, (other) =>
    measure(withFormerOf(other, policy, today), asked, policy, frequencies),
  );
}
