import type { ClaimName, Claims } from './claims.ts';
import { comparable, type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { type Measured, measure } from './match/compare.ts';
import { decisionOn, fits, fitsPair } from './match/decide.ts';
import { withFormerOf } from './match/former.ts';
import { createTally, frequenciesFrom, frequentClaims } from './match/frequencies.ts';
import { type Frequencies, frequencyForm, probabilityOf } from './match/model.ts';
import { countingClaims, type Policy } from './match/policy.ts';
import { asIfNamed, type Candidate, hasRival, needsRivals } from './match/rivals.ts';
import { keyOf } from './name-key.ts';
import { type FormerValues, recordOf } from './people-file.ts';
import type { RegisterRecord } from './register.ts';

/** A claim, a record, and whether they are the same person. */
export type LabelledPair = { readonly claim: string; readonly record: string; readonly same: boolean };

/** What an evaluation prints. `accepted` counts true pairs, `falseMatches` those of different persons. */
export type Evaluation = {
  readonly policy: string;
  readonly threshold: number;
  readonly truePairs: number;
  readonly accepted: number;
  readonly falsePairs: number;
  readonly falseMatches: number;
  readonly bestF1: number;
  readonly microsecondsPerComparison: number;
};

export type EvaluationGround = {
  readonly register: readonly Claims[];
  readonly claims: readonly Claims[];
  readonly use: readonly ClaimName[];
  readonly policy: Policy;
  /** What was true before, by citizenId, and the day of the questions (YYYY-MM-DD): it counts for some time only. */
  readonly former?: { readonly values: ReadonlyMap<string, FormerValues>; readonly today: string };
  /** Processor time in milliseconds, to the microsecond. */
  readonly stopwatch: () => number;
};

/** Frequencies of the values of a register. */
export function frequenciesOf(register: Iterable<Claims>): Frequencies | undefined {
  const tally = createTally();
  for (const person of register) {
    for (const claim of frequentClaims) {
      const value = person[claim];
      if (value !== undefined) tally.add(claim, frequencyForm(comparable(claim, value)));
    }
  }
  return frequenciesFrom(tally.tables());
}

/**
 * Decides each pair as the server decides a question that names the record: by the same comparison, policy and search for
 * rivals, over this register.
 */
export function evaluate(ground: EvaluationGround, pairs: readonly LabelledPair[]): Evaluation {
  const judge = createJudge(ground);
  const judged = pairs.map((pair) => ({ same: pair.same, ...judge.decide(pair) }));
  const count = (same: boolean, accepted?: boolean) =>
    judged.filter((pair) => pair.same === same && (accepted === undefined || pair.accepted === accepted)).length;
  return {
    policy: ground.policy.name,
    threshold: ground.use.some((claim) => placing.has(claim)) ? ground.policy.threshold : ground.policy.bareThreshold,
    truePairs: count(true),
    accepted: count(true, true),
    falsePairs: count(false),
    falseMatches: count(false, true),
    bestF1: bestF1(judged),
    microsecondsPerComparison: judge.microseconds(pairs),
  };
}

const placing: ReadonlySet<ClaimName> = new Set(['streetAddress', 'postalCode', 'documentNumber']);
const roundPairs = 100;

type Judged = { readonly accepted: boolean; readonly score: number };

function createJudge({ register, claims, use, policy, former, stopwatch }: EvaluationGround) {
  const recordWith = (person: Claims) => {
    const record = recordOf(person);
    if (former === undefined) return record;
    return withFormerOf({ ...record, ...former.values.get(record.citizenId) }, policy, former.today);
  };
  const records = new Map(register.map((person) => [person.citizenId ?? '', recordWith(person)]));
  const asked = new Map(claims.map((person) => [person.citizenId ?? '', normaliseClaims(pick(person, use))]));
  const frequencies = policy.model === undefined ? undefined : frequenciesOf(register);
  const blocks = blocksOf(register);
  const measuredBy = new Map<string, Map<string, Measured>>();

  function measureOnce(claim: string, record: RegisterRecord, values: NormalisedClaims): Measured {
    const known = measuredBy.get(claim) ?? new Map<string, Measured>();
    measuredBy.set(claim, known);
    const before = known.get(record.citizenId);
    if (before !== undefined) return before;
    const measured = measure(record, values, policy, frequencies);
    known.set(record.citizenId, measured);
    return measured;
  }

  return {
    /** The median over rounds of so many pairs, so that a collection of garbage is not counted as a comparison. */
    microseconds: (pairs: readonly LabelledPair[]): number => {
      const rounds: number[] = [];
      for (let at = 0; at < Math.min(pairs.length, 100 * roundPairs); at += roundPairs) {
        const round = pairs.slice(at, at + roundPairs);
        const startedAt = stopwatch();
        for (const pair of round) {
          const record = records.get(pair.record);
          const values = asked.get(pair.claim);
          if (record !== undefined && values !== undefined) measure(record, values, policy, frequencies);
        }
        rounds.push(((stopwatch() - startedAt) * 1000) / round.length);
      }
      rounds.sort((one, other) => one - other);
      return Number((rounds[Math.floor(rounds.length / 2)] ?? 0).toFixed(2));
    },
    decide: (pair: { readonly claim: string; readonly record: string }): Judged => {
      const record = records.get(pair.record);
      const values = asked.get(pair.claim);
      if (record === undefined || values === undefined) return { accepted: false, score: Number.NEGATIVE_INFINITY };
      const own = { citizenId: pair.record, measured: measureOnce(pair.claim, record, values) };
      const candidates: Candidate[] = [];
      const rivalry = needsRivals(own.measured.levels, policy);
      for (const id of rivalry ? blocks.candidates(values) : []) {
        const other = records.get(id);
        if (other !== undefined) candidates.push({ citizenId: id, measured: measureOnce(pair.claim, other, values) });
      }
      const named = asIfNamed(own.measured);
      const fit = policy.tolerant
        ? fitsPair(named, policy)
        : fits(named, policy, new Set([...countingClaims(policy, values), 'citizenId']));
      const matched = decisionOn(record, fit, policy) === 'match';
      const rivalled = hasRival(own, candidates, policy);
      const score =
        policy.model === undefined ? Number(matched) : probabilityOf(own.measured.weight, policy.model.prior);
      const better =
        policy.model !== undefined &&
        candidates.some(
          ({ citizenId, measured }) => citizenId !== pair.record && measured.weight >= own.measured.weight,
        );
      return { accepted: matched && !rivalled, score: better ? 0 : score };
    },
  };
}

function pick(person: Claims, use: readonly ClaimName[]): Claims {
  return Object.fromEntries(use.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]])));
}

/** Who is searched for rivals: those of the same birth date, and those of the same two names in any order. */
function blocksOf(register: readonly Claims[]) {
  const ids = new Map<string, string[]>();
  for (const person of register) {
    const { values } = normaliseClaims(pick(person, ['givenName', 'familyName', 'birthDate']));
    for (const key of keysOf(values)) {
      const found = ids.get(key);
      if (found === undefined) ids.set(key, [person.citizenId ?? '']);
      else found.push(person.citizenId ?? '');
    }
  }
  return {
    candidates: ({ values }: NormalisedClaims) => new Set(keysOf(values).flatMap((key) => ids.get(key) ?? [])),
  };
}

function keysOf(values: NormalisedClaims['values']): string[] {
  const date = values.birthDate?.forms[0];
  const given = values.givenName === undefined ? '' : keyOf(values.givenName.forms);
  const family = values.familyName === undefined ? '' : keyOf(values.familyName.forms);
  const names = given === '' || family === '' ? [] : [`names ${[given, family].sort().join(' ')}`];
  return date === undefined ? names : [`date ${date}`, ...names];
}

/** The best F1 that any threshold would have given. */
function bestF1(judged: readonly { readonly same: boolean; readonly score: number }[]): number {
  const sorted = [...judged].sort((one, other) => other.score - one.score);
  const all = sorted.filter(({ same }) => same).length;
  let right = 0;
  let best = 0;
  sorted.forEach(({ same, score }, at) => {
    if (same) right += 1;
    if (sorted[at + 1]?.score === score) return;
    best = Math.max(best, (2 * right) / (at + 1 + all));
  });
  return Number(best.toFixed(4));
}
