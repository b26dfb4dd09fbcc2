import type { ClaimName, Claims } from './claims.ts';
import { type BesideClaims, recordOf } from './import/people-file.ts';
import { comparable, type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { type Measured, measure } from './match/compare.ts';
import { decisionOn, fits, fitsPair, placing } from './match/decide.ts';
import { withFormerOf } from './match/former.ts';
import { createTally, frequenciesFrom, frequentClaims } from './match/frequencies.ts';
import { type Frequencies, frequencyForm, probabilityOf } from './match/model.ts';
import { countingClaims, type Policy } from './match/policy.ts';
import { asIfNamed } from './match/rivals.ts';
import type { RegisterRecord } from './register.ts';
import { createRivalIndex, type RivalIndex } from './rival-index.ts';
import {
  type Fitting,
  nobody,
  type RivalAnswers,
  type RivalQuestions,
  rivalQuestions,
  rivalsAmong,
} from './rivalled.ts';

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
  /** Marks and what was true before, by citizenId, and the day of the questions (YYYY-MM-DD): it counts for some time only. */
  readonly besides?: { readonly values: ReadonlyMap<string, BesideClaims>; readonly today: string };
  /** Whether claims below the policy's minimum are refused, as the server does, also where addresses or document numbers are compared. */
  readonly minimum?: boolean;
  /** Processor time in milliseconds, to the microsecond; without it the figure of a comparison is 0. */
  readonly stopwatch?: () => number;
  /** Told how many pairs are decided, behind those of each claim. */
  readonly onProgress?: (pairs: number) => void;
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
 * rivals, over this register. With addresses or document numbers the comparison alone is measured of a tolerant policy, unless
 * `minimum` is set.
 */
export function evaluate(ground: EvaluationGround, pairs: readonly LabelledPair[]): Evaluation {
  const judge = createJudge(ground);
  let done = 0;
  // What was measured for a claim is kept for its pairs alone: of a large file it would fill the memory.
  const judged = [...Map.groupBy(pairs, ({ claim }) => claim)].flatMap(([claim, group]) => {
    const decide = judge.of(claim);
    const ends = group.map(({ same, record }) => ({ same, ...decide(record) }));
    done += group.length;
    ground.onProgress?.(done);
    return ends;
  });
  const count = (same: boolean, accepted?: boolean) =>
    judged.filter((pair) => pair.same === same && (accepted === undefined || pair.accepted === accepted)).length;
  return {
    policy: ground.policy.name,
    threshold: ground.use.some((claim) => placing.includes(claim))
      ? ground.policy.threshold
      : ground.policy.bareThreshold,
    truePairs: count(true),
    accepted: count(true, true),
    falsePairs: count(false),
    falseMatches: count(false, true),
    bestF1: bestF1(judged),
    microsecondsPerComparison: judge.microseconds(pairs),
  };
}

const roundPairs = 100;
const rounded = 100;

/** Measures records against the claims of one question. */
type Measuring = (record: RegisterRecord) => Measured;
type Judged = { readonly accepted: boolean; readonly score: number };

function createJudge({ register, claims, use, policy, besides, minimum = false, stopwatch }: EvaluationGround) {
  const recordWith = (person: Claims) => {
    const record = recordOf(person);
    if (besides === undefined) return record;
    return withFormerOf({ ...record, ...besides.values.get(record.citizenId) }, policy, besides.today);
  };
  const records = new Map(register.map((person) => [person.citizenId ?? '', recordWith(person)]));
  const asked = new Map(claims.map((person) => [person.citizenId ?? '', normaliseClaims(pick(person, use))]));
  const frequencies = policy.model === undefined ? undefined : frequenciesOf(register);
  const index = createRivalIndex(records.values());

  // By names and date alone the minimum counts: below it the server never matches, and two names are soon another's.
  const compareAlone = policy.tolerant && !minimum && use.some((claim) => placing.includes(claim));

  function measuring(values: NormalisedClaims): Measuring {
    const known = new Map<RegisterRecord, Measured>();
    return (record) => {
      const measured = known.get(record) ?? measure(record, values, policy, frequencies);
      known.set(record, measured);
      return measured;
    };
  }

  function decide(claims: NormalisedClaims, record: RegisterRecord, measured: Measuring): Judged {
    const own = measured(record);
    const named = asIfNamed(own);
    const fit = compareAlone
      ? fitsPair(named, policy)
      : fits(named, policy, new Set([...countingClaims(policy, claims), 'citizenId']));
    const matched = decisionOn(record, fit, policy) === 'match';
    const score = policy.model === undefined ? Number(matched) : probabilityOf(own.weight, policy.model.prior);
    // Rivals of whom nobody would think cost time and change no figure.
    if (!matched && score < leastScore) return { accepted: false, score };
    const fitting: Fitting = { record, levels: own.levels, claims, policy };
    const questions = rivalQuestions(fitting);
    if (questions === undefined) return { accepted: matched, score };
    const answers = answersFrom(index, questions);
    const better =
      policy.model !== undefined &&
      questions.kind === 'rivals' &&
      [...answers.days.flat(), ...answers.others.records].some(
        (other) => other !== record && measured(other).weight >= own.weight,
      );
    const rivalled = rivalsAmong(fitting, questions.kind, answers, measured).length > 0;
    return { accepted: matched && !rivalled, score: better ? 0 : score };
  }

  return {
    /**
     * The median over rounds of so many pairs, so that a collection of garbage is not counted as a comparison. A small file is
     * gone through again and again: else its figure would be how a program gets going.
     */
    microseconds: (pairs: readonly LabelledPair[]): number => {
      const rounds: number[] = [];
      if (stopwatch === undefined) return 0;
      for (let done = 0; done < rounded; done += 1) {
        const round = Array.from({ length: roundPairs }, (_, at) => pairs[(done * roundPairs + at) % pairs.length]);
        const startedAt = stopwatch();
        for (const pair of round) {
          const record = records.get(pair?.record ?? '');
          const values = asked.get(pair?.claim ?? '');
          if (record !== undefined && values !== undefined) measure(record, values, policy, frequencies);
        }
        rounds.push(((stopwatch() - startedAt) * 1000) / round.length);
      }
      rounds.sort((one, other) => one - other);
      return Number((rounds[Math.floor(rounds.length / 2)] ?? 0).toFixed(2));
    },
    /** Decides pairs of one claim, each by the id of its record. */
    of: (claim: string): ((id: string) => Judged) => {
      const values = asked.get(claim);
      const measured = values && measuring(values);
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
const leastScore = 0.001;

/** As `askForRivals`, of a register in memory. */
function answersFrom(index: RivalIndex, questions: RivalQuestions): RivalAnswers {
  if (questions.kind === 'twins') return { days: [index.twins(questions.twins)], others: nobody };
  return { days: questions.days.map((keys) => index.search(keys)), others: index.rivals(questions.others) };
}

function pick(person: Claims, use: readonly ClaimName[]): Claims {
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
