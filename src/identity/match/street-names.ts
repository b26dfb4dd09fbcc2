import { editDistance, jaroWinkler } from './similarity.ts';
import { abbreviateSameWord, abbreviates, isSameWord, type StreetWord } from './street-words.ts';

/** The words of a street. */
export type StreetName = {
  readonly words: readonly StreetWord[];
  /** All words without blanks, as they are written. They do not depend on the places of the blanks. */
  readonly written: string;
  /** Whether the name of a host is before the street: `c/o`. */
  readonly hasHost: boolean;
};

/**
 * The comparison of two names of streets. `abbreviated`: a word is abbreviated in an unusual way; `shortened`: a word is left out;
 * `other`: they have different words for the kind of street or its direction; a number: the likeness of their letters.
 */
type StreetNameComparison = 'same' | 'abbreviated' | 'shortened' | 'other' | Likeness;

/** The edits between two names, at most 3, and their Jaro-Winkler similarity. */
export type Likeness = { readonly edits: number; readonly likeness: number };

/** Compares two names of streets without their numbers. */
export function compareStreetNames(one: StreetName, other: StreetName): StreetNameComparison {
  const [left, right] = unmatchedWords(one.words, other.words);
  if (left.length === 0 && right.length === 0) return 'same';
  const whole = [one.written, other.written] as const;
  if (whole[0] === whole[1])
    return Math.abs(one.words.length - other.words.length) <= maxMovedBlanks ? 'same' : 'abbreviated';
  const matched = one.words.filter((word) => !left.includes(word));
  if (matched.length > 0) {
    if (right.length === 0 && isOmissible(left, one, other)) return omission(left);
    if (left.length === 0 && isOmissible(right, other, one)) return omission(right);
  }
  const abbreviated = compareAbbreviations(left, right, matched) ?? compareAbbreviations(right, left, matched);
  if (abbreviated !== undefined) return abbreviated;
  const [leftNames, rightNames] = [withoutOmitted(left, other), withoutOmitted(right, one)];
  if (leftNames.length + rightNames.length < left.length + right.length) {
    const initials =
      compareAbbreviations(leftNames, rightNames, matched) ?? compareAbbreviations(rightNames, leftNames, matched);
    if (initials !== undefined) return 'shortened';
  }
  const isLeftKnown = left.some(isKnown);
  const isRightKnown = right.some(isKnown);
  if (isLeftKnown && isRightKnown && (left.length + right.length <= 2 || editDistance(...whole, 1) > 1)) return 'other';
  if (isLeftKnown !== isRightKnown && !isMisspelling(left, right)) return notAlike;
  if (matched.some(({ kind }) => kind === 'name') && areAbbreviations(left, right)) return 'abbreviated';
  const likeness = likenessOf(one.words, other.words, left, right);
  return isMisspelling(left, right) ? likeness : { edits: 3, likeness: Math.min(likeness.likeness, 0.91) };
}

/** A blank that was moved or left out is a typing error. Names with more other blanks are not the same (Attack: see `streetSkeletons`). */
const maxMovedBlanks = 2;

const notAlike: Likeness = { edits: 3, likeness: 0 };

/** Whether the words may be misspellings of each other: a short text permits few edits, a long text any number. */
function isMisspelling(left: readonly StreetWord[], right: readonly StreetWord[]): boolean {
  const texts = [textOf(left), textOf(right)] as const;
  return Math.min(texts[0].length, texts[1].length) > maxShortText || isTypingError(...texts);
}

const maxShortText = 8;

function isTypingError(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const edits = editDistance(one, other, 2);
  // One added letter is a typing error.
  return edits <= (shorter >= 6 ? 2 : shorter >= 4 || shorter === 0 ? 1 : 0);
}

/** The words of each name that the other one does not have. The order of words does not matter. Linear apart from a few words. */
function unmatchedWords(
  one: readonly StreetWord[],
  other: readonly StreetWord[],
): readonly [StreetWord[], StreetWord[]] {
  let from = 0;
  while (from < one.length && from < other.length && isSamePair(one[from], other[from])) from += 1;
  let [endOne, endOther] = [one.length, other.length];
  while (endOne > from && endOther > from && isSamePair(one[endOne - 1], other[endOther - 1])) {
    endOne -= 1;
    endOther -= 1;
  }
  const left = one.slice(from, endOne);
  const right = other.slice(from, endOther);
  if (left.length > maxReordered || right.length > maxReordered) return [left, right];
  for (let at = left.length - 1; at >= 0; at -= 1) {
    const found = right.findIndex((word) => isSamePair(left[at], word));
    if (found < 0) continue;
    left.splice(at, 1);
    right.splice(found, 1);
  }
  return [left, right];
}

/** More words than this are compared only in their order. */
const maxReordered = 8;

function isSamePair(one: StreetWord | undefined, other: StreetWord | undefined): boolean {
  return one !== undefined && other !== undefined && isSameWord(one, other);
}

/** Whether both are unusual abbreviations of the same word. */
function areAbbreviations([one, ...more]: readonly StreetWord[], [other, ...others]: readonly StreetWord[]): boolean {
  const isPair = one !== undefined && other !== undefined && more.length === 0 && others.length === 0;
  return isPair && one.kind === 'name' && other.kind === 'name' && abbreviateSameWord(one.text, other.text);
}

function isKnown({ kind }: StreetWord): boolean {
  return kind !== 'name';
}

function textOf(words: readonly StreetWord[]): string {
  let text = '';
  for (const word of words) text += word.text;
  return text;
}

/**
 * Whether the other name may leave out these words: the kind of street if it has none itself, or a host. The name of the street must stay.
 */
function isOmissible(words: readonly StreetWord[], { hasHost }: StreetName, shorter: StreetName): boolean {
  if (hasHost && words.length <= maxHostWords) return true;
  return (
    words.every(({ kind, isSuffix }) => (kind === 'type' || kind === 'maybeType') && !isSuffix) &&
    shorter.words.some(({ kind }) => kind !== 'type') &&
    !shorter.words.some(({ kind }) => kind === 'type')
  );
}

/** The words without the kind of street if the other name has none, so that the names can be compared. */
function withoutOmitted(words: readonly StreetWord[], shorter: StreetName): readonly StreetWord[] {
  const names = words.filter(({ kind, isSuffix }) => kind !== 'type' || isSuffix);
  const isOmitted = names.length > 0 && !shorter.words.some(({ kind }) => kind === 'type' || kind === 'maybeType');
  return isOmitted ? names : words;
}

const maxHostWords = 4;

function omission(words: readonly StreetWord[]): 'same' | 'shortened' {
  return words.every(({ isDefault }) => isDefault) ? 'same' : 'shortened';
}

/** Whether the short words abbreviate the long ones: `strt` for street, `gen` and `j` in names, `kungsg` for Kungsgatan. */
function compareAbbreviations(
  short: readonly StreetWord[],
  long: readonly StreetWord[],
  matched: readonly StreetWord[],
): 'abbreviated' | 'shortened' | undefined {
  const [first] = short;
  const [stem, suffix] = long;
  if (first === undefined || stem === undefined) return undefined;
  if (short.length === 1 && long.length === 2 && suffix?.isSuffix === true)
    return isAbbreviatedCompound(first.text, stem.text, suffix.text) ? 'abbreviated' : undefined;
  if (long.length === 1 && short.length <= 3 && isAbbreviatedType(short, stem)) return 'abbreviated';
  if (short.length !== long.length) return undefined;
  // Main Street is not Mainzer Street.
  const hasName = short.length > 1 || matched.some(({ kind }) => kind === 'name');
  return hasName && short.every((word, at) => isAbbreviatedName(word, long[at])) ? 'shortened' : undefined;
}

function isAbbreviatedCompound(text: string, stem: string, suffix: string): boolean {
  const end = text.slice(stem.length);
  return text.startsWith(stem) && end !== '' && abbreviates(end, suffix);
}

/** Whether the short words spell a word of the tables in a way that the tables do not have in its languages: `strt`, `gd bd`, `c na`. */
function isAbbreviatedType(short: readonly StreetWord[], { languages, meanings }: StreetWord): boolean {
  const isForeign = ({ kind, languages: own }: StreetWord) =>
    kind === 'name' || (languages.length > 0 && !languages.some((language) => own.includes(language)));
  const joined = textOf(short);
  return meanings.some((meaning) => {
    const parts = meaning.split(' ');
    if (parts.length > 1 && parts.length === short.length)
      return short.every(({ text }, at) => text === parts[at] || abbreviates(text, parts[at] ?? ''));
    const isSplit = short.length === 2 && short[1]?.text.length !== 1 && (short[1]?.text.length ?? 0) <= 3;
    if (!isSplit && (short.length > 1 || !short.every(isForeign))) return false;
    return abbreviates(joined, parts.join('')) || isTypingError(joined, meaning);
  });
}

/** An initial, or the first three letters or more. */
function isAbbreviatedName({ text }: StreetWord, long: StreetWord | undefined): boolean {
  if (long === undefined || long.kind !== 'name' || long.text.length < 2 * text.length) return false;
  return (text.length === 1 || text.length >= 3) && long.text.startsWith(text);
}

/** The likeness of the whole names, with equal spellings of the words that both have. */
function likenessOf(
  one: readonly StreetWord[],
  other: readonly StreetWord[],
  left: readonly StreetWord[],
  right: readonly StreetWord[],
): Likeness {
  const isShort = one.length <= maxReordered && other.length <= maxReordered;
  const spelled = !isShort
    ? other
    : other.map((word) =>
        right.includes(word) ? word : (one.find((same) => !left.includes(same) && isSameWord(same, word)) ?? word),
      );
  const texts = [textOf(one), textOf(spelled)] as const;
  const edits = editDistance(...texts, 2);
  return { edits, likeness: edits === 0 ? 1 : jaroWinkler(...texts) };
}
