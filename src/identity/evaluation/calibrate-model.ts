import { ambiguitySearch } from '../ambiguity/ambiguity-search.ts';
import { toRegisterRecord } from '../import/people-file.ts';
import { type NormalisedClaims, normaliseClaims } from '../match/comparable.ts';
import type { MatchModel } from '../match/model.ts';
import { calibratedPolicy } from '../match/policy.ts';
import { type ClaimName, type Claims, claimNames } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { createSeededRandom, simulateClaimErrors } from './error-model.ts';
import { estimateModel, type UnlabelledClaim } from './estimate-model.ts';
import { pickClaims } from './evaluate-policy.ts';
import { createRegisterIndex } from './register-index.ts';

/** A register and unlabelled claims of its people. */
type CalibrationData = { readonly register: readonly Claims[]; readonly claims: readonly Claims[] };

type CalibrationOptions = {
  /** The maximum number of compared pairs. From larger data evenly spaced claims are taken. */
  readonly maxPairs: number;
  /** The prior of the model: see `MatchModel.prior`. */
  readonly prior: number;
  /** Called with the number of claims that are done. */
  readonly onProgress?: (claims: number) => void;
};

/** Simulated claims of the people of a register with the error model. The same seed gives the same claims. */
export function simulatedClaims(register: readonly Claims[], seed: number): Claims[] {
  const chance = createSeededRandom(seed);
  return register.map((person) => {
    const other = register[Math.floor(chance() * register.length)] ?? person;
    return simulateClaimErrors(person, other, chance);
  });
}

/** Estimates a model from unlabelled data, by comparing claims with records of their register. */
export function calibrateModel(data: readonly CalibrationData[], options: CalibrationOptions): MatchModel {
  const claims = claimNames.filter(
    (claim) => claim !== 'citizenId' && data.some(({ register }) => register.some((person) => person[claim])),
  );
  const model = estimateModel(unlabelledClaimsOf(data, claims, options), claims);
  return { ...roundModel(model), prior: options.prior };
}

/** The maximum number of records compared with a claim. Up to half of them share a value with it. */
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
      const normalised = normaliseClaims(pickClaims(person, claims));
      yield { claims: normalised, registerSize: records.length, ...sampleRecords(normalised, at) };
      onProgress?.(before + Math.min(at + step, people.length));
    }
    before += people.length;
  }
}

/** Returns the function that selects the records to compare with a claim: all records of a small register. */
function createRecordSampler(records: readonly RegisterRecord[]) {
  const half = maxRecordsPerClaim / 2;
  if (records.length <= maxRecordsPerClaim) return () => ({ alike: [], random: records });
  const index = createRegisterIndex(records);
  const step = Math.floor(records.length / half);
  return (claims: NormalisedClaims, number: number) => {
    const { days, others } = ambiguitySearch(toRegisterRecord({}), claims, calibratedPolicy);
    const found = [...days.flatMap((keys) => index.search(keys)), ...index.searchCompeting(others).records];
    const random = Array.from(
      { length: half },
      (_, at) => records[(number % step) + at * step] ?? toRegisterRecord({}),
    );
    const known = new Set(random);
    return { alike: [...new Set(found)].filter((record) => !known.has(record)).slice(0, half), random };
  };
}

/** More digits would exceed the precision of the estimate. */
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
