import { agreesToPrecision } from '../register/birth-date.ts';
import { type ClaimName, claimKindOf } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { sameInOtherCalendar } from './calendars.ts';
import { birthNameLevel, fieldWeight, type NameContext } from './combined-names.ts';
import { type Comparable, type NormalisedClaims, placeholderText, toComparable } from './comparable.ts';
import { contradictsStatedId } from './contradiction.ts';
import { decideRecord, fitsPolicy, type MatchDecision } from './decide.ts';
import { formerAddressLevels, formerNameLevels } from './former-values.ts';
import { isSameValue, type Level } from './level.ts';
import type { Frequencies } from './model.ts';
import { isNameFiller } from './name-filler.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { codeLevel, nationsLevel, placeLevel, postalCodeLevel, streetLevel } from './place-level.ts';
import { claimsForMinimum, type MatchPolicy } from './policy.ts';
import { combineNames } from './regrouped-names.ts';
import { dottedWords } from './short-forms.ts';
import { editDistance } from './similarity.ts';
import { wholeNameLevels, withoutPartialNames } from './whole-name.ts';

/** The level of each submitted claim. Levels never leave the server; `claimResults` reduces them. */
export type ClaimLevels = { readonly [claim in ClaimName]?: Level };

/** The comparison of the claims with one record. */
export type Comparison = {
  readonly levels: ClaimLevels;
  readonly decision: MatchDecision;
  /** Whether the claims fit, regardless of a lock or dispute. */
  readonly fits: boolean;
  /** Whether the given name is in the field of the family name and vice versa, or words moved between the two. */
  readonly crossed: boolean;
  /** The sum of the weights of all claims, in bits; 0 for a policy without a model. */
  readonly weight: number;
  /** Whether an id is stated and the other claims are those of another person; see `contradictsStatedId`. */
  readonly contradicted: boolean;
};

/** A comparison without the decision. */
export type Measurement = Omit<Comparison, 'decision' | 'fits'>;

/**
 * Compares all submitted claims with one record and decides by the policy. No early exit: otherwise the response time would reveal which
 * claim differs (test/scenarios/identity-uniform-responses.test.ts).
 */
export function compareRecord(
  record: RegisterRecord,
  claims: NormalisedClaims,
  policy: MatchPolicy,
  frequencies?: Frequencies,
): Comparison {
  const measured = measureRecord(record, claims, policy, frequencies);
  const counted = withoutPartialNames(record, claims, wholeNameLevels(record, claims, measured));
  const named = { ...measured, levels: counted };
  const isFit = fitsPolicy(named, policy, claimsForMinimum(policy, claims, record));
  return { ...measured, fits: isFit, decision: decideRecord(record, isFit, policy) };
}

/** Compares all submitted claims with one record, without a decision. */
export function measureRecord(
  record: RegisterRecord,
  claims: NormalisedClaims,
  policy: Pick<MatchPolicy, 'model' | 'names' | 'refusesContradictions'>,
  frequencies?: Frequencies,
): Measurement {
  const { model, refusesContradictions } = policy;
  const names = withDottedWords(policy.names, record, claims);
  const registeredValues: { [claim in ClaimName]?: Comparable } = {};
  const levels: { [claim in ClaimName]?: Level } = {};
  for (const claim of claims.submitted) {
    const registered = registeredValue(record, claim);
    const value = toComparable(claim, registered ?? placeholderText);
    if (registered !== null) registeredValues[claim] = value;
    const level = levelOf(claim, claims.values[claim], value, names);
    levels[claim] = registered === null ? 'missing' : level;
  }
  for (const claim of ['givenName', 'familyName'] as const) {
    const registered = registeredValue(record, claim);
    if (registered !== null) registeredValues[claim] ??= toComparable(claim, registered);
  }
  const birthNameMatch = birthNameLevel(record, claims, levels.familyName, names);
  const spelledValues = birthNameMatch === undefined ? claims.values : { ...claims.values, familyName: undefined };
  if (birthNameMatch !== undefined) levels.familyName = birthNameMatch;
  const nameContext: NameContext = { claims, spelledValues, known: registeredValues, names, model, frequencies };
  Object.assign(levels, formerNameLevels(record, claims, levels, names), formerAddressLevels(record, claims, levels));
  const combinedNames = combineNames(nameContext, levels);
  if (combinedNames !== undefined) Object.assign(levels, combinedNames.levels);
  let weight = combinedNames?.weight ?? 0;
  for (const claim of claims.submitted) {
    if (combinedNames !== undefined && (claim === 'givenName' || claim === 'familyName')) continue;
    const name = claimKindOf(claim) === 'name' ? spelledValues[claim] : undefined;
    weight += fieldWeight(nameContext, levelForWeight(claim, levels, claims), claim, name);
  }
  const crossed = combinedNames !== undefined;
  const { givenName, familyName } = claims.values;
  if (!crossed && model !== undefined && givenName && familyName) weight += Math.log2(1 - model.crossed);
  const statesId = refusesContradictions && claims.submitted.includes('citizenId');
  return { levels, crossed, weight, contradicted: statesId && contradictsStatedId(nameContext, levels, combinedNames) };
}

/** The registered value; null also for a filler in place of a name. */
function registeredValue(record: RegisterRecord, claim: ClaimName): string | null {
  const value = record[claim];
  return value !== null && (claim === 'givenName' || claim === 'familyName') && isNameFiller(value) ? null : value;
}

function withDottedWords(names: NameRules, record: RegisterRecord, { values }: NormalisedClaims): NameRules {
  const texts = [record.givenName, record.familyName, values.givenName?.exact, values.familyName?.exact];
  const dotted = dottedWords(...texts.map((text) => text ?? ''));
  return dotted === undefined ? names : { ...names, dotted };
}

/** An equal year or month has the weight of a date that agrees to its precision: many people share it. */
function levelForWeight(claim: ClaimName, levels: ClaimLevels, { values }: NormalisedClaims): Level {
  const level = levels[claim] ?? 'missing';
  return claim === 'birthDate' && isSameValue(level) && values.birthDate?.forms[0]?.length !== 10 ? 'precision' : level;
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
      return claim === 'postalCode'
        ? postalCodeLevel(claimed.forms, known.forms)
        : codeLevel(claimed.forms, known.forms);
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

/** The level of two dates in the form of `dateForm`. */
export function dateLevel(claimed: string, known: string): Level {
  if (claimed === known) return 'normalised';
  if (agreesToPrecision(claimed, known)) return 'precision';
  const one = claimed.replaceAll('-', '');
  const other = known.replaceAll('-', '');
  // A year or month with one different digit is too common.
  if (one.length !== 8 || other.length !== 8) return 'different';
  if (one === other.slice(0, 4) + other.slice(6) + other.slice(4, 6)) return 'inverted';
  const edits = editDistance(one, other, 2);
  if (edits === 1) return isOneSubstitution(one, other) ? 'similar' : 'close';
  if (sameInOtherCalendar(claimed, known)) return 'similar';
  return edits === 2 ? 'close' : 'different';
}

function isOneSubstitution(one: string, other: string): boolean {
  let differing = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) differing += 1;
  return differing === 1;
}

/** Compared with the claims if the id is unknown, so that an unknown id takes the same time (test/attacks/unknown-id-decoy.test.ts). */
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
