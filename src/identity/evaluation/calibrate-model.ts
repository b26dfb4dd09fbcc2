import { ambiguitySearch } from '../ambiguity/ambiguity-search.ts';
import { toRegisterRecord } from '../import/people-file.ts';
import { type NormalisedClaims, normaliseClaims } from '../match/comparable.ts';
import type { MatchModel } from '../match/model.ts';
import { calibratedPolicy } from '../match/policy.ts';
import { type ClaimName, type Claims, claimNames } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { createSeededRandom, simulateClaimErrors } from './error-model.ts';
import { estimateModel, type UnlabelledClaim } from './estimate-model.ts';
import { createRegisterIndex } from './register-index.ts';

/** A register and what persons in it claim; nobody says which claim is whose. */
export type CalibrationData = { readonly register: readonly Claims[]; readonly claims: readonly Claims[] };

export type CalibrationOptions = {
  /** The most pairs that are compared; of larger material an even part of the claims is taken. */
  readonly maxPairs: number;
  /** The chance that a policy gives a record before any claim is looked at. */
  readonly prior: number;
  /** Told how many claims of the material are behind, of those that it has. */
  readonly onProgress?: (claims: number) => void;
};

/** Claims that the persons of a register might make, by the documented error model; the same from the same seed. */
export function simulatedClaims(register: readonly Claims[], seed: number): Claims[] {
  const chance = createSeededRandom(seed);
  return register.map((person) => {
    const other = register[Math.floor(chance() * register.length)] ?? person;
    return simulateClaimErrors(person, other, chance);
  });
}

/** Learns a model from material without labels: each claim taken is compared with records of its register. */
export function calibrateModel(data: readonly CalibrationData[], options: CalibrationOptions): MatchModel {
  const claims = claimNames.filter(
    (claim) => claim !== 'citizenId' && data.some(({ register }) => register.some((person) => person[claim])),
  );
  const model = estimateModel(unlabelledClaimsOf(data, claims, options), claims);
  return { ...roundModel(model), prior: options.prior };
}

/** A claim is compared with as many records at most: up to half of them share something with it, the others are any. */
const maxRecordsPerClaim = 1_000;

function* unlabelledClaimsOf(
  data: readonly CalibrationData[],
  claims: readonly ClaimName[],
  { maxPairs, onProgress }: CalibrationOptions,
): Generator<UnlabelledClaim> {
  const share = maxPairs / data.length;
  let before = 0;
  for (const { register, claims: people } of data) {
    const records = register.map(toRegisterRecord);
    const sampleRecords = createRecordSampler(records);
    const step = Math.max(1, Math.ceil((people.length * Math.min(records.length, maxRecordsPerClaim)) / share));
    for (let at = 0; at < people.length; at += step) {
      const person = people[at] ?? {};
      const normalised = normaliseClaims(
        Object.fromEntries(claims.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]]))),
      );
      yield { claims: normalised, registerSize: records.length, ...sampleRecords(normalised, at) };
      onProgress?.(before + Math.min(at + step, people.length));
    }
    before += people.length;
  }
}

/** Makes what gives the records to compare claims with: of a small register all. */
function createRecordSampler(records: readonly RegisterRecord[]) {
  const half = maxRecordsPerClaim / 2;
  if (records.length <= maxRecordsPerClaim) return () => ({ alike: [], random: records });
  const index = createRegisterIndex(records);
  const step = Math.floor(records.length / half);
  return (asked: NormalisedClaims, number: number) => {
    const { days, others } = ambiguitySearch(toRegisterRecord({}), asked, calibratedPolicy);
    const found = [...days.flatMap((keys) => index.search(keys)), ...index.searchCompeting(others).records];
    const random = Array.from(
      { length: half },
      (_, at) => records[(number % step) + at * step] ?? toRegisterRecord({}),
    );
    const known = new Set(random);
    return { alike: [...new Set(found)].filter((record) => !known.has(record)).slice(0, half), random };
  };
}

/** Four digits are more than the material can say. */
function roundModel({ claims, crossed, prior }: MatchModel): MatchModel {
  const roundNumber = (value: number) => Number(value.toPrecision(4));
  return {
    claims: Object.fromEntries(
      Object.entries(claims).map(([claim, chances]) => [
        claim,
        Object.fromEntries(
          Object.entries(chances).map(([level, { m, u }]) => [level, { m: roundNumber(m), u: roundNumber(u) }]),
        ),
      ]),
    ),
    crossed: roundNumber(crossed),
    prior,
  };
}
