import type { ClaimLevels, Measurement } from '../match/compare.ts';
import type { Level } from '../match/level.ts';
import type { ClaimName } from '../register/claims.ts';

/** Claims that twins or members of a household share. */
const sharedClaims = ['familyName', 'birthDate', 'streetAddress', 'postalCode', 'locality'] as const;
/** One in 50 people is a twin. */
const personsPerTwin = 50;
/** One in two members of a household shares the rest of its name and address. */
const personsPerSharedHousehold = 2;

/** The comparison of a person, and its comparison without the registered value of one claim. */
export type ClaimedPerson = { readonly measured: Measurement; without(claim: ClaimName): Measurement };

/**
 * The weight that a candidate may gain from values that its record lacks and that agree for the person. Example: a namesake without a
 * registered birth date may have the same date. A candidate gains weight only if it shares a value that relatives share. The gain is the
 * weight of the value for the person, reduced by the probability of a twin or household member. It is smaller if more candidates share the
 * value.
 */
export function missingValueWeights(
  { measured, without }: ClaimedPerson,
  candidates: readonly ClaimLevels[],
): (candidateLevels: ClaimLevels) => number {
  const sharing = sharedClaims.map((claim) => candidates.filter((levels) => agrees(levels[claim])).length);
  const gains = new Map<ClaimName, number>();
  const gainOf = (claim: ClaimName) => {
    const gain = gains.get(claim) ?? (agrees(measured.levels[claim]) ? measured.weight - without(claim).weight : 0);
    gains.set(claim, gain);
    return gain;
  };
  return (candidateLevels) => {
    const candidatesSharing = Math.min(
      ...sharing.filter((_, at) => agrees(candidateLevels[sharedClaims[at] ?? 'citizenId'])),
    );
    const isHousehold = isOfHousehold(candidateLevels);
    const rarityOf = (claim: (typeof sharedClaims)[number]) =>
      isHousehold
        ? claim === 'birthDate'
          ? personsPerTwin
          : personsPerSharedHousehold
        : personsPerTwin * (candidatesSharing + 1);
    let weight = 0;
    for (const claim of sharedClaims)
      if (candidateLevels[claim] === 'missing') weight += Math.max(0, gainOf(claim) - Math.log2(rarityOf(claim)));
    return weight;
  };
}

function isOfHousehold({ streetAddress, familyName, birthDate, postalCode }: ClaimLevels): boolean {
  return agrees(streetAddress) || [familyName, birthDate, postalCode].filter(agrees).length >= 2;
}

const agreeing: ReadonlySet<Level> = new Set([
  'exact',
  'normalised',
  'transliterated',
  'precision',
  'similar',
  'former',
  'inverted',
]);

function agrees(level: Level | undefined): level is Level {
  return level !== undefined && agreeing.has(level);
}
