import { type ClaimName, kindOf } from '../claims.ts';
import type { RegisterRecord } from '../register.ts';
import { type Comparable, comparable, type NormalisedClaims } from './comparable.ts';
import { dateLevel } from './date-level.ts';
import { decide, type MatchDecision } from './decide.ts';
import type { Level } from './level.ts';
import { type Frequencies, type Model, weightOf } from './model.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { codeLevel, placeLevel, streetLevel } from './place-level.ts';
import type { Policy } from './policy.ts';

/** The level of each claim that was submitted. It never leaves the house whole. */
export type Levels = { readonly [claim in ClaimName]?: Level };

/** What comparing one record with the claims gave. */
export type Comparison = {
  readonly levels: Levels;
  readonly decision: MatchDecision;
  /** Whether the given name was found in the field of the family name and the other way round. */
  readonly crossed: boolean;
  /** The sum of the weights of all claims, in bits; 0 for a policy without a model. */
  readonly weight: number;
};

/** A comparison before anything was decided. */
export type Measured = Omit<Comparison, 'decision'>;

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
  return { ...measured, decision: decide(measured, record.underReview, policy) };
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
  const room: Room = { claims, known, names, model, frequencies };
  const crossedNames = crossing(room, levels);
  const crossed = crossedNames !== undefined;
  if (crossedNames !== undefined) Object.assign(levels, crossedNames.levels);
  let weight = crossedNames?.weight ?? 0;
  for (const claim of claims.asked) {
    if (crossed && (claim === 'givenName' || claim === 'familyName')) continue;
    weight += weightIn(room, levels[claim] ?? 'missing', claim);
  }
  if (!crossed && model !== undefined && known.givenName && known.familyName) weight += Math.log2(1 - model.crossed);
  return { levels, crossed, weight };
}

type Room = {
  readonly claims: NormalisedClaims;
  readonly known: { readonly [claim in ClaimName]?: Comparable };
  readonly names: NameRules;
  readonly model: Model | undefined;
  readonly frequencies: Frequencies | undefined;
};

/** The weight of a level; `from` is the field of the register that the claim was held against. */
function weightIn({ known, model, frequencies }: Room, level: Level, from: ClaimName): number {
  if (model === undefined) return 0;
  return weightOf(model, { claim: from, level, known: known[from] }, frequencies);
}

/** What the names are worth when given and family name are exchanged, where that is better than as they stand. */
function crossing(
  room: Room,
  straight: Levels,
): { readonly levels: { readonly givenName: Level; readonly familyName: Level }; readonly weight: number } | undefined {
  const { givenName, familyName } = room.claims.values;
  if (givenName === undefined || familyName === undefined) return undefined;
  const given = crossedLevel(familyName, room.known.givenName, room.names);
  const family = crossedLevel(givenName, room.known.familyName, room.names);
  const levels = { givenName: family, familyName: given };
  const rank = (one: Level | undefined, other: Level | undefined) => strength(one) + strength(other);
  if (room.model === undefined) {
    // Without a model both must be the same but for the field, and as they stand they are not.
    const better =
      rank(given, family) === 2 * strength('normalised') && rank(straight.givenName, straight.familyName) < 6;
    return better ? { levels: { givenName: 'similar', familyName: 'similar' }, weight: 0 } : undefined;
  }
  const asTheyStand =
    weightIn(room, straight.givenName ?? 'missing', 'givenName') +
    weightIn(room, straight.familyName ?? 'missing', 'familyName') +
    Math.log2(1 - room.model.crossed);
  const weight =
    weightIn(room, given, 'givenName') + weightIn(room, family, 'familyName') + Math.log2(room.model.crossed);
  if (weight <= asTheyStand) return undefined;
  const similar = (level: Level): Level => (level === 'exact' || level === 'normalised' ? 'similar' : level);
  return { levels: { givenName: similar(levels.givenName), familyName: similar(levels.familyName) }, weight };
}

function strength(level: Level | undefined): number {
  return level === 'exact' || level === 'normalised' ? 3 : level === 'similar' ? 2 : level === 'missing' ? 1 : 0;
}

function crossedLevel(claimed: Comparable, known: Comparable | undefined, names: NameRules): Level {
  const level = nameLevel(claimed.forms, known?.forms ?? [absent], { ...names, particles: true });
  return known === undefined ? 'missing' : level;
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
  underReview: false,
};
