import {
  type AmbiguityQueries,
  type AmbiguityResults,
  ambiguityQueries,
  type FittingPerson,
  findCompetingIds,
  noCompetingCandidates,
} from '../ambiguity/ambiguity-check.ts';
import { withIdAgreed } from '../ambiguity/competing-candidates.ts';
import { type RecordExtras, toRegisterRecord } from '../import/people-file.ts';
import { type NormalisedClaims, normaliseClaims, toComparable } from '../match/comparable.ts';
import { type Measurement, measureRecord } from '../match/compare.ts';
import { decideRecord, fitsPolicy, fitsWithoutMinimum, identifyingClaims } from '../match/decide.ts';
import { withCountedFormerValues } from '../match/former-values.ts';
import { countedClaims, createFrequencyCounter, frequenciesFromTables } from '../match/frequencies.ts';
import { type Frequencies, frequencyForm, probabilityOf } from '../match/model.ts';
import { claimsForMinimum, type MatchPolicy } from '../match/policy.ts';
import type { ClaimName, Claims } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { createRegisterIndex, type RegisterIndex } from './register-index.ts';

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

export type EvaluationOptions = {
  readonly register: readonly Claims[];
  readonly claims: readonly Claims[];
  readonly use: readonly ClaimName[];
  readonly policy: MatchPolicy;
  /** Marks and what was true before, by citizenId, and the day of the questions (YYYY-MM-DD): it counts for some time only. */
  readonly besides?: { readonly values: ReadonlyMap<string, RecordExtras>; readonly today: string };
  /** Whether claims below the policy's minimum are refused, as the server does, also where addresses or document numbers are compared. */
  readonly minimum?: boolean;
  /** Processor time in milliseconds, to the microsecond; without it the figure of a comparison is 0. */
  readonly stopwatch?: () => number;
  /** Told how many pairs are decided, behind those of each claim. */
  readonly onProgress?: (pairs: number) => void;
};

/** Frequencies of the values of a register. */
export function countFrequencies(register: Iterable<Claims>): Frequencies | undefined {
  const tally = createFrequencyCounter();
  for (const person of register) {
    for (const claim of countedClaims) {
      const value = person[claim];
      if (value !== undefined) tally.add(claim, frequencyForm(toComparable(claim, value)));
    }
  }
  return frequenciesFromTables(tally.tables());
}

/**
 * Decides each pair as the server decides a question that names the record: by the same comparison, policy and search for
 * rivals, over this register. With addresses or document numbers the comparison alone is measured of a tolerant policy, unless
 * `minimum` is set.
 */
export function evaluatePolicy(options: EvaluationOptions, pairs: readonly LabelledPair[]): Evaluation {
  const decider = createPairDecider(options);
  let done = 0;
  // What was measured for a claim is kept for its pairs alone: of a large file it would fill the memory.
  const decisions = [...Map.groupBy(pairs, ({ claim }) => claim)].flatMap(([claim, group]) => {
    const decide = decider.of(claim);
    const groupDecisions = group.map(({ same, record }) => ({ same, ...decide(record) }));
    done += group.length;
    options.onProgress?.(done);
    return groupDecisions;
  });
  const count = (same: boolean, accepted?: boolean) =>
    decisions.filter((pair) => pair.same === same && (accepted === undefined || pair.accepted === accepted)).length;
  return {
    policy: options.policy.name,
    threshold: options.use.some((claim) => identifyingClaims.includes(claim))
      ? options.policy.threshold
      : options.policy.bareThreshold,
    truePairs: count(true),
    accepted: count(true, true),
    falsePairs: count(false),
    falseMatches: count(false, true),
    bestF1: bestF1(decisions),
    microsecondsPerComparison: decider.microseconds(pairs),
  };
}

const pairsPerRound = 100;
const roundCount = 100;

/** Measures records against the claims of one question. */
type MeasureRecord = (record: RegisterRecord) => Measurement;
type PairDecision = { readonly accepted: boolean; readonly score: number };

function createPairDecider({ register, claims, use, policy, besides, minimum = false, stopwatch }: EvaluationOptions) {
  const recordWith = (person: Claims) => {
    const record = toRegisterRecord(person);
    if (besides === undefined) return record;
    return withCountedFormerValues({ ...record, ...besides.values.get(record.citizenId) }, policy, besides.today);
  };
  const records = new Map(register.map((person) => [person.citizenId ?? '', recordWith(person)]));
  const normalisedById = new Map(
    claims.map((person) => [person.citizenId ?? '', normaliseClaims(pickClaims(person, use))]),
  );
  const frequencies = policy.model === undefined ? undefined : countFrequencies(register);
  const index = createRegisterIndex(records.values());

  // By names and date alone the minimum counts: below it the server never matches, and two names are soon another's.
  const compareAlone = policy.tolerant && !minimum && use.some((claim) => identifyingClaims.includes(claim));

  function createMeasure(values: NormalisedClaims): MeasureRecord {
    const cache = new Map<RegisterRecord, Measurement>();
    return (record) => {
      const measured = cache.get(record) ?? measureRecord(record, values, policy, frequencies);
      cache.set(record, measured);
      return measured;
    };
  }

  function decide(claims: NormalisedClaims, record: RegisterRecord, measured: MeasureRecord): PairDecision {
    const ownMeasurement = measured(record);
    const withAgreedId = withIdAgreed(ownMeasurement);
    const isFit = compareAlone
      ? fitsWithoutMinimum(withAgreedId, policy)
      : fitsPolicy(withAgreedId, policy, new Set([...claimsForMinimum(policy, claims), 'citizenId']));
    const matched = decideRecord(record, isFit, policy) === 'match';
    const score =
      policy.model === undefined ? Number(matched) : probabilityOf(ownMeasurement.weight, policy.model.prior);
    // Rivals of whom nobody would think cost time and change no figure.
    if (!matched && score < minScore) return { accepted: false, score };
    const fittingPerson: FittingPerson = { record, levels: ownMeasurement.levels, claims, policy };
    const queries = ambiguityQueries(fittingPerson);
    if (queries === undefined) return { accepted: matched, score };
    const results = runIndexQueries(index, queries);
    const hasBetterCandidate =
      policy.model !== undefined &&
      queries.kind === 'competing' &&
      [...results.days.flat(), ...results.others.records].some(
        (other) => other !== record && measured(other).weight >= ownMeasurement.weight,
      );
    const isAmbiguous = findCompetingIds(fittingPerson, queries.kind, results, measured).length > 0;
    return { accepted: matched && !isAmbiguous, score: hasBetterCandidate ? 0 : score };
  }

  return {
    /**
     * The median over rounds of so many pairs, so that a collection of garbage is not counted as a comparison. A small file is
     * gone through again and again: else its figure would be how a program gets going.
     */
    microseconds: (pairs: readonly LabelledPair[]): number => {
      const rounds: number[] = [];
      if (stopwatch === undefined) return 0;
      for (let done = 0; done < roundCount; done += 1) {
        const round = Array.from(
          { length: pairsPerRound },
          (_, at) => pairs[(done * pairsPerRound + at) % pairs.length],
        );
        const startedAt = stopwatch();
        for (const pair of round) {
          const record = records.get(pair?.record ?? '');
          const values = normalisedById.get(pair?.claim ?? '');
          if (record !== undefined && values !== undefined) measureRecord(record, values, policy, frequencies);
        }
        rounds.push(((stopwatch() - startedAt) * 1000) / round.length);
      }
      rounds.sort((one, other) => one - other);
      return Number((rounds[Math.floor(rounds.length / 2)] ?? 0).toFixed(2));
    },
    /** Decides pairs of one claim, each by the id of its record. */
    of: (claim: string): ((id: string) => PairDecision) => {
      const values = normalisedById.get(claim);
      const measured = values && createMeasure(values);
      return (id) => {
        const record = records.get(id);
        if (record === undefined || values === undefined || measured === undefined)
          return { accepted: false, score: Number.NEGATIVE_INFINITY };
        return decide(values, record, measured);
      };
    },
  };
}

/** Below this probability no threshold would be. */
const minScore = 0.001;

/** As `askForRivals`, of a register in memory. */
function runIndexQueries(index: RegisterIndex, queries: AmbiguityQueries): AmbiguityResults {
  if (queries.kind === 'namesakes')
    return { days: [index.searchExactNamesakes(queries.namesakeKeys)], others: noCompetingCandidates };
  return { days: queries.days.map((keys) => index.search(keys)), others: index.searchCompeting(queries.others) };
}

function pickClaims(person: Claims, use: readonly ClaimName[]): Claims {
  return Object.fromEntries(use.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]])));
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
