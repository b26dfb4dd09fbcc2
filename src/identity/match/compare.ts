import { type ClaimName, kindOf } from '../claims.ts';
import type { RegisterRecord } from '../register.ts';
import { type Comparable, comparable, type NormalisedClaims } from './comparable.ts';
import { dateLevel } from './date-level.ts';
import { decisionOn, fits, type MatchDecision } from './decide.ts';
import { addressBefore, nameBefore } from './former.ts';
import type { Level } from './level.ts';
import type { Frequencies } from './model.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { atBirth, crossing, type Room, regrouping, weightIn } from './names-together.ts';
import { codeLevel, nationsLevel, placeLevel, streetLevel } from './place-level.ts';
import { countingClaims, type Policy } from './policy.ts';

/** The level of each claim that was submitted. It never leaves the house whole. */
export type Levels = { readonly [claim in ClaimName]?: Level };

/** What comparing one record with the claims gave. */
export type Comparison = {
  readonly levels: Levels;
  readonly decision: MatchDecision;
  /** Whether the claims fit, also where the record is silent or disputed. */
  readonly fits: boolean;
  /** Whether the given name was found in the field of the family name and the other way round. */
  readonly crossed: boolean;
  /** The sum of the weights of all claims, in bits; 0 for a policy without a model. */
  readonly weight: number;
};

/** A comparison before anything was decided. */
export type Measured = Omit<Comparison, 'decision' | 'fits'>;

/**
 * Compares all submitted claims with one record and decides by the policy. Pure, without an early exit: how long it
 * takes depends on the claims, not on where they differ.
 */
export function compare(
  record: RegisterRecord,
  claims: NormalisedClaims,
  policy: Policy,
  frequencies?: Frequencies,
): Comparison {
  const measured = measure(record, claims, policy, frequencies);
  const fit = fits(measured, policy, countingClaims(policy, claims));
  return { ...measured, fits: fit, decision: decisionOn(record, fit, policy) };
}

/** Compares all submitted claims with one record; see `compare`. */
export function measure(
  record: RegisterRecord,
  claims: NormalisedClaims,
  { model, names }: Pick<Policy, 'model' | 'names'>,
  frequencies?: Frequencies,
): Measured {
  const known: { [claim in ClaimName]?: Comparable } = {};
  const levels: { [claim in ClaimName]?: Level } = {};
  for (const claim of claims.asked) {
    const registered = record[claim];
    // A missing value is compared all the same, so that it costs what a value costs.
    const value = comparable(claim, registered ?? absent);
    if (registered !== null) known[claim] = value;
    const level = levelOf(claim, claims.values[claim], value, names);
    levels[claim] = registered === null ? 'missing' : level;
  }
  for (const claim of ['givenName', 'familyName'] as const) {
    const registered = record[claim];
    if (registered !== null) known[claim] ??= comparable(claim, registered);
  }
  const former = atBirth(record, claims, levels.familyName, names);
  const spelled = former === undefined ? claims.values : { ...claims.values, familyName: undefined };
  if (former !== undefined) levels.familyName = former;
  const room: Room = { claims, spelled, known, names, model, frequencies };
  Object.assign(levels, nameBefore(record, claims, levels, names), addressBefore(record, claims, levels));
  const together = crossing(room, levels) ?? regrouping(room, levels);
  if (together !== undefined) Object.assign(levels, together.levels);
  let weight = together?.weight ?? 0;
  for (const claim of claims.asked) {
    if (together !== undefined && (claim === 'givenName' || claim === 'familyName')) continue;
    const name = kindOf(claim) === 'name' ? spelled[claim] : undefined;
    weight += weightIn(room, levels[claim] ?? 'missing', claim, name);
  }
  const crossed = together !== undefined;
  const { givenName, familyName } = claims.values;
  if (!crossed && model !== undefined && givenName && familyName) weight += Math.log2(1 - model.crossed);
  return { levels, crossed, weight };
}

function levelOf(claim: ClaimName, claimed: Comparable | undefined, known: Comparable, names: NameRules): Level {
  if (claimed === undefined) return 'missing';
  const same = claimed.exact === known.exact;
  const level = levelOfForms(claim, claimed, known, names);
  return same ? 'exact' : level;
}

function levelOfForms(claim: ClaimName, claimed: Comparable, known: Comparable, names: NameRules): Level {
  switch (kindOf(claim)) {
    case 'id':
      return 'different';
    case 'date':
      return dateLevel(claimed.forms[0] ?? '', known.forms[0] ?? '');
    case 'code':
      return codeLevel(claimed.forms, known.forms);
    case 'nations':
      return nationsLevel(claimed.forms, known.forms);
    case 'address':
      return streetLevel(claimed.forms, known.forms);
    case 'place':
      return placeLevel(claimed.forms, known.forms);
    case 'name':
      return nameLevel(claimed.forms, known.forms, claim === 'givenName' ? names : { ...names, particles: true });
  }
}

const absent = 'nothing';

/** The record that an unknown id is compared with, so that it costs what a known one does. Nothing agrees with its id. */
export const decoy: RegisterRecord = {
  citizenId: '',
  givenName: 'Nobody Inparticular',
  familyName: 'Nowhere-Else',
  birthFamilyName: 'Nowhere',
  birthDate: '1900-01-01',
  birthPlace: 'Nowhere',
  streetAddress: '1 No Street',
  postalCode: '00000',
  locality: 'Nowhere',
  country: 'Nowhere',
  documentNumber: '000000000',
  nationality: 'XX',
  underReview: false,
};
