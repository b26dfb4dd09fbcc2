import type { NormalisedClaims } from '../match/comparable.ts';
import { measureRecord } from '../match/compare.ts';
import type { Level } from '../match/level.ts';
import type { ClaimProbabilities, MatchModel } from '../match/model.ts';
import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';

/** The initial values of the estimation. */
const startingProbabilities: ClaimProbabilities = {
  normalised: { m: 0.75, u: 0.01 },
  precision: { m: 0.01, u: 0.001 },
  similar: { m: 0.1, u: 0.002 },
  inverted: { m: 0.01, u: 0.001 },
  shortened: { m: 0.02, u: 0.002 },
  close: { m: 0.04, u: 0.01 },
  near: { m: 0.03, u: 0.05 },
  different: { m: 0.05, u: 0.93 },
};

/** The number of records with the same levels for a claim: of all compared records, and of the random ones. */
type Pattern = { readonly levels: readonly Level[]; readonly crossed: boolean; all: number; random: number };
/** The patterns of one claim, and the size of its register. */
type ClaimPatterns = { readonly patterns: readonly Pattern[]; readonly registerSize: number };

/** A claim without a label, with records to compare. */
export type UnlabelledClaim = {
  readonly claims: NormalisedClaims;
  readonly registerSize: number;
  /** Records that share a value with the claim. The person, if registered, is usually one of them. */
  readonly alike: readonly RegisterRecord[];
  /** Other records, selected independently of the claim. */
  readonly random: readonly RegisterRecord[];
};

/**
 * Estimates m and u of each claim and level without labels, by expectation maximisation. Each claim is about at most one person of the
 * register: without this condition a household that shares all values except given name and birth date would count as one person. u is
 * estimated from the random records only.
 */
export function estimateModel(unlabelled: Iterable<UnlabelledClaim>, claims: readonly ClaimName[]): MatchModel {
  let model: MatchModel = {
    claims: Object.fromEntries(claims.map((claim) => [claim, startingProbabilities])),
    crossed: 0.05,
    prior: 0.5,
  };
  const compared = Array.from(unlabelled, (claim) => countPatterns(claim, claims, model));
  for (let round = 0; round < 60; round += 1) model = runEstimationRound(model, compared, claims);
  return model;
}

function countPatterns(
  { claims: normalisedClaims, registerSize, alike, random }: UnlabelledClaim,
  claims: readonly ClaimName[],
  model: MatchModel,
): ClaimPatterns {
  const patterns = new Map<string, Pattern>();
  const patternOf = (record: RegisterRecord): Pattern => {
    const { levels, crossed } = measureRecord(record, normalisedClaims, {
      model,
      names: {},
      refusesContradictions: false,
    });
    const row = claims.map((claim) => countedLevel(levels[claim]));
    const key = `${row.join(' ')} ${crossed}`;
    const pattern = patterns.get(key) ?? { levels: row, crossed, all: 0, random: 0 };
    patterns.set(key, pattern);
    pattern.all += 1;
    return pattern;
  };
  for (const record of alike) patternOf(record);
  for (const record of random) patternOf(record).random += 1;
  return { patterns: [...patterns.values()], registerSize };
}

/** The level by which a model counts this level. */
function countedLevel(level: Level | undefined): Level {
  if (level === 'transliterated') return 'similar';
  return level === 'exact' ? 'normalised' : (level ?? 'missing');
}

type LevelCounts = { m: number; u: number };

/** One round. `prior` is the share of claims whose person is in the register. */
function runEstimationRound(
  model: MatchModel,
  compared: readonly ClaimPatterns[],
  claims: readonly ClaimName[],
): MatchModel {
  const tallies = new Map(claims.map((claim) => [claim, new Map<Level, LevelCounts>()] as const));
  const whole = { matched: 0, crossed: 0 };
  for (const { patterns, registerSize } of compared) {
    const odds = patterns.map((pattern) => (model.prior / registerSize) * likelihood(pattern, model, claims));
    const sum = patterns.reduce((total, { all }, at) => total + all * (odds[at] ?? 0), 1 - model.prior);
    patterns.forEach(({ levels, crossed, all, random }, index) => {
      const share = (odds[index] ?? 0) / sum;
      whole.matched += share * all;
      if (crossed) whole.crossed += share * all;
      claims.forEach((claim, at) => {
        const level = levels[at] ?? 'missing';
        // Exchanged names are counted by `crossed`, not by the levels of their fields.
        if (level === 'missing' || (crossed && (claim === 'givenName' || claim === 'familyName'))) return;
        const tally = tallies.get(claim)?.get(level) ?? { m: 0, u: 0 };
        tally.m += share * all;
        tally.u += (1 - share) * random;
        tallies.get(claim)?.set(level, tally);
      });
    });
  }
  return {
    claims: Object.fromEntries([...tallies].map(([claim, levels]) => [claim, levelProbabilitiesOf(levels)])),
    crossed: Math.min(0.5, Math.max(0.001, whole.crossed / Math.max(1, whole.matched))),
    prior: clampProbability(whole.matched / Math.max(1, compared.length)),
  };
}

function likelihood({ levels, crossed }: Pattern, model: MatchModel, claims: readonly ClaimName[]): number {
  let odds = crossed ? model.crossed : 1 - model.crossed;
  claims.forEach((claim, at) => {
    const chance = model.claims[claim]?.[levels[at] ?? 'missing'];
    if (chance !== undefined) odds *= chance.m / chance.u;
  });
  return odds;
}

/** Keeps odds finite and positive. */
function clampProbability(share: number): number {
  return Math.min(1 - 1e-9, Math.max(1e-9, share));
}

function levelProbabilitiesOf(tallies: ReadonlyMap<Level, LevelCounts>): ClaimProbabilities {
  let m = 0;
  let u = 0;
  for (const tally of tallies.values()) {
    m += tally.m;
    u += tally.u;
  }
  // Half a pair is added to every level, so that a level without pairs is rare, not impossible.
  const smoothed = (part: number, total: number) => (part + 0.5) / (total + 0.5 * tallies.size);
  return Object.fromEntries(
    [...tallies].map(([level, tally]) => [level, { m: smoothed(tally.m, m), u: smoothed(tally.u, u) }]),
  );
}
