import { formsOf } from '../names/normalise.ts';
import { isGivenName } from './known-names.ts';

/** The knowledge by which a word is a short form of another one. */
export type ShortFormRules = {
  /** Short forms of given names in lower case; undefined if the policy has none. */
  readonly nicknames?: ReadonlyMap<string, ReadonlySet<string>>;
  /** The words that were written as abbreviations, by `dottedWords`. */
  readonly dotted?: ReadonlySet<string> | undefined;
};

/**
 * Whether each word of the name with fewer words is a word of the other name or a short form of one, in any order. Attack: a claim with
 * many names would try them all in one attempt, so it may add only two (test/attacks/verification-limit-split-names.test.ts).
 */
export function isShortened(claimed: string, known: string, rules: ShortFormRules): boolean {
  if (!claimed.includes(' ') && !known.includes(' ')) return areShortForms(claimed, known, rules);
  const [first, second] = [claimed.split(' '), known.split(' ')];
  if (first.length > second.length + maxAddedWords) return false;
  // Eva H. is not Hans, although the register has Hans alone.
  const addsWords = first.length > second.length;
  if (addsWords && !second.some((word) => word.length > 1 && first.includes(word))) return false;
  const [fewer, unmatched] = first.length <= second.length ? [first, second] : [second, first];
  for (const word of fewer) {
    const same = unmatched.indexOf(word);
    const found = same >= 0 ? same : unmatched.findIndex((facing) => areShortForms(word, facing, rules));
    if (found < 0) return false;
    unmatched.splice(found, 1);
  }
  return true;
}

/** Whether one word is a short form of the other: an initial, a beginning, a nickname or an abbreviation. */
export function areShortForms(one: string, other: string, { nicknames, dotted }: ShortFormRules): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (nicknames?.get(long)?.has(short) === true || nicknames?.get(short)?.has(long) === true) return true;
  if (short.charCodeAt(0) !== long.charCodeAt(0) || short.length === long.length) return false;
  if (short.length === 1) return true;
  const isDotted = dotted?.has(short) === true;
  // One letter less is a slip, or another name: Jan and Jana.
  if (long.startsWith(short) && short.length >= (isDotted ? 2 : 3)) return isDotted || long.length >= short.length + 2;
  if (short.length > maxAbbreviationLength || long.length < short.length + 2) return false;
  // Ana with a dot is still Ana, and not Alejandra.
  return isDotted && !isGivenName(short) ? hasLettersInOrder(short, long) : isContraction(short, long);
}

const maxAddedWords = 2;
const maxAbbreviationLength = 5;

/** Abbreviations without a dot that look like other words. */
const conventionalAbbreviations: ReadonlyMap<string, string> = new Map(
  'ma maria|chas charles|thos thomas|jas james|jno john|saml samuel|danl daniel|benj benjamin|margt margaret'
    .split('|')
    .map((pair) => pair.split(' '))
    .map(([short = '', long = '']) => [short, long]),
);

/**
 * Whether the word is written like an abbreviation of the name, even without a dot: no vowel follows the first letter (Wm, Mtz), or letters
 * are left out between two consonants that are not spoken together (Mohd, Robt), or after the first letter (Hdez, Fco). Marta is no
 * contraction of Margarita.
 */
function isContraction(short: string, long: string): boolean {
  if (conventionalAbbreviations.get(short) === long) return true;
  if (short.at(-1) !== long.at(-1) || !/^[a-z]+$/.test(short)) return false;
  if (/^.[^aeiouy]+$/.test(short)) return hasLettersInOrder(short, long);
  if (/[^aeiouylrnm][^aeiouy]$/.test(short) && long.startsWith(short.slice(0, -1))) return true;
  return /^[^aeiouy]{2}/.test(short) && /^.[aeiouy]/.test(long) && long.endsWith(short.slice(1));
}

function hasLettersInOrder(short: string, long: string): boolean {
  let at = 0;
  for (let next = 0; next < long.length && at < short.length; next += 1) if (long[next] === short[at]) at += 1;
  return at === short.length;
}

const abbreviationSign = /[.ªº°]/;
const writtenAbbreviations = /\p{L}[\p{L}\p{M}]*[.ªº°]/gu;

/** The forms of the words that end with a dot or an ordinal sign; undefined if there are none. `texts` are as written. */
export function dottedWords(...texts: readonly string[]): ReadonlySet<string> | undefined {
  const signed = texts.filter((text) => abbreviationSign.test(text));
  if (signed.length === 0) return undefined;
  return new Set(signed.flatMap((text) => [...text.matchAll(writtenAbbreviations)].flatMap(([word]) => formsOf(word))));
}
