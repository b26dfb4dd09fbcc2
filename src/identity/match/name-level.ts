import { withoutParticles } from '../names/name-key.ts';
import type { Forms } from '../names/normalise.ts';
import { stripOptionalWords } from '../names/optional-words.ts';
import { isArabic, readArabic } from './arabic.ts';
import { isHebrew, spellsHebrew } from './hebrew.ts';
import type { Level } from './level.ts';
import { areShortForms, isShortened, type ShortFormRules } from './short-forms.ts';
import { editDistance, jaroWinkler, lettersExchanged, maxComparedLength } from './similarity.ts';

/** Rules for names beyond the comparison of letters. */
export type NameRules = ShortFormRules & {
  /** Whether particles may be missing: true for family names. Al, Ben and Van are given names. */
  readonly particles?: boolean;
};

/** The best level of any form of one name with any form of the other. Never `exact`: the caller compares the texts. */
export function nameLevel(claimed: Forms, known: Forms, rules: NameRules = {}): Level {
  let best = worstRank;
  // Different Han or Hangul names can have the same reading, so a shared reading alone is at most `similar`.
  const least =
    isAmbiguousInLatin(claimed) && isAmbiguousInLatin(known) && inOwnScript(claimed) !== inOwnScript(known) ? 1 : 0;
  for (const one of claimed) {
    for (const other of known) {
      const level = rankOfForms(one, other, rules);
      if (level < best) best = level;
    }
  }
  return levelsByRank[Math.max(best, least)] ?? 'different';
}

/** The name in its own script without blanks. */
function inOwnScript(forms: Forms): string {
  return joined(forms.at(-1) ?? '');
}

/** Whether different names of this script can have the same Latin spelling. */
function isAmbiguousInLatin(forms: Forms): boolean {
  const own = forms.at(-1) ?? '';
  return own >= '\u0530' && /[\u0530-\u058f\u10a0-\u11ff\u3040-\u30ff\uac00-\ud7af]|\p{Script=Han}/u.test(own);
}

const levelsByRank: readonly Level[] = ['normalised', 'similar', 'shortened', 'close', 'near', 'different'];
const worstRank = levelsByRank.length - 1;

function rankOfForms(one: string, other: string, rules: NameRules): number {
  const first = joined(one);
  const second = joined(other);
  if (first === second) return 0;
  const longer = Math.max(first.length, second.length);
  if (longer > maxComparedLength) return worstRank;
  if (readsAsLatin(one) !== readsAsLatin(other)) {
    // Edit distance is meaningless across scripts. Transliterations are separate forms.
    return rankAcrossScripts(one, second) ?? rankAcrossScripts(other, first) ?? worstRank;
  }
  const spaced = one.includes(' ') || other.includes(' ');
  if (spaced) {
    const claimed = stripOptionalWords(one);
    const known = stripOptionalWords(other);
    // Father and son.
    if (claimed.generation !== known.generation && claimed.generation && known.generation) return worstRank;
    if (claimed.form !== one || known.form !== other) return rankOfForms(claimed.form, known.form, rules);
  }
  const hasParticles = spaced && rules.particles === true;
  const [plain, plainOther] = hasParticles ? [withoutParticles(one), withoutParticles(other)] : [one, other];
  if (hasParticles && joined(plain) === joined(plainOther)) return 0;
  if (spaced && wordsExchanged(one, other)) return 1;
  const shorter = Math.min(first.length, second.length);
  const edits = editDistance(first, second, 3);
  // An initial that is left out is no slip: John and John A.
  if (edits === 1 && spaced && isWordLeftOut(one, other)) return 2;
  if (longer >= 4 && (edits === 1 || lettersExchanged(first, second))) return 1;
  if (isShortened(plain, plainOther, rules)) return 2;
  if (shorter >= 3 && (first.startsWith(second) || second.startsWith(first))) return 2;
  const likeness = jaroWinkler(first, second);
  const isClose = (edits === 2 && longer >= 5) || (likeness >= 0.92 && shorter >= 4);
  const isNear = edits === 1 || (edits === 3 && longer >= 8) || likeness >= 0.84;
  if ((!isClose && !isNear) || (spaced && isContradicted(plain, plainOther, rules))) return worstRank;
  return isClose ? 3 : 4;
}

/** Whether a form starts with a Latin letter. */
export function readsAsLatin(form: string): boolean {
  return form < '\u0370';
}

/** The rank of a Latin spelling of a Hebrew or Arabic name; undefined if it is no reading of the name. */
function rankAcrossScripts(name: string, latin: string): number | undefined {
  if (isHebrew(name)) return spellsHebrew(name, latin) ? 1 : undefined;
  if (!isArabic(name)) return undefined;
  const read = readArabic(name, latin);
  return read === undefined ? undefined : read === 'usual' ? 0 : 1;
}

function joined(form: string): string {
  return form.includes(' ') ? form.replaceAll(' ', '') : form;
}

/** Whether exactly two words are exchanged. */
function wordsExchanged(one: string, other: string): boolean {
  const first = one.split(' ');
  const second = other.split(' ');
  if (first.length !== second.length) return false;
  const differing = first.flatMap((word, at) => (word === second[at] ? [] : [at]));
  const [a, b] = differing;
  if (differing.length !== 2 || a === undefined || b === undefined) return false;
  return first[a] === second[b] && first[b] === second[a];
}

/** Whether one name is the other without its first or last words. */
function isWordLeftOut(one: string, other: string): boolean {
  const [less, more] = one.length < other.length ? [one, other] : [other, one];
  return more.startsWith(`${less} `) || more.endsWith(` ${less}`);
}

/** Whether names of equally many words have a pair of words that differs by more than a slip: Hans Peter and Hans Paul are two people. */
function isContradicted(one: string, other: string, rules: NameRules): boolean {
  const words = one.split(' ');
  const others = other.split(' ');
  return words.length === others.length && words.some((word, at) => areDifferentWords(word, others[at] ?? '', rules));
}

/** Whether two words of names differ by more than a slip. A common ending is ignored: Petrovich and Pavlovich have different stems. */
function areDifferentWords(word: string, other: string, rules: NameRules): boolean {
  if (word === other || areShortForms(word, other, rules)) return false;
  let ending = 0;
  while (word.at(-1 - ending) === other.at(-1 - ending)) ending += 1;
  const cut = ending >= leastCommonEnding ? -ending : undefined;
  return rankOfForms(word.slice(0, cut), other.slice(0, cut), rules) === worstRank;
}

const leastCommonEnding = 4;
