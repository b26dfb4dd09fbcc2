import type { ClaimName, Claims } from '../register/claims.ts';

/** The share of claims with each error, for registers without sample claims. Based on published studies of typing errors and data sets. */
const errorRates = {
  /** One letter inserted, deleted or substituted, or two exchanged. A second error follows with the same probability. */
  typo: {
    givenName: 0.06,
    familyName: 0.06,
    streetAddress: 0.1,
    locality: 0.06,
    postalCode: 0.04,
    documentNumber: 0.03,
  },
  /** Missing values. */
  missing: {
    givenName: 0.01,
    familyName: 0.005,
    birthDate: 0.01,
    streetAddress: 0.03,
    postalCode: 0.03,
    locality: 0.02,
  },
  /** The value of another person, such as a new name or address. */
  replaced: {
    givenName: 0.02,
    familyName: 0.03,
    streetAddress: 0.06,
    postalCode: 0.05,
    locality: 0.05,
    birthDate: 0.01,
  },
  /** Only the initial of the given name. */
  initial: 0.02,
  /** Given and family name exchanged. */
  crossed: 0.02,
  /** One wrong digit in the birth date. */
  dateDigit: 0.015,
  dateInverted: 0.01,
} as const;

type Rates = { readonly [error in 'typo' | 'missing' | 'replaced']: { readonly [claim in ClaimName]?: number } };

/** A pseudo-random number from 0 (included) to 1 (excluded). */
type RandomNumber = () => number;

/** Mulberry32: the same seed gives the same numbers. For simulations only, never for secrets. */
export function createSeededRandom(seed: number): RandomNumber {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The claims of a person with simulated errors. `other`: another person whose values may replace some. */
export function simulateClaimErrors(person: Claims, other: Claims, random: RandomNumber): Claims {
  const claims: { [claim in ClaimName]?: string } = { ...person };
  const happens = (rate: number | undefined) => rate !== undefined && random() < rate;
  const { typo, missing, replaced }: Rates = errorRates;
  for (const claim of Object.keys(claims) as ClaimName[]) {
    const value = claims[claim] ?? '';
    const replacement = other[claim];
    if (happens(replaced[claim]) && replacement !== undefined) claims[claim] = replacement;
    else if (happens(typo[claim]))
      claims[claim] = happens(typo[claim]) ? withTypo(withTypo(value, random), random) : withTypo(value, random);
    if (happens(missing[claim])) delete claims[claim];
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
    const at = [0, 1, 2, 3, 5, 6, 8, 9][Math.floor(random() * 8)] ?? 9;
    claims.birthDate = `${birthDate.slice(0, at)}${Math.floor(random() * 10)}${birthDate.slice(at + 1)}`;
  }
  return claims;
}

function withTypo(value: string, random: RandomNumber): string {
  const at = Math.floor(random() * value.length);
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const before = value.slice(0, at);
  switch (Math.floor(random() * 4)) {
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
