import { withoutParticles } from '../names/name-key.ts';
import type { Forms } from '../names/normalise.ts';
import { stripOptionalWords } from '../names/optional-words.ts';
import { isScriptReading } from '../names/script-letters.ts';
import { isArabic, readArabic } from './arabic.ts';
import type { Level } from './level.ts';
import { areShortForms, isShortened, type ShortFormRules } from './short-forms.ts';
import { editDistance, jaroWinkler, lettersExchanged, maxComparedLength } from './similarity.ts';
import { areSpellingVariants } from './spelling-variants.ts';

/** Rules for names beyond the comparison of letters. */
export type NameRules = ShortFormRules & {
  /** Whether particles may be missing: true for family names. Al, Ben and Van are given names. */
  readonly particles?: boolean;
};

/** The best level of any form of one name with any form of the other. Never `exact`: the caller compares the texts. */
export function nameLevel(claimed: Forms, known: Forms, rules: NameRules = {}): Level {
  // Different Han or Hangul names can have the same reading (伟 and 薇), so only their own letters are compared.
  const own = isAmbiguousInLatin(claimed) && isAmbiguousInLatin(known);
  const found = own ? bestRank(lettersOf(claimed), lettersOf(known), rules) : bestRank(claimed, known, rules);
  // The Latin reading of a name in syllables is one word: Youngsu is not short for Young-hee.
  const best = found === shortenedRank && isSyllabic(claimed) !== isSyllabic(known) ? worstRank : found;
  const isRead = best > 0 && !(own && isHan(claimed) === isHan(known));
  return (isRead ? readingLevel(claimed, known) : undefined) ?? levelsByRank[best] ?? 'different';
}

function bestRank(claimed: Forms, known: Forms, rules: NameRules): number {
  let best = worstRank;
  for (const one of claimed) {
    for (const other of known) {
      const rank = rankOfForms(one, other, rules);
      if (rank < best) best = rank;
    }
  }
  return best;
}

/** The name in its own script, Hangul by letters: a keystroke is a letter. */
function lettersOf(forms: Forms): Forms {
  return forms.slice(-1).map((form) => form.normalize('NFD'));
}

/** Whether the name is in Han characters, kana or Hangul. */
function isSyllabic(forms: Forms): boolean {
  return /[\u3040-\u30ff\uac00-\ud7af]|\p{Script=Han}/u.test(forms.at(-1) ?? '');
}

function isHan(forms: Forms): boolean {
  return /\p{Script=Han}/u.test(forms.at(-1) ?? '');
}

/** Whether different names of this script can have the same Latin spelling. */
function isAmbiguousInLatin(forms: Forms): boolean {
  const own = forms.at(-1) ?? '';
  return own >= '\u0530' && /[\u0530-\u058f\u10a0-\u11ff\u3040-\u30ff\uac00-\ud7af]|\p{Script=Han}/u.test(own);
}

const levelsByRank: readonly Level[] = ['normalised', 'similar', 'shortened', 'close', 'near', 'different'];
const worstRank = levelsByRank.length - 1;
const shortenedRank = levelsByRank.indexOf('shortened');

function rankOfForms(one: string, other: string, rules: NameRules): number {
  const first = joinWords(one);
  const second = joinWords(other);
  if (first === second) return 0;
  const longer = Math.max(first.length, second.length);
  if (longer > maxComparedLength) return worstRank;
  if (readsAsLatin(one) !== readsAsLatin(other)) {
    // Edit distance is meaningless across scripts. Transliterations are separate forms, and `readingLevel` compares readings.
    return worstRank;
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
  if (hasParticles && joinWords(plain) === joinWords(plainOther)) return 0;
  if (spaced && wordsExchanged(one, other)) return 1;
  const shorter = Math.min(first.length, second.length);
  const edits = editDistance(first, second, 3);
  // Another initial is another name: John A and John B.
  if (edits === 1 && spaced && haveOtherInitial(one, other)) return worstRank;
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

/** The level of a name and a reading of it in Latin letters, or of two Latin spellings of a name; undefined if they are neither. */
function readingLevel(claimed: Forms, known: Forms): Level | undefined {
  if (isLatinOnly(claimed) && isLatinOnly(known)) {
    const areVariants = claimed.some((one) => known.some((other) => areSpellingVariants(one, other)));
    return areVariants ? 'transliterated' : undefined;
  }
  return levelAcrossScripts(claimed, known) ?? levelAcrossScripts(known, claimed);
}

function isLatinOnly(forms: Forms): boolean {
  return readsAsLatin(forms.at(-1) ?? '');
}

function levelAcrossScripts(forms: Forms, latinForms: Forms): Level | undefined {
  const own = forms.at(-1) ?? '';
  if (readsAsLatin(own) || own.length > maxComparedLength) return undefined;
  let level: Level | undefined;
  for (const form of latinForms) {
    const latin = joinWords(form);
    if (!readsAsLatin(latin) || latin.length > maxComparedLength) continue;
    const reading = readAcrossScripts(own, latin);
    if (reading === 'usual') return 'normalised';
    if (reading === 'possible') level = 'transliterated';
  }
  return level;
}

/** Whether the text in Latin letters is a reading of the name. */
function readAcrossScripts(name: string, latin: string): 'usual' | 'possible' | undefined {
  if (isArabic(name)) return readArabic(name, latin);
  return isScriptReading(name, latin) ? 'possible' : undefined;
}

/** The text without blanks. */
export function joinWords(form: string): string {
  return form.includes(' ') ? form.replaceAll(' ', '') : form;
}

function wordsExchanged(one: string, other: string): boolean {
  const first = one.split(' ');
  const second = other.split(' ');
  if (first.length !== second.length) return false;
  const differing = first.flatMap((word, at) => (word === second[at] ? [] : [at]));
  const [a, b] = differing;
  if (differing.length !== 2 || a === undefined || b === undefined) return false;
  return first[a] === second[b] && first[b] === second[a];
}

/** Whether the names have as many words, and a pair of them are two different letters. */
function haveOtherInitial(one: string, other: string): boolean {
  const [words, others] = [one.split(' '), other.split(' ')];
  const areOtherInitials = (word: string, at: number) =>
    word.length === 1 && others[at]?.length === 1 && word !== others[at];
  return words.length === others.length && words.some(areOtherInitials);
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
