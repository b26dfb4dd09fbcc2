import { type Forms, formsOf } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { type Comparable, type NormalisedClaims, placeholderText } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';
import { claimWeight, type Frequencies, type MatchModel } from './model.ts';
import { type NameRules, nameLevel } from './name-level.ts';

type Levels = { readonly [claim in ClaimName]?: Level };
type NameLevels = { readonly givenName?: Level; readonly familyName?: Level };

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
export function crossedNames(
  context: NameContext,
  levelsAsStated: Levels,
): { readonly levels: NameLevels; readonly weight: number } | undefined {
  const { givenName, familyName } = context.claims.values;
  if (givenName === undefined || familyName === undefined) return undefined;
  const given = crossedLevel(familyName, context.known.givenName, context.names);
  const family = crossedLevel(givenName, context.known.familyName, context.names);
  const levels = { givenName: family, familyName: given };
  const rank = (one: Level | undefined, other: Level | undefined) => agreementStrength(one) + agreementStrength(other);
  if (context.model === undefined) {
    // Without a model both names must agree in the other field, and not in their own.
    const better =
      rank(given, family) === 2 * agreementStrength('normalised') &&
      rank(levelsAsStated.givenName, levelsAsStated.familyName) < 6;
    return better ? { levels: { givenName: 'similar', familyName: 'similar' }, weight: 0 } : undefined;
  }
  const weightAsStated =
    fieldWeight(context, levelsAsStated.givenName ?? 'missing', 'givenName', context.spelledValues.givenName) +
    fieldWeight(context, levelsAsStated.familyName ?? 'missing', 'familyName', context.spelledValues.familyName) +
    Math.log2(1 - context.model.crossed);
  const weight =
    fieldWeight(context, given, 'givenName', familyName) +
    fieldWeight(context, family, 'familyName', givenName) +
    Math.log2(context.model.crossed);
  if (weight <= weightAsStated) return undefined;
  const similar = (level: Level): Level => (level === 'normalised' ? 'similar' : level);
  return { levels: { givenName: similar(levels.givenName), familyName: similar(levels.familyName) }, weight };
}

function agreementStrength(level: Level | undefined): number {
  if (isSameValue(level)) return 3;
  if (level === 'transliterated' || level === 'similar' || level === 'former') return 2;
  return level === 'missing' ? 1 : 0;
}

function crossedLevel(claimed: Comparable, known: Comparable | undefined, names: NameRules): Level {
  const level = nameLevel(claimed.forms, known?.forms ?? [placeholderText], { ...names, particles: true });
  return known === undefined ? 'missing' : level;
}

/**
 * Levels and weight if both sides have the same words, but split differently between given and family name, or all in one field; undefined
 * if not. The weight is that of similar values in the registered fields.
 */
export function regroupedNames(
  context: NameContext,
  levelsAsStated: Levels,
): { readonly levels: NameLevels; readonly weight: number } | undefined {
  const { givenName, familyName } = context.claims.values;
  const { known } = context;
  const hasNoNames = known.givenName === undefined && known.familyName === undefined;
  if (hasNoNames || (givenName === undefined && familyName === undefined) || namesAgree(levelsAsStated))
    return undefined;
  const claimed = joinedForms(givenName?.forms, familyName?.forms);
  const registered = new Set(joinedForms(known.givenName?.forms, known.familyName?.forms));
  if (!claimed.some((form) => registered.has(form))) return undefined;
  let weight = 0;
  const levels: { givenName?: Level; familyName?: Level } = {};
  if (known.givenName !== undefined) weight += fieldWeight(context, 'similar', 'givenName');
  if (known.familyName !== undefined) weight += fieldWeight(context, 'similar', 'familyName');
  if (givenName !== undefined) levels.givenName = 'similar';
  if (familyName !== undefined) levels.familyName = 'similar';
  return { levels, weight };
}

/** Whether all claimed names that the register has agree in their own field. */
function namesAgree({ givenName, familyName }: Levels): boolean {
  const stated = [givenName, familyName].filter((level) => level !== undefined && level !== 'missing');
  return stated.length > 0 && stated.every((level) => agreementStrength(level) === agreementStrength('normalised'));
}

function joinedForms(given: Forms = [''], family: Forms = ['']): string[] {
  return given.flatMap((first) => family.map((second) => `${first}${second}`.replaceAll(' ', '')));
}

/** `similar` if the claimed family name is the name at birth (EU 2023/333 includes birth names); undefined if not. */
export function birthNameLevel(
  { birthFamilyName }: RegisterRecord,
  { values }: NormalisedClaims,
  level: Level | undefined,
  names: NameRules,
): Level | undefined {
  // Always compared, so that the response time does not reveal whether the record has a birth name.
  const former = nameLevel(values.familyName?.forms ?? ['nobody'], formsOf(birthFamilyName ?? placeholderText), names);
  const counts =
    birthFamilyName !== null && former === 'normalised' && level !== undefined && agreementStrength(level) < 2;
  return counts ? 'similar' : undefined;
}
