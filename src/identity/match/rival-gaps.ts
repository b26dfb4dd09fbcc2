import type { ClaimName } from '../claims.ts';
import type { Levels, Measured } from './compare.ts';
import type { Level } from './level.ts';

/** What twins or a household have in common. */
const shared = ['familyName', 'birthDate', 'streetAddress', 'postalCode', 'locality'] as const;
/** One person in so many is a twin. */
const twinsAre = 50;
/** One in so many of a household shares the rest of its name and address. */
const householdsDiffer = 2;

/** The measure of a person, and as it were if the register lacked the value of a claim. */
export type Person = { readonly measured: Measured; without(claim: ClaimName): Measured };

/**
 * What each rival may gain by values that the register lacks of him and that agree for the person, where something else agrees
 * that relatives share: nobody knows that a namesake without a date was born on another day. It is what they weigh for the
 * person, in a household much of it; else the less, the more candidates share what agrees: few of a large family are twins.
 */
export function gapsOf({ measured, without }: Person, candidates: readonly Levels[]): (rival: Levels) => number {
  const sharing = shared.map((claim) => candidates.filter((levels) => agrees(levels[claim])).length);
  const gains = new Map<ClaimName, number>();
  const gainOf = (claim: ClaimName) => {
    const gain = gains.get(claim) ?? (agrees(measured.levels[claim]) ? measured.weight - without(claim).weight : 0);
    gains.set(claim, gain);
    return gain;
  };
  return (rival) => {
    const among = Math.min(...sharing.filter((_, at) => agrees(rival[shared[at] ?? 'citizenId'])));
    const home = isOfHousehold(rival);
    const seldom = (claim: (typeof shared)[number]) =>
      home ? (claim === 'birthDate' ? twinsAre : householdsDiffer) : twinsAre * (among + 1);
    let weight = 0;
    for (const claim of shared)
      if (rival[claim] === 'missing') weight += Math.max(0, gainOf(claim) - Math.log2(seldom(claim)));
    return weight;
  };
}

function isOfHousehold({ streetAddress, familyName, birthDate, postalCode }: Levels): boolean {
  return agrees(streetAddress) || [familyName, birthDate, postalCode].filter(agrees).length >= 2;
}

const agreeing: ReadonlySet<Level> = new Set(['exact', 'normalised', 'precision', 'similar', 'former', 'inverted']);

function agrees(level: Level | undefined): level is Level {
  return level !== undefined && agreeing.has(level);
}
