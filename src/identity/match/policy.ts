import type { ClaimName } from '../register/claims.ts';
import type { NormalisedClaims } from './comparable.ts';
import { learnedModel } from './learned-model.ts';
import type { Level } from './level.ts';
import type { MatchModel } from './model.ts';
import type { NameRules } from './name-level.ts';

/** One of these claims. */
export type ClaimAlternatives = readonly [ClaimName, ...ClaimName[]];

/** A named, versioned way to decide. The name goes into every answer; a change of rules is a new name. */
export type MatchPolicy = {
  readonly name: string;
  readonly assurance: { readonly framework: 'eidas'; readonly level: 'low' | 'substantial' | 'high' };
  /** Sets of which one must be submitted, and one must be positively matched. */
  readonly minimum: readonly (readonly ClaimAlternatives[])[];
  /** The levels that count as agreement. */
  readonly agreement: ReadonlySet<Level>;
  /** Levels that count only beside an agreeing id or document number (EU 2023/333 calls them similar), by claim. */
  readonly agreementBesideId: { readonly [claim in ClaimName]?: ReadonlySet<Level> };
  /** How many identifying claims may be fuzzy: names in each other's field are one. */
  readonly mostFuzzy: number;
  /** Whether the probability alone decides, so that a claim may differ when the others outweigh it. */
  readonly tolerant: boolean;
  /** What a level weighs; without a model only the levels decide. */
  readonly model: MatchModel | undefined;
  /** The probability from which claims fit a record. */
  readonly threshold: number;
  /** The same where neither an address nor a document number agrees. */
  readonly bareThreshold: number;
  /** What is left to a person beside anyone else of the register, where neither of them agrees. */
  readonly rivalThreshold: number;
  /** Whether a person is only matched when no other candidate of the register fits the claims as well. */
  readonly rivals: boolean;
  readonly names: NameRules;
  /** The claims that may be asked about; undefined: all. */
  readonly permitted?: ReadonlySet<ClaimName>;
  /** How much of a birth date has to be stated for it to count towards the minimum: less is soon guessed. */
  readonly leastDate: DatePart;
  /** For how many years after its end a former name or address still counts, where the levels let it. */
  readonly former: { readonly nameYears: number; readonly addressYears: number };
  /** Whether the record of somebody who has died may match. */
  readonly deceasedMatch: boolean;
};

export type DatePart = 'year' | 'month' | 'day';

const name: ClaimAlternatives = ['familyName', 'givenName', 'birthFamilyName'];
const address: ClaimAlternatives = ['streetAddress', 'postalCode'];

/**
 * The policy of the contract. Every claim that is submitted must agree or be unknown to the register. A person of whom
 * the register knows no name or no birth date can be verified by document number and address in its place.
 */
export const standardPolicy: MatchPolicy = {
  name: 'standard-2026-1',
  assurance: { framework: 'eidas', level: 'low' },
  minimum: [
    [['citizenId'], name, ['birthDate']],
    [['citizenId'], name, ['documentNumber'], address],
    [['citizenId'], ['birthDate'], ['documentNumber'], address],
    [['givenName'], ['familyName'], ['birthDate'], [...address, 'documentNumber']],
  ],
  agreement: new Set(['exact', 'normalised']),
  agreementBesideId: { birthDate: new Set(['precision']) },
  mostFuzzy: 0,
  tolerant: false,
  model: undefined,
  threshold: 0,
  bareThreshold: 0,
  rivalThreshold: 0,
  rivals: false,
  names: {},
  leastDate: 'day',
  former: { nameYears: 5, addressYears: 2 },
  deceasedMatch: false,
};

const similarOrShortened: ReadonlySet<Level> = new Set(['similar', 'shortened', 'former']);
const similarOrFormer: ReadonlySet<Level> = new Set(['similar', 'former']);
const former: ReadonlySet<Level> = new Set(['former']);

/**
 * The standard policy with one slip allowed: beside an agreeing id or document number, one identifying claim may be
 * similar in the sense of EU 2023/333 or former, and the address may be one that was left; no claim may differ. Of dates only day and month exchanged and a stated lack of
 * precision: one wrong digit would let a guess cover thirty dates.
 */
export const standardPolicy2: MatchPolicy = {
  ...standardPolicy,
  name: 'standard-2026-2',
  agreementBesideId: {
    givenName: similarOrShortened,
    familyName: similarOrFormer,
    birthFamilyName: new Set(['similar']),
    birthDate: new Set(['precision', 'inverted']),
    birthPlace: new Set(['similar']),
    nationality: new Set(['similar']),
    locality: similarOrFormer,
    streetAddress: similarOrShortened,
    postalCode: former,
    country: former,
  },
  mostFuzzy: 1,
  model: learnedModel,
  threshold: 0.99,
  bareThreshold: 0.99,
  rivalThreshold: 0.99,
  rivals: true,
};

/**
 * What EU 2025/846 asks of cross-border matching: the same after normalising, and one person. Without an id also by the
 * mandatory person identification data of a wallet (EU 2024/2977, Annex, section 1), where the register has them all.
 */
export const euPolicy: MatchPolicy = {
  ...standardPolicy,
  name: 'eu-2025-846',
  minimum: [...standardPolicy.minimum, [['givenName'], ['familyName'], ['birthDate'], ['birthPlace'], ['nationality']]],
  agreementBesideId: {},
  rivals: true,
};

/**
 * The calibrated policy: the probability decides, and no other person of the register may fit as well. For records that
 * are known to be badly typed; a client has to be given it.
 */
export const calibratedPolicy: MatchPolicy = {
  ...standardPolicy2,
  name: 'calibrated-2026-1',
  mostFuzzy: 9,
  tolerant: true,
  threshold: 0.99,
  bareThreshold: 0.99,
  rivalThreshold: 0.999,
};

/** All policies that ship, by name. */
export const shippedPolicies: ReadonlyMap<string, MatchPolicy> = new Map(
  [standardPolicy, standardPolicy2, euPolicy, calibratedPolicy].map((policy) => [policy.name, policy]),
);

const dateLengths: Readonly<Record<DatePart, number>> = { year: 4, month: 7, day: 10 };

/** The claims that count towards the minimum: all but a birth date of which too little is stated. */
export function claimsForMinimum({ leastDate }: MatchPolicy, { asked, values }: NormalisedClaims): Set<ClaimName> {
  const states = (values.birthDate?.forms[0] ?? '').length >= dateLengths[leastDate];
  return new Set(asked.filter((claim) => claim !== 'birthDate' || states));
}

/** Whether some minimum set of the policy lies within these claims. */
export function meetsMinimum(policy: MatchPolicy, claims: ReadonlySet<ClaimName>): boolean {
  return policy.minimum.some((set) => set.every((oneOf) => oneOf.some((claim) => claims.has(claim))));
}
