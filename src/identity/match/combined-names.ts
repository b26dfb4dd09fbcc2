import { formsOf } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { type Comparable, type NormalisedClaims, placeholderText } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';
import { claimWeight, type Frequencies, type MatchModel } from './model.ts';
import { type NameRules, nameLevel } from './name-level.ts';

type Levels = { readonly [claim in ClaimName]?: Level };

/** The levels and the weight of both names together; without a model the weight is 0. */
export type CombinedNames = {
  readonly levels: { readonly givenName?: Level; readonly familyName?: Level };
  readonly weight: number;
  /** The claimed texts that were compared with the registered names, with their levels; undefined if the words are the same. */
  readonly compared?: {
    readonly values: { readonly givenName: Comparable; readonly familyName: Comparable };
    readonly levels: { readonly givenName: Level; readonly familyName: Level };
  };
};

/** The names of one comparison, with the model and frequencies. */
export type NameContext = {
  readonly claims: NormalisedClaims;
  /** The claimed values whose letters gave the levels; without a family name that agreed with the birth name. */
  readonly spelledValues: NormalisedClaims['values'];
  readonly known: { readonly [claim in ClaimName]?: Comparable };
  readonly names: NameRules;
  readonly model: MatchModel | undefined;
  readonly frequencies: Frequencies | undefined;
};

/** The weight of a level in bits. `from`: the registered field that was compared. `claimed`: the name whose letters gave the level. */
export function fieldWeight(
  { known, model, frequencies }: NameContext,
  level: Level,
  from: ClaimName,
  claimed?: Comparable,
): number {
  if (model === undefined) return 0;
  return claimWeight(model, { claim: from, level, known: known[from], claimed }, frequencies);
}

/** Levels and weight with given and family name exchanged; undefined if that is not better than as stated. */
export function crossedNames(context: NameContext, levelsAsStated: Levels): CombinedNames | undefined {
  const { givenName, familyName } = context.claims.values;
  if (givenName === undefined || familyName === undefined) return undefined;
  const given = crossedLevel(familyName, context.known.givenName, context.names);
  const family = crossedLevel(givenName, context.known.familyName, context.names);
  const rank = (one: Level | undefined, other: Level | undefined) => agreementStrength(one) + agreementStrength(other);
  if (context.model === undefined) {
    // Without a model both names must agree in the other field, and not in their own.
    const better =
      rank(given, family) === 2 * agreementStrength('normalised') &&
      rank(levelsAsStated.givenName, levelsAsStated.familyName) < 6;
    return better ? { levels: { givenName: 'similar', familyName: 'similar' }, weight: 0 } : undefined;
  }
  const weight =
    fieldWeight(context, given, 'givenName', familyName) +
    fieldWeight(context, family, 'familyName', givenName) +
    Math.log2(context.model.crossed);
  if (weight <= weightAsStated(context, levelsAsStated, context.model)) return undefined;
  return {
    levels: { givenName: atMostSimilar(family), familyName: atMostSimilar(given) },
    weight,
    compared: {
      values: { givenName: familyName, familyName: givenName },
      levels: { givenName: given, familyName: family },
    },
  };
}

/** The weight of both names in the fields that the claims state. */
export function weightAsStated(
  context: NameContext,
  { givenName, familyName }: Levels,
  { crossed }: MatchModel,
): number {
  return (
    fieldWeight(context, givenName ?? 'missing', 'givenName', context.spelledValues.givenName) +
    fieldWeight(context, familyName ?? 'missing', 'familyName', context.spelledValues.familyName) +
    Math.log2(1 - crossed)
  );
}

/** The level of a name that agrees, but in another field. */
export function atMostSimilar(level: Level): Level {
  return level === 'normalised' ? 'similar' : level;
}

/** How well a name agrees, from 0 to 3. */
export function agreementStrength(level: Level | undefined): number {
  if (isSameValue(level)) return 3;
  if (level === 'transliterated' || level === 'similar' || level === 'former') return 2;
  return level === 'missing' ? 1 : 0;
}

function crossedLevel(claimed: Comparable, known: Comparable | undefined, names: NameRules): Level {
  const level = nameLevel(claimed.forms, known?.forms ?? [placeholderText], { ...names, particles: true });
  return known === undefined ? 'missing' : level;
}

/** `similar` if the claimed family name is the name at birth (EU 2023/333 includes birth names); undefined if not. */
export function birthNameLevel(
  { birthFamilyName }: RegisterRecord,
  { values }: NormalisedClaims,
  level: Level | undefined,
  names: NameRules,
): Level | undefined {
  // Always compared, so that the response time does not reveal whether the record has a birth name.
  const claimed = values.familyName?.forms ?? ['nobody'];
  const atBirth = nameLevel(claimed, formsOf(birthFamilyName ?? placeholderText), { ...names, particles: true });
  const isBirthName = atBirth === 'normalised' || atBirth === 'transliterated';
  const counts = birthFamilyName !== null && isBirthName && level !== undefined && agreementStrength(level) < 2;
  return counts ? 'similar' : undefined;
}
