import { type ClaimName, type Claims, claimNames } from './claims.ts';
import { noisyClaims, seededChance } from './error-model.ts';
import { type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { estimateModel } from './match/estimate.ts';
import type { Model } from './match/model.ts';
import { recordOf } from './people-file.ts';
import type { RegisterRecord } from './register.ts';

/** A register and what persons in it claim; nobody says which claim is whose. */
export type Material = { readonly register: readonly Claims[]; readonly claims: readonly Claims[] };

export type CalibrationOrder = {
  /** The most pairs that are compared; of larger material an even part of the claims is taken. */
  readonly mostPairs: number;
  /** The chance that a policy gives a record before any claim is looked at. */
  readonly prior: number;
};

/** Claims that the persons of a register might make, by the documented error model; the same from the same seed. */
export function simulatedClaims(register: readonly Claims[], seed: number): Claims[] {
  const chance = seededChance(seed);
  return register.map((person) => {
    const other = register[Math.floor(chance() * register.length)] ?? person;
    return noisyClaims(person, other, chance);
  });
}

/** Learns a model from material without labels: each claim taken is compared with each record of its register. */
export function calibrate(material: readonly Material[], order: CalibrationOrder): Model {
  const claims = claimNames.filter(
    (claim) => claim !== 'citizenId' && material.some(({ register }) => register.some((person) => person[claim])),
  );
  const people = Math.max(...material.map(({ register }) => register.length));
  const model = estimateModel(pairsOf(material, claims, order.mostPairs), claims, 1 / people);
  return { ...rounded(model), prior: order.prior };
}

function* pairsOf(
  material: readonly Material[],
  claims: readonly ClaimName[],
  mostPairs: number,
): Generator<readonly [NormalisedClaims, RegisterRecord]> {
  const share = mostPairs / material.length;
  for (const { register, claims: people } of material) {
    const records = register.map(recordOf);
    const step = Math.max(1, Math.ceil((people.length * records.length) / share));
    for (let at = 0; at < people.length; at += step) {
      const person = people[at] ?? {};
      const asked = normaliseClaims(
        Object.fromEntries(claims.flatMap((claim) => (person[claim] === undefined ? [] : [[claim, person[claim]]]))),
      );
      for (const record of records) yield [asked, record];
    }
  }
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
