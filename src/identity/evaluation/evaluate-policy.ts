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
import {
  type CountedClaim,
  countedClaims,
  createFrequencyCounter,
  frequenciesFromTables,
} from '../match/frequencies.ts';
import { type Frequencies, frequencyForm, probabilityOf } from '../match/model.ts';
import { claimsForMinimum, type MatchPolicy } from '../match/policy.ts';
import type { ClaimName, Claims } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { createRegisterIndex, type RegisterIndex } from './register-index.ts';

/** The ids of a claim and a record, and whether both are of the same person. */
export type LabelledPair = { readonly claim: string; readonly record: string; readonly same: boolean };

/** Numbers of pairs. `accepted`: matched pairs of the same person. `falseMatches`: matched pairs of two people. */
export type PairCounts = {
  readonly truePairs: number;
  readonly accepted: number;
  readonly falsePairs: number;
  readonly falseMatches: number;
};

/** The figures of an evaluation. */
export type Evaluation = PairCounts & {
  readonly policy: string;
  readonly threshold: number;
  readonly bestF1: number;
  readonly microsecondsPerComparison: number;
  /** The pairs of each group of claims, if `groupOf` is set. */
  readonly groups?: Readonly<Record<string, PairCounts>>;
};

type EvaluationOptions = {
  readonly register: readonly Claims[];
  readonly claims: readonly Claims[];
  /** The claims to compare. With `citizenId` each claim states the id of the record, so that rules for a stated id apply. */
  readonly use: readonly ClaimName[];
  readonly policy: MatchPolicy;
  /** Flags and former values by citizenId, and the day of the evaluation (YYYY-MM-DD), on which former values may have expired. */
  readonly extras?: { readonly values: ReadonlyMap<string, RecordExtras>; readonly today: string };
  /** Whether claims below the minimum of the policy are refused, as by the server, even if addresses or document numbers are compared. */
  readonly minimum?: boolean;
  /** The group of a claim by its id, for figures by group. */
  readonly groupOf?: (claim: string) => string;
  /** CPU time in milliseconds; without it `microsecondsPerComparison` is 0. */
  readonly stopwatch?: () => number;
  /** Called after the pairs of each claim with the number of decided pairs. */
  readonly onProgress?: (pairs: number) => void;
};

/** The frequencies of the values of a register; undefined if it is too small. */
export function countFrequencies(register: readonly Claims[]): Frequencies | undefined {
  const tally = createFrequencyCounter();
  const addPeople = (claims: readonly CountedClaim[]) => {
    for (const person of register) {
      for (const claim of claims) {
        const value = person[claim];
        if (value !== undefined) tally.add(claim, frequencyForm(toComparable(claim, value)));
      }
    }
  };
  addPeople(countedClaims);
  addPeople(tally.startSecondPass());
  return frequenciesFromTables(tally.tables());
}

/**
 * Decides each pair like a verification with the id of the record: with the same comparison, policy and ambiguity check. With addresses or
 * document numbers a tolerant policy is evaluated without its minimum, unless `minimum` is set.
 */
export function evaluatePolicy(options: EvaluationOptions, pairs: readonly LabelledPair[]): Evaluation {
  const context = prepareEvaluation(options);
  const { stopwatch, groupOf } = options;
  let done = 0;
  // Measurements are cached only for the pairs of one claim, which limits the memory for a large file.
  const decisions = [...Map.groupBy(pairs, ({ claim }) => claim)].flatMap(([claim, group]) => {
    const decide = createPairDecider(context, claim);
    const groupDecisions = group.map(({ same, record }) => ({ claim, same, ...decide(record) }));
    done += group.length;
    options.onProgress?.(done);
    return groupDecisions;
  });
  return {
    policy: options.policy.name,
    threshold: options.use.some((claim) => identifyingClaims.includes(claim))
      ? options.policy.threshold
      : options.policy.bareThreshold,
    ...countPairs(decisions),
    bestF1: bestF1(decisions),
    microsecondsPerComparison: stopwatch === undefined ? 0 : measureMicroseconds(context, pairs, stopwatch),
    ...(groupOf === undefined ? {} : { groups: countGroups(decisions, groupOf) }),
  };
}

type DecidedPair = { readonly claim: string; readonly same: boolean; readonly accepted: boolean };

function countPairs(decisions: readonly DecidedPair[]): PairCounts {
  const count = (same: boolean, accepted?: boolean) =>
    decisions.filter((pair) => pair.same === same && (accepted === undefined || pair.accepted === accepted)).length;
  return {
    truePairs: count(true),
    accepted: count(true, true),
    falsePairs: count(false),
    falseMatches: count(false, true),
  };
}

function countGroups(
  decisions: readonly DecidedPair[],
  groupOf: (claim: string) => string,
): Record<string, PairCounts> {
  const groups = Map.groupBy(decisions, ({ claim }) => groupOf(claim));
  return Object.fromEntries([...groups].map(([group, members]) => [group, countPairs(members)]));
}

const pairsPerRound = 100;
const roundCount = 100;

/** Compares a record with the claims of one request. */
type MeasureRecord = (record: RegisterRecord) => Measurement;
type PairDecision = { readonly accepted: boolean; readonly score: number };

type EvaluationContext = {
  readonly policy: MatchPolicy;
  readonly records: ReadonlyMap<string, RegisterRecord>;
  readonly claimsById: ReadonlyMap<string, NormalisedClaims>;
  readonly frequencies: Frequencies | undefined;
  readonly index: RegisterIndex;
  /** Whether the minimum of the policy is ignored. */
  readonly ignoresMinimum: boolean;
  readonly statesId: boolean;
};

function prepareEvaluation({
  register,
  claims,
  use,
  policy,
  extras,
  minimum = false,
}: EvaluationOptions): EvaluationContext {
  const toRecord = (person: Claims) => {
    const record = toRegisterRecord(person);
    if (extras === undefined) return record;
    return withCountedFormerValues({ ...record, ...extras.values.get(record.citizenId) }, policy, extras.today);
  };
  const records = new Map(register.map((person) => [person.citizenId ?? '', toRecord(person)]));
  const statesId = use.includes('citizenId');
  const compared = use.filter((claim) => claim !== 'citizenId');
  return {
    policy,
    records,
    claimsById: new Map(
      claims.map((person) => [person.citizenId ?? '', normaliseClaims(pickClaims(person, compared))]),
    ),
    frequencies: policy.model === undefined ? undefined : countFrequencies(register),
    index: createRegisterIndex(records.values()),
    // With names and date alone the minimum counts: the server never matches below it, and two names are not enough.
    ignoresMinimum: policy.tolerant && !minimum && !statesId && use.some((claim) => identifyingClaims.includes(claim)),
    statesId,
  };
}

/** Returns the function that decides the pairs of one claim by the id of the record. */
function createPairDecider(context: EvaluationContext, claim: string): (recordId: string) => PairDecision {
  const { policy, records, claimsById, frequencies } = context;
  const claims = claimsById.get(claim);
  const cache = new Map<RegisterRecord, Measurement>();
  return (recordId) => {
    const record = records.get(recordId);
    if (record === undefined || claims === undefined) return { accepted: false, score: Number.NEGATIVE_INFINITY };
    const measure: MeasureRecord = (other) => {
      const measurement = cache.get(other) ?? measureRecord(other, claims, policy, frequencies);
      cache.set(other, measurement);
      return measurement;
    };
    return decidePair(context, claims, record, measure);
  };
}

function decidePair(
  { policy, index, ignoresMinimum, statesId, frequencies }: EvaluationContext,
  claims: NormalisedClaims,
  record: RegisterRecord,
  measure: MeasureRecord,
): PairDecision {
  const own = measure(record);
  const withAgreedId = statesId
    ? measureRecord(record, withStatedId(claims, record), policy, frequencies)
    : withIdAgreed(own);
  const isFit = ignoresMinimum
    ? fitsWithoutMinimum(withAgreedId, policy)
    : fitsPolicy(withAgreedId, policy, new Set([...claimsForMinimum(policy, claims, record), 'citizenId']));
  const matched = decideRecord(record, isFit, policy) === 'match';
  const score = policy.model === undefined ? Number(matched) : probabilityOf(own.weight, policy.model.prior);
  // For improbable pairs the ambiguity check takes time and changes no figure.
  if (!matched && score < minScore) return { accepted: false, score };
  const fittingPerson: FittingPerson = { record, levels: own.levels, claims, policy };
  const queries = ambiguityQueries(fittingPerson);
  if (queries === undefined) return { accepted: matched, score };
  const results = runIndexQueries(index, queries);
  const hasBetterCandidate =
    policy.model !== undefined &&
    queries.kind === 'competing' &&
    [...results.days.flat(), ...results.others.records].some(
      (other) => other !== record && measure(other).weight >= own.weight,
    );
  const isAmbiguous = findCompetingIds(fittingPerson, queries.kind, results, measure).length > 0;
  return { accepted: matched && !isAmbiguous, score: hasBetterCandidate ? 0 : score };
}

function withStatedId({ submitted, values }: NormalisedClaims, { citizenId }: RegisterRecord): NormalisedClaims {
  const id = normaliseClaims({ citizenId });
  return { submitted: [...submitted, ...id.submitted], values: { ...values, ...id.values } };
}

/** The median over rounds, so that a garbage collection does not count. Small files are repeated, so that the code is compiled. */
function measureMicroseconds(
  { policy, records, claimsById, frequencies }: EvaluationContext,
  pairs: readonly LabelledPair[],
  stopwatch: () => number,
): number {
  const rounds: number[] = [];
  for (let done = 0; done < roundCount; done += 1) {
    const round = Array.from({ length: pairsPerRound }, (_, at) => pairs[(done * pairsPerRound + at) % pairs.length]);
    const startedAt = stopwatch();
    for (const pair of round) {
      const record = records.get(pair?.record ?? '');
      const claims = claimsById.get(pair?.claim ?? '');
      if (record !== undefined && claims !== undefined) measureRecord(record, claims, policy, frequencies);
    }
    rounds.push(((stopwatch() - startedAt) * 1000) / round.length);
  }
  rounds.sort((one, other) => one - other);
  return Number((rounds[Math.floor(rounds.length / 2)] ?? 0).toFixed(2));
}

/** No threshold is below this probability. */
const minScore = 0.001;

/** Like `runAmbiguityQueries`, for a register in memory. */
function runIndexQueries(index: RegisterIndex, queries: AmbiguityQueries): AmbiguityResults {
  if (queries.kind === 'namesakes')
    return { days: [index.searchExactNamesakes(queries.namesakeKeys)], others: noCompetingCandidates };
  return { days: queries.days.map((keys) => index.search(keys)), others: index.searchCompeting(queries.others) };
}

/** The claims of `use` that the person has. */
export function pickClaims(person: Claims, use: readonly ClaimName[]): Claims {
  return Object.fromEntries(use.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]])));
}

function bestF1(decisions: readonly { readonly same: boolean; readonly score: number }[]): number {
  const sorted = [...decisions].sort((one, other) => other.score - one.score);
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
