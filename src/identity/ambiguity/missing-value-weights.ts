import type { ClaimLevels, Measurement } from '../match/compare.ts';
import type { Level } from '../match/level.ts';
import type { ClaimName } from '../register/claims.ts';

/** What twins or a household have in common. */
const sharedClaims = ['familyName', 'birthDate', 'streetAddress', 'postalCode', 'locality'] as const;
/** One person in so many is a twin. */
const personsPerTwin = 50;
/** One in so many of a household shares the rest of its name and address. */
const personsPerSharedHousehold = 2;

/** The measure of a person, and as it were if the register lacked the value of a claim. */
export type ClaimedPerson = { readonly measured: Measurement; without(claim: ClaimName): Measurement };

/**
 * What each rival may gain by values that the register lacks of him and that agree for the person, where something else agrees
 * that relatives share: nobody knows that a namesake without a date was born on another day. It is what they weigh for the
 * person, in a household much of it; else the less, the more candidates share what agrees: few of a large family are twins.
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

const agreeing: ReadonlySet<Level> = new Set(['exact', 'normalised', 'precision', 'similar', 'former', 'inverted']);

function agrees(level: Level | undefined): level is Level {
  return level !== undefined && agreeing.has(level);
}
