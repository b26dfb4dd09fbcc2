import type { StreetName } from './street-names.ts';
import { type NamedUnit, readUnit } from './street-units.ts';
import { connectingWords, phraseLength, type StreetWord, splitCompound, streetWord } from './street-words.ts';

/** The parts of a street address for comparison. */
export type StreetParts = StreetName & {
  /** The numbers without a word such as `flat`. */
  readonly numbers: string;
  /** The flat (`3`, `3b`, `a`, `2<` for the second on the left) and suffixes of the house number (`bis`), else `floor 2`. */
  readonly flat: string;
  /** The house number if another number may be a flat: the last one before the street, or the first one after it. */
  readonly buildingNumber: string;
  /** The other numbers. */
  readonly otherNumbers: string;
};

/** Splits a form into its parts in linear time. */
export function streetParts(form: string): StreetParts {
  const { words: all, hasHost } = withoutHost(spaceNumbers(form));
  const numbers: string[] = [];
  const words: StreetWord[] = [];
  const units: string[] = [];
  let floor = '';
  let numbersBefore = 0;
  let hasType = false;
  for (let at = 0; at < all.length; ) {
    const unit: NamedUnit | undefined = readUnit(all, at, { numbers: numbers.length, words: words.length, hasType });
    if (unit === undefined) {
      if (words.length === 0) numbersBefore = numbers.length;
      at += readWord(all, at, words);
      hasType ||= words.at(-1)?.kind === 'type' || words.at(-1)?.kind === 'maybeType';
      continue;
    }
    if (unit.kind === 'number') numbers.push(unit.text);
    else if (unit.kind === 'suffix') numbers[numbers.length - 1] += unit.text;
    else if (unit.kind === 'floor') floor = unit.text;
    else if (unit.kind === 'unit') addUnit(units, unit.text);
    at += unit.words;
  }
  const kept = withoutConnectingWords(words);
  const buildingAt = Math.max(0, numbersBefore - 1);
  return {
    words: kept,
    written: textOf(words),
    hasHost,
    numbers: numbers.join(' '),
    flat: units.length === 0 ? floor : units.join(' '),
    buildingNumber: numbers[buildingAt] ?? '',
    otherNumbers: numbers.length < 2 ? '' : numbers.toSpliced(buildingAt, 1).join(' '),
  };
}

/** Adds the words at this position, and returns their number. */
function readWord(all: readonly string[], at: number, words: StreetWord[]): number {
  const length = phraseLength(all, at);
  const text = all[at] ?? '';
  if (length > 1) {
    const phrase = all.slice(at, at + length);
    const spaced = streetWord(phrase.join(' '));
    words.push(spaced.kind === 'name' ? streetWord(phrase.join('')) : spaced);
    return length;
  }
  const whole = streetWord(text);
  const parts = whole.kind === 'name' ? splitCompound(text) : undefined;
  if (parts === undefined) words.push(whole);
  else words.push(streetWord(parts[0]), parts[1]);
  return 1;
}

/** A letter is of the flat before it: `2 b` is `2b`. */
function addUnit(units: string[], text: string): void {
  const isLetter = text.length === 1 && !/\d/.test(text);
  if (isLetter && units.length > 0) units[units.length - 1] += text;
  else units.push(text);
}

/** The words without blanks, with the first meaning of each abbreviation. */
export function wholeStreetText({ words }: Pick<StreetName, 'words'>): string {
  return words.map(({ text, meanings }) => meanings[0] ?? text).join('');
}

/**
 * The names without blanks: the words that are no kind of street, title or direction, if there are any. They do not depend on the
 * abbreviation or omission of the others.
 */
export function streetNameText({ words }: Pick<StreetName, 'words'>): string {
  const names = words.filter(({ kind }) => kind === 'name');
  return textOf(names.length === 0 ? words : names);
}

function textOf(words: readonly StreetWord[]): string {
  let text = '';
  for (const word of words) text += word.text;
  return text;
}

function withoutConnectingWords(words: readonly StreetWord[]): readonly StreetWord[] {
  const isOmitted = ({ text }: StreetWord, at: number) => {
    const next = words[at + 1]?.text;
    return next !== undefined && (connectingWords.has(text) || isElision(text, next));
  };
  if (!words.some(isOmitted)) return words;
  const kept = words.filter((word, at) => !isOmitted(word, at));
  return kept.some(({ kind }) => kind === 'name') ? kept : words;
}

/** An article before a vowel: l'Eglise, d'Artagnan. */
function isElision(text: string, next: string): boolean {
  return (text === 'l' || text === 'd') && /^[aeiouyh]/.test(next);
}

/**
 * Separates numbers from words. Japanese and Korean addresses write them without blanks, and the words for block and building between
 * the numbers.
 */
function spaceNumbers(form: string): string {
  if (!eastAsian.test(form)) return form.replace(joinedSuffix, '$1 $2');
  return form
    .replace(/(?<=\d) ?(?:丁目|番地の?|番|号室|号|號|の|번지|번|호|동|층)/gu, ' ')
    .replace(/(?<=\d)(?=[^\d\s])|(?<=[^\d\s])(?=\d)/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

const joinedSuffix = /\b(\d+)(bis|ter|quater)\b/g;
const eastAsian = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/**
 * Finds `c/o`. A host after the street is left out. A host before the street has no mark at its end, so the comparison may leave out
 * the first words.
 */
function withoutHost(form: string): { readonly words: readonly string[]; readonly hasHost: boolean } {
  if (form.startsWith('c o ')) return { words: form.slice(4).split(' '), hasHost: true };
  const at = form.indexOf(' c o ');
  const isAfterStreet = at > 0 && /\d/.test(form.slice(0, at));
  return { words: (isAfterStreet ? form.slice(0, at) : form).split(' '), hasHost: false };
}
