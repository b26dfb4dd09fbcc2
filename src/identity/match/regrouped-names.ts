import { withoutParticles } from '../names/name-key.ts';
import type { Forms } from '../names/normalise.ts';
import { generationIn } from '../names/optional-words.ts';
import type { ClaimName } from '../register/claims.ts';
import {
  agreementStrength,
  atMostSimilar,
  type CombinedNames,
  crossedNames,
  fieldWeight,
  type NameContext,
  weightAsStated,
} from './combined-names.ts';
import type { Comparable } from './comparable.ts';
import type { Level } from './level.ts';
import { isNameFiller } from './name-filler.ts';
import { joinWords, nameLevel, readsAsLatin } from './name-level.ts';

type Levels = { readonly [claim in ClaimName]?: Level };
type Values = { readonly givenName?: Comparable | undefined; readonly familyName?: Comparable | undefined };
/** The names of one side in the order in which they are read; a single one if one field has the whole name. */
type Sequence = readonly Forms[];

/** More words are not divided in other ways (test/attacks/bounded-work.test.ts). */
const maxDividedWords = 8;

/** Levels and weight if exchanged or regrouped names agree better than the names as stated; undefined if they do not. */
export function combineNames(context: NameContext, levelsAsStated: Levels): CombinedNames | undefined {
  const crossed = crossedNames(context, levelsAsStated);
  const regrouped = regroupedNames(context, levelsAsStated);
  if (crossed === undefined || regrouped === undefined) return crossed ?? regrouped;
  return regrouped.weight > crossed.weight && !areSimilar(crossed.levels) ? regrouped : crossed;
}

function areSimilar({ givenName, familyName }: Levels): boolean {
  return givenName === 'similar' && familyName === 'similar';
}

/**
 * Levels and weight if both sides have the same words, but divided differently between given and family name, or all in one field, in
 * either order. The names of one side may then also have a slip, a short form or a particle.
 */
function regroupedNames(context: NameContext, levelsAsStated: Levels): CombinedNames | undefined {
  if (namesAgree(levelsAsStated)) return undefined;
  const known = withoutFillers(context.known);
  const sequences = sequencesOf(withoutFillers(context.claims.values));
  const registered = sequencesOf(known);
  if (sequences.length === 0 || registered.length === 0) return undefined;
  if (haveSameWords(sequences, registered)) return sameWords(context, known);
  if (context.model === undefined || agreesWithOneDeviation(levelsAsStated)) return undefined;
  const hasBothNames = known.givenName !== undefined && known.familyName !== undefined;
  if (hasBothNames && sequences.every((sequence) => sequence.every((forms) => !forms[0]?.includes(' '))))
    return undefined;
  if (!shareWords(sequences, known) || haveOtherGenerations(sequences, registered)) return undefined;
  return hasBothNames
    ? dividedNames(context, sequences, levelsAsStated)
    : wholeName(context, sequences, levelsAsStated);
}

function withoutFillers({ givenName, familyName }: Values): Values {
  const named = (value: Comparable | undefined) =>
    value === undefined || isNameFiller(value.exact) ? undefined : value;
  return { givenName: named(givenName), familyName: named(familyName) };
}

/** Both names in either order, or one of them if it contains the other. */
function sequencesOf({ givenName, familyName }: Values): readonly Sequence[] {
  const [given, family] = [givenName?.forms, familyName?.forms];
  if (given === undefined || family === undefined) return [given, family].flatMap((one) => (one ? [[one]] : []));
  const both = [
    [given, family],
    [family, given],
  ];
  if (repeats(given, family)) return [[given], ...both];
  return repeats(family, given) ? [[family], ...both] : both;
}

/** Whether the name is the other one with words before or after it. Names in Han and other scripts may have no blanks. */
function repeats(name: Forms, other: Forms): boolean {
  const [whole, part] = [name.at(-1) ?? '', other.at(-1) ?? ''];
  const blank = readsAsLatin(whole) ? ' ' : '';
  return whole === part || whole.startsWith(part + blank) || whole.endsWith(blank + part);
}

/** Whether the words are the same, in some order of the names and apart from blanks. */
function haveSameWords(claimed: readonly Sequence[], known: readonly Sequence[]): boolean {
  // Different Han or Hangul names can have the same reading, so names in other scripts are compared as they are written.
  const isAsWritten = [...claimed, ...known].flat().every((forms) => !readsAsLatin(forms.at(-1) ?? ''));
  const texts = new Set(known.flatMap((sequence) => joinedForms(sequence, isAsWritten)));
  return claimed.some((sequence) => joinedForms(sequence, isAsWritten).some((text) => texts.has(text)));
}

function joinedForms([first = [], second]: Sequence, isAsWritten: boolean): string[] {
  const textsOf = (forms: Forms) => (isAsWritten ? forms.slice(-1) : forms).map(joinWords);
  const firstTexts = textsOf(first);
  if (second === undefined) return firstTexts;
  const secondTexts = textsOf(second);
  return firstTexts.flatMap((one) => secondTexts.map((other) => one + other));
}

/** Whether all claimed names that the register has agree in their own field. */
function namesAgree({ givenName, familyName }: Levels): boolean {
  const stated = [givenName, familyName].filter((level) => level !== undefined && level !== 'missing');
  return stated.length > 0 && stated.every((level) => agreementStrength(level) === agreementStrength('normalised'));
}

/** The weight is that of similar values in the registered fields. */
function sameWords(context: NameContext, known: Values): CombinedNames {
  let weight = 0;
  if (known.givenName !== undefined) weight += fieldWeight(context, 'similar', 'givenName');
  if (known.familyName !== undefined) weight += fieldWeight(context, 'similar', 'familyName');
  return { levels: levelsOfStated(context, 'similar', 'similar'), weight };
}

/**
 * Whether all claimed words except one occur in the registered names. Saves the comparison of most names. Names in different scripts are
 * always compared.
 */
function shareWords([claimed = []]: readonly Sequence[], { givenName, familyName }: Values): boolean {
  const forms = [...(givenName?.forms ?? []), ...(familyName?.forms ?? [])];
  const text = forms.map(joinWords).join(' ');
  return spacedForms(claimed).some((form) => {
    if (readsAsLatin(form) !== readsAsLatin(text)) return true;
    const words = withoutParticles(form).split(' ');
    return words.filter((word) => !text.includes(word)).length <= 1;
  });
}

/** Whether both whole names have a generation suffix, and another one: father and son. */
function haveOtherGenerations([claimed = []]: readonly Sequence[], [known = []]: readonly Sequence[]): boolean {
  const [one, other] = [claimed, known].map((sequence) => generationIn(spacedForms(sequence)[0] ?? ''));
  return one !== undefined && other !== undefined && one !== other;
}

/** The levels of those names that the claims state; the worse one if all is in one field. */
function levelsOfStated({ claims: { values } }: NameContext, given: Level, family: Level): CombinedNames['levels'] {
  const worse = agreementStrength(given) < agreementStrength(family) ? given : family;
  if (values.familyName === undefined) return { givenName: worse };
  return values.givenName === undefined ? { familyName: worse } : { givenName: given, familyName: family };
}

/** The best division of the claimed words into a given and a family name that agree; one of the two may have a deviation. */
function dividedNames(
  context: NameContext,
  sequences: readonly Sequence[],
  levelsAsStated: Levels,
): CombinedNames | undefined {
  const { known, names, model } = context;
  const { givenName, familyName } = known;
  if (model === undefined || givenName === undefined || familyName === undefined) return undefined;
  let best: CombinedNames | undefined;
  let bestWeight = weightAsStated(context, levelsAsStated, model);
  for (const [given, family] of sequences.flatMap(divisionsOf)) {
    const values = { givenName: { exact: '', forms: given }, familyName: { exact: '', forms: family } };
    const levels = {
      givenName: nameLevel(given, givenName.forms, names),
      familyName: nameLevel(family, familyName.forms, { ...names, particles: true }),
    };
    if (!agreesWithOneDeviation(levels)) continue;
    const weight =
      fieldWeight(context, levels.givenName, 'givenName', values.givenName) +
      fieldWeight(context, levels.familyName, 'familyName', values.familyName) +
      Math.log2(model.crossed);
    if (weight <= bestWeight) continue;
    bestWeight = weight;
    const stated = levelsOfStated(context, atMostSimilar(levels.givenName), atMostSimilar(levels.familyName));
    best = { levels: stated, weight, compared: { values, levels } };
  }
  return best;
}

/** The ways to divide the words at a blank, with each part as the given name. */
function divisionsOf(sequence: Sequence): readonly (readonly [given: Forms, family: Forms])[] {
  const forms = spacedForms(sequence);
  const count = wordCount(forms);
  if (count > maxDividedWords) return [];
  const [first] = sequence;
  // Divided as stated: exchanged names are another rule.
  const stated = sequence.length === 1 || first === undefined ? 0 : wordCount(first);
  return Array.from({ length: count - 1 }, (_, at) => at + 1).flatMap((at) => {
    if (at === stated) return [];
    const words = forms.map((form) => form.split(' '));
    const head = words.map((form) => form.slice(0, at).join(' '));
    const tail = words.map((form) => form.slice(at).join(' '));
    return [[head, tail] as const, [tail, head] as const];
  });
}

/** The forms of both names with a blank between them. Names in one script have their systems in the same order. */
function spacedForms([first = [], second]: Sequence): Forms {
  if (second === undefined) return first;
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, at) => `${first[at] ?? first.at(-1)} ${second[at] ?? second.at(-1)}`);
}

function wordCount(forms: Forms): number {
  return (forms[0] ?? '').split(' ').length;
}

/** Whether both names are stated and agree, at most one of them with a deviation. */
function agreesWithOneDeviation({ givenName, familyName }: Levels): boolean {
  if (givenName === undefined || familyName === undefined) return false;
  return agrees(givenName) && agrees(familyName) && !(isDeviation(givenName) && isDeviation(familyName));
}

function agrees(level: Level): boolean {
  return level !== 'close' && level !== 'near' && level !== 'different' && level !== 'missing';
}

function isDeviation(level: Level): boolean {
  return level === 'similar' || level === 'shortened';
}

/** The register has the whole name in one field. The claims may omit a word of it, but not add one. */
function wholeName(
  context: NameContext,
  sequences: readonly Sequence[],
  levelsAsStated: Levels,
): CombinedNames | undefined {
  const { known, names, model } = context;
  const field = known.givenName === undefined ? 'familyName' : 'givenName';
  const registered = known[field];
  if (registered === undefined || model === undefined) return undefined;
  let best: CombinedNames | undefined;
  let bestWeight = weightAsStated(context, levelsAsStated, model);
  for (const sequence of sequences) {
    const forms = spacedForms(sequence);
    if (sequence.length === 1 || wordCount(forms) > maxDividedWords) continue;
    const level = nameLevel(forms, registered.forms, names);
    const weight = fieldWeight(context, level, field) + Math.log2(model.crossed);
    const addsWord = level === 'shortened' && wordCount(forms) > wordCount(registered.forms);
    if (!agrees(level) || addsWord || weight <= bestWeight) continue;
    bestWeight = weight;
    best = { levels: levelsOfStated(context, atMostSimilar(level), atMostSimilar(level)), weight };
  }
  return best;
}
