import { agreesToPrecision } from '../birth-date.ts';
import { type ClaimName, kindOf } from '../claims.ts';
import { withoutParticles } from '../name-key.ts';
import type { Forms } from '../normalise.ts';
import type { RegisterRecord } from '../register.ts';
import { type Comparable, comparable, type NormalisedClaims } from './comparable.ts';
import { type Level, type Policy, reachesMinimum } from './policy.ts';

export type MatchDecision = 'match' | 'no_match' | 'not_determined';

/** The level of each claim that was submitted. It never leaves the house whole. */
export type Levels = { readonly [claim in ClaimName]?: Level };

/** What comparing one record with the claims gave. */
export type Comparison = { readonly levels: Levels; readonly decision: MatchDecision };

/**
 * Compares all submitted claims with one record and decides by the policy. Pure, without an early exit: how long it
 * takes depends on the claims, not on where they differ.
 */
export function compare(record: RegisterRecord, claims: NormalisedClaims, policy: Policy): Comparison {
  const levels: { [claim in ClaimName]?: Level } = compareNames(record, claims);
  for (const claim of claims.asked) {
    if (kindOf(claim) !== 'name') levels[claim] = levelOf(claim, claims.values[claim], record[claim]);
  }
  return { levels, decision: decide(levels, record.underReview, policy) };
}

/** The names of a person, together, because fields are exchanged and regrouped between them. */
function compareNames(record: RegisterRecord, claims: NormalisedClaims): { [claim in ClaimName]?: Level } {
  const levels: { [claim in ClaimName]?: Level } = {};
  for (const claim of ['givenName', 'familyName', 'birthFamilyName'] as const) {
    const value = claims.values[claim];
    if (value !== undefined) levels[claim] = levelOf(claim, value, record[claim]);
  }
  return levels;
}

function levelOf(claim: ClaimName, claimed: Comparable | undefined, registered: string | null): Level {
  // A missing value is compared all the same, so that it costs what a value costs.
  const known = comparable(claim, registered ?? absent);
  if (registered === null || claimed === undefined) return 'missing';
  if (claimed.exact === known.exact) return 'exact';
  if (same(claim, claimed.forms, known.forms)) return 'normalised';
  const precise = kindOf(claim) === 'date' && agreesToPrecision(claimed.forms[0] ?? '', known.forms[0] ?? '');
  return precise ? 'precision' : 'different';
}

const absent = 'nothing';

function same(claim: ClaimName, claimed: Forms, known: Forms): boolean {
  switch (kindOf(claim)) {
    case 'id':
      return false;
    case 'date':
    case 'code':
      return meet(claimed, known, (form) => form);
    case 'address':
      // The house number stands before or behind the street.
      return meet(claimed, known, joined) || meet(claimed, known, sortedWords);
    case 'name':
    case 'place':
      return meet(claimed, known, joined) || (claim === 'familyName' && meet(claimed, known, withoutParticles));
  }
}

function meet(one: Forms, other: Forms, of: (form: string) => string): boolean {
  const first = one[0];
  const second = other[0];
  if (one.length === 1 && other.length === 1 && first !== undefined && second !== undefined)
    return of(first) === of(second);
  const known = new Set(other.map(of));
  return one.some((form) => known.has(of(form)));
}

function joined(form: string): string {
  return form.replaceAll(' ', '');
}

function sortedWords(form: string): string {
  return form.split(' ').sort().join(' ');
}

/** A claim that differs is no match; nor is too little that fits. What fits a disputed record is left open. */
function decide(levels: Levels, underReview: boolean, policy: Policy): MatchDecision {
  const agrees = (level: Level | undefined) => level !== undefined && policy.agreement.has(level);
  const besideId = agrees(levels.citizenId) || agrees(levels.documentNumber);
  const agreed = new Set<ClaimName>();
  let differs = false;
  for (const [claim, level] of Object.entries(levels) as [ClaimName, Level][]) {
    if (agrees(level) || (besideId && policy.agreementBesideId.has(level))) agreed.add(claim);
    else if (level !== 'missing') differs = true;
  }
  if (differs || !reachesMinimum(policy, agreed)) return 'no_match';
  return underReview ? 'not_determined' : 'match';
}

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
  underReview: false,
};
