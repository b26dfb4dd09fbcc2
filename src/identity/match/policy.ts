import { dateForm } from '../register/birth-date.ts';
import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import type { NormalisedClaims } from './comparable.ts';
import { learnedModel } from './learned-model.ts';
import type { Level } from './level.ts';
import type { MatchModel } from './model.ts';
import type { NameRules } from './name-level.ts';

/** One of these claims. */
export type ClaimAlternatives = readonly [ClaimName, ...ClaimName[]];

/** A named, versioned set of rules. Every result states the name; changed rules get a new name. */
export type MatchPolicy = {
  readonly name: string;
  readonly assurance: { readonly framework: 'eidas'; readonly level: 'low' | 'substantial' | 'high' };
  /** One of these sets must be submitted, and one must agree. */
  readonly minimum: readonly (readonly ClaimAlternatives[])[];
  /** The levels that count as agreement. */
  readonly agreement: ReadonlySet<Level>;
  /** Levels that count as agreement only if the id or document number agrees ("similar" in EU 2023/333), by claim. */
  readonly agreementWithId: { readonly [claim in ClaimName]?: ReadonlySet<Level> };
  /** The maximum number of identifying claims with such a level; exchanged names count as one. */
  readonly mostFuzzy: number;
  /** Whether probability alone decides: a claim may differ if the others compensate. */
  readonly tolerant: boolean;
  /** The weights of the levels; without a model only the levels decide. */
  readonly model: MatchModel | undefined;
  /** Claims fit a record from this probability on. */
  readonly threshold: number;
  /** The same if neither an address nor a document number agrees. */
  readonly bareThreshold: number;
  /** The probability that the person must keep next to a competing candidate, if neither of them agrees. */
  readonly competingThreshold: number;
  /** Whether a match requires that no other person of the register fits the claims as well. */
  readonly checksAmbiguity: boolean;
  /**
   * Whether claims that contradict the person are refused: with an id by `contradictsStatedId`, and in a search if neither name is the
   * registered one.
   */
  readonly refusesContradictions: boolean;
  /** Whether an address is no evidence between the people who live there. */
  readonly discountsHouseholds: boolean;
  readonly names: NameRules;
  /** The claims that clients may submit; undefined permits all. */
  readonly permitted?: ReadonlySet<ClaimName>;
  /** A birth date must be at least this precise to count towards the minimum: an attacker finds a year or month in few attempts. */
  readonly leastDate: DatePart;
  /** The number of years after its end in which a former name or address counts. */
  readonly former: { readonly nameYears: number; readonly addressYears: number };
  /** Whether the record of a deceased person may match. */
  readonly deceasedMatch: boolean;
};

type DatePart = 'year' | 'month' | 'day';

const name: ClaimAlternatives = ['familyName', 'givenName', 'birthFamilyName'];
const address: ClaimAlternatives = ['streetAddress', 'postalCode'];

/**
 * Every submitted claim must agree or be missing in the register. Document number and address can replace the name or birth date of people
 * whose record lacks it.
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
  agreementWithId: { birthDate: new Set(['precision']) },
  mostFuzzy: 0,
  tolerant: false,
  model: undefined,
  threshold: 0,
  bareThreshold: 0,
  competingThreshold: 0,
  checksAmbiguity: false,
  refusesContradictions: false,
  discountsHouseholds: false,
  names: {},
  leastDate: 'day',
  former: { nameYears: 5, addressYears: 2 },
  deceasedMatch: false,
};

const similarOrShortened: ReadonlySet<Level> = new Set(['transliterated', 'similar', 'shortened', 'former']);
const similarOrFormer: ReadonlySet<Level> = new Set(['transliterated', 'similar', 'former']);
const former: ReadonlySet<Level> = new Set(['former']);

/**
 * The standard policy with one permitted deviation: with an agreeing id or document number, one identifying claim may be similar (EU 2023/333)
 * or former, and the address may be a former one; no claim may differ. Dates may only have exchanged day and month or less precision: with
 * one wrong digit permitted, one attempt would cover about thirty dates.
 */
export const standardPolicy2: MatchPolicy = {
  ...standardPolicy,
  name: 'standard-2026-2',
  agreementWithId: {
    givenName: similarOrShortened,
    familyName: similarOrFormer,
    birthFamilyName: new Set(['transliterated', 'similar']),
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
  competingThreshold: 0.99,
  checksAmbiguity: true,
};

/**
 * Cross-border matching (EU 2025/846): claims must agree after normalisation, with exactly one person. Also permits a search by the mandatory
 * person identification data of a wallet (EU 2024/2977, Annex, section 1) if the register has all of them.
 */
export const euPolicy: MatchPolicy = {
  ...standardPolicy,
  name: 'eu-2025-846',
  minimum: [...standardPolicy.minimum, [['givenName'], ['familyName'], ['birthDate'], ['birthPlace'], ['nationality']]],
  agreementWithId: {},
  checksAmbiguity: true,
};

/** Probability decides, and no other person of the register may fit as well. For registers with many typing errors. */
export const calibratedPolicy: MatchPolicy = {
  ...standardPolicy2,
  name: 'calibrated-2026-1',
  mostFuzzy: 9,
  tolerant: true,
  threshold: 0.99,
  bareThreshold: 0.99,
  competingThreshold: 0.999,
};

/**
 * Probability decides, but an id does not outweigh another person's name, date or address, and an address is no evidence between members of
 * a household. The default.
 */
export const standardPolicy3: MatchPolicy = {
  ...calibratedPolicy,
  name: 'standard-2026-3',
  refusesContradictions: true,
  discountsHouseholds: true,
};

/** The built-in policies by name. */
export const shippedPolicies: ReadonlyMap<string, MatchPolicy> = new Map(
  [standardPolicy3, standardPolicy2, standardPolicy, euPolicy, calibratedPolicy].map((policy) => [policy.name, policy]),
);

const dateLengths: Readonly<Record<DatePart, number>> = { year: 4, month: 7, day: 10 };

/** Whether a date in the form of `dateForm` has the precision that counts towards the minimum of the policy. */
export function isPreciseDate(date: string, { leastDate }: MatchPolicy): boolean {
  return date.length >= dateLengths[leastDate];
}

/**
 * The submitted claims that can count towards the minimum, whatever the register has. A search by one name counts as one by both: it can be
 * the whole name of a person (`wholeNameLevels`).
 */
export function submittedForMinimum({ submitted, values }: NormalisedClaims): Set<ClaimName> {
  const isSearchByName = values.citizenId === undefined && (values.givenName ?? values.familyName) !== undefined;
  return new Set([...submitted, ...(isSearchByName ? bothNames : [])]);
}

const bothNames = ['givenName', 'familyName'] as const;

/**
 * The submitted claims that count towards the minimum for this record. A birth date that is not precise enough counts only if the record has
 * no more precise one.
 */
export function claimsForMinimum(
  policy: MatchPolicy,
  claims: NormalisedClaims,
  record: Pick<RegisterRecord, 'birthDate'>,
): Set<ClaimName> {
  const counted = submittedForMinimum(claims);
  const date = claims.values.birthDate?.forms[0] ?? '';
  const registered = dateForm(record.birthDate ?? '');
  const isAsPrecise = registered !== '' && date.length >= registered.length;
  if (!isPreciseDate(date, policy) && !isAsPrecise) counted.delete('birthDate');
  return counted;
}

/** Whether these claims contain one of the minimum sets. */
export function meetsMinimum(policy: MatchPolicy, claims: ReadonlySet<ClaimName>): boolean {
  return policy.minimum.some((set) => set.every((oneOf) => oneOf.some((claim) => claims.has(claim))));
}

/** The claims that each minimum set needs besides these, the shortest list first. */
export function missingClaims(
  { minimum }: MatchPolicy,
  claims: ReadonlySet<ClaimName>,
): readonly (readonly ClaimAlternatives[])[] {
  return minimum
    .map((set) => set.filter((oneOf) => !oneOf.some((claim) => claims.has(claim))))
    .sort((left, right) => left.length - right.length);
}
