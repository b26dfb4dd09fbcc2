import type { ClaimName, Claims } from '../register/claims.ts';

/**
 * How often people and typists err, for registers of which no claims are at hand: the share of claims with each fault. Rates
 * after published reviews of typing and of the public sets; they are data of the model that is learned from them.
 */
const errorRates = {
  /** One letter inserted, deleted, substituted, or two exchanged; a second one follows with the same chance. */
  slip: {
    givenName: 0.06,
    familyName: 0.06,
    streetAddress: 0.1,
    locality: 0.06,
    postalCode: 0.04,
    documentNumber: 0.03,
  },
  /** Not stated. */
  leftOut: {
    givenName: 0.01,
    familyName: 0.005,
    birthDate: 0.01,
    streetAddress: 0.03,
    postalCode: 0.03,
    locality: 0.02,
  },
  /** Somebody else's value: a name that changed, an address that was left. */
  replaced: {
    givenName: 0.02,
    familyName: 0.03,
    streetAddress: 0.06,
    postalCode: 0.05,
    locality: 0.05,
    birthDate: 0.01,
  },
  /** A given name's initial alone. */
  initial: 0.02,
  /** Given and family name in each other's field. */
  crossed: 0.02,
  /** One digit of the birth date, or day and month exchanged. */
  dateDigit: 0.015,
  dateInverted: 0.01,
} as const;

type Rates = { readonly [fault in 'slip' | 'leftOut' | 'replaced']: { readonly [claim in ClaimName]?: number } };

/** A number from 0 up to 1; seeded, so that a calibration can be repeated. */
export type RandomNumber = () => number;

/** A chance that always runs the same way from the same seed (Mulberry32): for simulations only, never for secrets. */
export function createSeededRandom(seed: number): RandomNumber {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a person of the register might claim; `other` is somebody else of it. */
export function simulateClaimErrors(person: Claims, other: Claims, chance: RandomNumber): Claims {
  const claims: { [claim in ClaimName]?: string } = { ...person };
  const happens = (rate: number | undefined) => rate !== undefined && chance() < rate;
  const { slip, leftOut, replaced }: Rates = errorRates;
  for (const claim of Object.keys(claims) as ClaimName[]) {
    const value = claims[claim] ?? '';
    const foreign = other[claim];
    if (happens(replaced[claim]) && foreign !== undefined) claims[claim] = foreign;
    else if (happens(slip[claim]))
      claims[claim] = happens(slip[claim]) ? withTypo(withTypo(value, chance), chance) : withTypo(value, chance);
    if (happens(leftOut[claim])) delete claims[claim];
  }
  const { givenName, familyName, birthDate } = claims;
  if (givenName !== undefined && happens(errorRates.initial)) claims.givenName = givenName.slice(0, 1);
  if (givenName !== undefined && familyName !== undefined && happens(errorRates.crossed)) {
    claims.givenName = familyName;
    claims.familyName = givenName;
  }
  if (birthDate?.length === 10 && happens(errorRates.dateInverted)) {
    claims.birthDate = `${birthDate.slice(0, 5)}${birthDate.slice(8)}-${birthDate.slice(5, 7)}`;
  } else if (birthDate?.length === 10 && happens(errorRates.dateDigit)) {
    const at = [0, 1, 2, 3, 5, 6, 8, 9][Math.floor(chance() * 8)] ?? 9;
    claims.birthDate = `${birthDate.slice(0, at)}${Math.floor(chance() * 10)}${birthDate.slice(at + 1)}`;
  }
  return claims;
}

function withTypo(value: string, chance: RandomNumber): string {
  const at = Math.floor(chance() * value.length);
  const letter = String.fromCharCode(97 + Math.floor(chance() * 26));
  const before = value.slice(0, at);
  switch (Math.floor(chance() * 4)) {
    case 0:
      return before + letter + value.slice(at);
    case 1:
      return value.length < 3 ? value : before + value.slice(at + 1);
    case 2:
      return before + letter + value.slice(at + 1);
    default:
      return before + value.charAt(at + 1) + value.charAt(at) + value.slice(at + 2);
  }
}
