import type { ClaimName } from '../claims.ts';
import type { RegisterRecord } from '../register.ts';
import type { NormalisedClaims } from './comparable.ts';
import { measure } from './compare.ts';
import type { Level } from './level.ts';
import type { ClaimChances, Model } from './model.ts';

/** Where no better is known: what comparing starts from before anything was learned. */
const first: ClaimChances = {
  normalised: { m: 0.75, u: 0.01 },
  precision: { m: 0.01, u: 0.001 },
  similar: { m: 0.1, u: 0.002 },
  inverted: { m: 0.01, u: 0.001 },
  shortened: { m: 0.02, u: 0.002 },
  close: { m: 0.04, u: 0.01 },
  near: { m: 0.03, u: 0.05 },
  different: { m: 0.05, u: 0.93 },
};

/** The levels of one pair as a key: pairs that agree alike are counted together. */
type Patterns = ReadonlyMap<string, { readonly levels: readonly Level[]; readonly crossed: boolean; count: number }>;

/** Pairs of claims and records whose truth nobody has told. */
export type UnlabelledPairs = Iterable<readonly [NormalisedClaims, RegisterRecord]>;

/** Learns m and u of each claim and level from pairs without labels, by expectation and maximisation. */
export function estimateModel(pairs: UnlabelledPairs, claims: readonly ClaimName[], startPrior: number): Model {
  const start: Model = {
    claims: Object.fromEntries(claims.map((claim) => [claim, first])),
    crossed: 0.05,
    prior: chanceOf(startPrior),
  };
  const patterns = countPatterns(pairs, claims, start);
  let model = start;
  for (let round = 0; round < 60; round += 1) model = improve(model, patterns, claims);
  return model;
}

function countPatterns(pairs: UnlabelledPairs, claims: readonly ClaimName[], model: Model): Patterns {
  const patterns = new Map<string, { levels: readonly Level[]; crossed: boolean; count: number }>();
  for (const [asked, record] of pairs) {
    const { levels, crossed } = measure(record, asked, { model, names: {} });
    const row = claims.map((claim) => plain(levels[claim]));
    const key = `${row.join(' ')} ${crossed}`;
    const found = patterns.get(key);
    if (found === undefined) patterns.set(key, { levels: row, crossed, count: 1 });
    else found.count += 1;
  }
  return patterns;
}

function plain(level: Level | undefined): Level {
  return level === 'exact' ? 'normalised' : (level ?? 'missing');
}

type Tally = { m: number; u: number };

function improve(model: Model, patterns: Patterns, claims: readonly ClaimName[]): Model {
  const tallies = new Map(claims.map((claim) => [claim, new Map<Level, Tally>()] as const));
  const whole = { matched: 0, crossed: 0, pairs: 0 };
  for (const { levels, crossed, count } of patterns.values()) {
    let odds = (model.prior / (1 - model.prior)) * (crossed ? model.crossed : 1 - model.crossed);
    claims.forEach((claim, at) => {
      const chance = model.claims[claim]?.[levels[at] ?? 'missing'];
      if (chance !== undefined) odds *= chance.m / chance.u;
    });
    const share = odds / (1 + odds);
    whole.matched += share * count;
    whole.pairs += count;
    if (crossed) whole.crossed += share * count;
    claims.forEach((claim, at) => {
      const level = levels[at] ?? 'missing';
      // What stands crossed is learned from the fault itself, not from the fields as they stand.
      if (level === 'missing' || (crossed && (claim === 'givenName' || claim === 'familyName'))) return;
      const tally = tallies.get(claim)?.get(level) ?? { m: 0, u: 0 };
      tally.m += share * count;
      tally.u += (1 - share) * count;
      tallies.get(claim)?.set(level, tally);
    });
  }
  return {
    claims: Object.fromEntries([...tallies].map(([claim, levels]) => [claim, chancesOf(levels)])),
    crossed: Math.min(0.5, Math.max(0.001, whole.crossed / Math.max(1, whole.matched))),
    prior: chanceOf(whole.matched / Math.max(1, whole.pairs)),
  };
}

/** Neither impossible nor certain: odds of either could not be reckoned with. */
function chanceOf(share: number): number {
  return Math.min(1 - 1e-9, Math.max(1e-9, share));
}

function chancesOf(tallies: ReadonlyMap<Level, Tally>): ClaimChances {
  let m = 0;
  let u = 0;
  for (const tally of tallies.values()) {
    m += tally.m;
    u += tally.u;
  }
  // Half a pair is added to every level, so that what was never seen is rare and not impossible.
  const smoothed = (part: number, total: number) => (part + 0.5) / (total + 0.5 * tallies.size);
  return Object.fromEntries(
    [...tallies].map(([level, tally]) => [level, { m: smoothed(tally.m, m), u: smoothed(tally.u, u) }]),
  );
}
