import { type ClaimName, type Claims, claimNames } from './claims.ts';
import { noisyClaims, seededChance } from './error-model.ts';
import { recordOf } from './import/people-file.ts';
import { type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { estimateModel, type UnlabelledClaim } from './match/estimate.ts';
import type { Model } from './match/model.ts';
import { calibratedPolicy } from './match/policy.ts';
import { rivalSearch } from './match/rival-search.ts';
import type { RegisterRecord } from './register.ts';
import { createRivalIndex } from './rival-index.ts';

/** A register and what persons in it claim; nobody says which claim is whose. */
export type Material = { readonly register: readonly Claims[]; readonly claims: readonly Claims[] };

export type CalibrationOrder = {
  /** The most pairs that are compared; of larger material an even part of the claims is taken. */
  readonly mostPairs: number;
  /** The chance that a policy gives a record before any claim is looked at. */
  readonly prior: number;
  /** Told how many claims of the material are behind, of those that it has. */
  readonly onProgress?: (claims: number) => void;
};

/** Claims that the persons of a register might make, by the documented error model; the same from the same seed. */
export function simulatedClaims(register: readonly Claims[], seed: number): Claims[] {
  const chance = seededChance(seed);
  return register.map((person) => {
    const other = register[Math.floor(chance() * register.length)] ?? person;
    return noisyClaims(person, other, chance);
  });
}

/** Learns a model from material without labels: each claim taken is compared with records of its register. */
export function calibrate(material: readonly Material[], order: CalibrationOrder): Model {
  const claims = claimNames.filter(
    (claim) => claim !== 'citizenId' && material.some(({ register }) => register.some((person) => person[claim])),
  );
  const model = estimateModel(comparedOf(material, claims, order), claims);
  return { ...rounded(model), prior: order.prior };
}

/** A claim is compared with as many records at most: up to half of them share something with it, the others are any. */
const mostRecords = 1_000;

function* comparedOf(
  material: readonly Material[],
  claims: readonly ClaimName[],
  { mostPairs, onProgress }: CalibrationOrder,
): Generator<UnlabelledClaim> {
  const share = mostPairs / material.length;
  let before = 0;
  for (const { register, claims: people } of material) {
    const records = register.map(recordOf);
    const recordsOf = createChoice(records);
    const step = Math.max(1, Math.ceil((people.length * Math.min(records.length, mostRecords)) / share));
    for (let at = 0; at < people.length; at += step) {
      const person = people[at] ?? {};
      const asked = normaliseClaims(
        Object.fromEntries(claims.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]]))),
      );
      yield { claims: asked, people: records.length, ...recordsOf(asked, at) };
      onProgress?.(before + Math.min(at + step, people.length));
    }
    before += people.length;
  }
}

/** Makes what gives the records to compare claims with: of a small register all. */
function createChoice(records: readonly RegisterRecord[]) {
  const half = mostRecords / 2;
  if (records.length <= mostRecords) return () => ({ alike: [], random: records });
  const index = createRivalIndex(records);
  const step = Math.floor(records.length / half);
  return (asked: NormalisedClaims, number: number) => {
    const { days, others } = rivalSearch(recordOf({}), asked, calibratedPolicy);
    const found = [...days.flatMap((keys) => index.search(keys)), ...index.rivals(others).records];
    const random = Array.from({ length: half }, (_, at) => records[(number % step) + at * step] ?? recordOf({}));
    const known = new Set(random);
    return { alike: [...new Set(found)].filter((record) => !known.has(record)).slice(0, half), random };
  };
}

/** Four digits are more than the material can say. */
function rounded({ claims, crossed, prior }: Model): Model {
  const short = (value: number) => Number(value.toPrecision(4));
  return {
    claims: Object.fromEntries(
      Object.entries(claims).map(([claim, chances]) => [
        claim,
        Object.fromEntries(Object.entries(chances).map(([level, { m, u }]) => [level, { m: short(m), u: short(u) }])),
      ]),
    ),
    crossed: short(crossed),
    prior,
  };
}
