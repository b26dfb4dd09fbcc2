import { memoize } from '../../kernel/lru-cache.ts';
import { stripOptionalWords } from '../names/optional-words.ts';
import { phoneticKeysOf } from '../names/phonetic-keys.ts';
import { areSyllableVariants, divideIntoSyllables } from '../names/syllable-variants.ts';
import { arabicOutline, areArabicVariants } from './arabic.ts';
import { maxComparedLength } from './similarity.ts';

/**
 * Whether two Latin forms are spellings of one name: both read one name in another script (Mohamed, Muhammad; Lee, Rhee; Zhang, Cheung), or
 * they have the same sound in the spelling of European or Asian languages. Words are compared one by one if there are as many of them.
 */
export function areSpellingVariants(one: string, other: string): boolean {
  if (one.length > maxComparedLength || other.length > maxComparedLength) return false;
  if (!one.includes(' ') && !other.includes(' ')) return areVariants(one, other);
  // Father and son.
  if (stripOptionalWords(one).generation !== stripOptionalWords(other).generation) return false;
  if (areVariants(one, other)) return true;
  const [words, others] = [one.split(' '), other.split(' ')];
  return (
    words.length === others.length &&
    words.every((word, at) => word === others[at] || areVariants(word, others[at] ?? ''))
  );
}

function areVariants(one: string, other: string): boolean {
  if ((initialClass(one) & initialClass(other)) === 0) return false;
  const [first, second] = [outlineOf(one), outlineOf(other)];
  return (
    first.keys.some((key) => second.keys.includes(key)) ||
    areArabicVariants(first.arabic, second.arabic) ||
    areSyllableVariants(first.syllables, second.syllables)
  );
}

/** The parts of a name for `areVariants`. Registers repeat names, so they are cached. */
const outlineOf = memoize(8_000, (form) => {
  const name = form.replaceAll(' ', '');
  return { keys: phoneticKeysOf(name), arabic: arabicOutline(name), syllables: divideIntoSyllables(form) };
});

/** The groups of first letters that spellings exchange, as bits. Most pairs of different names end here. */
function initialClass(form: string): number {
  return initialClasses[form.charCodeAt(0) - 0x61] ?? 0;
}

/** Vowels and the letters that Korean and Chinese omit before them: 1; b, p and f: 2; letters of the back of the mouth: 4; m: 8. */
const initialClasses = [...'abcdefghijklmnopqrstuvwxyz'].map(
  (letter) =>
    ('aeiouyjhwlrn'.includes(letter) ? 1 : 0) |
    ('bpfvw'.includes(letter) ? 2 : 0) |
    ('cdgjkqstxzhy'.includes(letter) ? 4 : 0) |
    (letter === 'm' ? 8 : 0),
);
