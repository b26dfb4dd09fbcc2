import { type ClaimName, claimKindOf } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { birthNameLevel, crossedNames, fieldWeight, type NameContext, regroupedNames } from './combined-names.ts';
import { type Comparable, type NormalisedClaims, toComparable } from './comparable.ts';
import { dateLevel } from './date-level.ts';
import { decideRecord, fitsPolicy, type MatchDecision } from './decide.ts';
import { formerAddressLevels, formerNameLevels } from './former-values.ts';
import type { Level } from './level.ts';
import type { Frequencies } from './model.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { codeLevel, nationsLevel, placeLevel, streetLevel } from './place-level.ts';
import { claimsForMinimum, type MatchPolicy } from './policy.ts';

/** The level of each claim that was submitted. It never leaves the house whole. */
export type ClaimLevels = { readonly [claim in ClaimName]?: Level };

/** What comparing one record with the claims gave. */
export type Comparison = {
  readonly levels: ClaimLevels;
  readonly decision: MatchDecision;
  /** Whether the claims fit, also where the record is silent or disputed. */
  readonly fits: boolean;
  /** Whether the given name was found in the field of the family name and the other way round. */
  readonly crossed: boolean;
  /** The sum of the weights of all claims, in bits; 0 for a policy without a model. */
  readonly weight: number;
};

/** A comparison before anything was decided. */
export type Measurement = Omit<Comparison, 'decision' | 'fits'>;

/**
 * Compares all submitted claims with one record and decides by the policy. Pure, without an early exit: how long it
 * takes depends on the claims, not on where they differ.
 */
export function compareRecord(
  record: RegisterRecord,
  claims: NormalisedClaims,
  policy: MatchPolicy,
  frequencies?: Frequencies,
): Comparison {
  const measured = measureRecord(record, claims, policy, frequencies);
  const isFit = fitsPolicy(measured, policy, claimsForMinimum(policy, claims));
  return { ...measured, fits: isFit, decision: decideRecord(record, isFit, policy) };
}

/** Compares all submitted claims with one record; see `compare`. */
export function measureRecord(
  record: RegisterRecord,
  claims: NormalisedClaims,
  { model, names }: Pick<MatchPolicy, 'model' | 'names'>,
  frequencies?: Frequencies,
): Measurement {
  const registeredValues: { [claim in ClaimName]?: Comparable } = {};
  const levels: { [claim in ClaimName]?: Level } = {};
  for (const claim of claims.asked) {
    const registered = record[claim];
    // A missing value is compared all the same, so that it costs what a value costs.
    const value = toComparable(claim, registered ?? placeholderText);
    if (registered !== null) registeredValues[claim] = value;
    const level = levelOf(claim, claims.values[claim], value, names);
    levels[claim] = registered === null ? 'missing' : level;
  }
  for (const claim of ['givenName', 'familyName'] as const) {
    const registered = record[claim];
    if (registered !== null) registeredValues[claim] ??= toComparable(claim, registered);
  }
  const birthNameMatch = birthNameLevel(record, claims, levels.familyName, names);
  const spelledValues = birthNameMatch === undefined ? claims.values : { ...claims.values, familyName: undefined };
  if (birthNameMatch !== undefined) levels.familyName = birthNameMatch;
  const nameContext: NameContext = { claims, spelledValues, known: registeredValues, names, model, frequencies };
  Object.assign(levels, formerNameLevels(record, claims, levels, names), formerAddressLevels(record, claims, levels));
  const combinedNames = crossedNames(nameContext, levels) ?? regroupedNames(nameContext, levels);
  if (combinedNames !== undefined) Object.assign(levels, combinedNames.levels);
  let weight = combinedNames?.weight ?? 0;
  for (const claim of claims.asked) {
    if (combinedNames !== undefined && (claim === 'givenName' || claim === 'familyName')) continue;
    const name = claimKindOf(claim) === 'name' ? spelledValues[claim] : undefined;
    weight += fieldWeight(nameContext, levels[claim] ?? 'missing', claim, name);
  }
  const crossed = combinedNames !== undefined;
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
  switch (claimKindOf(claim)) {
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

const placeholderText = 'nothing';

/** The record that an unknown id is compared with, so that it costs what a known one does. Nothing agrees with its id. */
export const decoyRecord: RegisterRecord = {
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
