import { nameSearchKeys } from '../names/name-key.ts';
import type { Forms } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import { sameInOtherCalendar } from './calendars.ts';
import type { NameContext } from './combined-names.ts';
import type { Comparable } from './comparable.ts';
import { areBothGivenNames, areBothOfOtherScript, areOfOtherSex, isGivenName } from './known-names.ts';
import { isConfirmed, isSameValue, type Level } from './level.ts';
import type { Frequencies } from './model.ts';
import { editDistance, lettersExchanged } from './similarity.ts';

type Levels = { readonly [claim in ClaimName]?: Level };
type NameClaim = 'givenName' | 'familyName';

const nameClaims: readonly NameClaim[] = ['givenName', 'familyName'];
/** Fewer people of a register have a name by chance, through typing errors. */
const leastBearers = 3;
const leastShare = 1e-5;
const leastShareOfRegistered = 0.002;
const leastLongName = 8;
const leastYearsOfOtherEra = 500;

/**
 * Whether a stated id does not outweigh the other claims: a name or the date is that of another person, street and postal code both differ,
 * or more than one of names and date is uncertain. Attack: members of a household know the ids of each other
 * (test/attacks/verification-limit-household.test.ts). Dates may only have exchanged day and month, less precision or a calendar with another
 * era: with one wrong digit permitted, one attempt would cover about thirty dates, and with the Julian calendar two more.
 */
export function contradictsStatedId(context: NameContext, levels: Levels, crossed: boolean): boolean {
  const contradicted = nameClaims.map((claim) => contradictsName(context, claim, levels[claim], crossed));
  return (
    contradicted.includes(true) ||
    (crossed && contradictsWholeName(context)) ||
    contradictsDate(context, levels.birthDate) ||
    contradictsAddress(levels) ||
    countUncertain(levels, crossed) > 1
  );
}

/** Whether neither street nor postal code agrees, and one of them has no similarity. */
function contradictsAddress({ streetAddress, postalCode }: Levels): boolean {
  const levels = [streetAddress, postalCode];
  return levels.includes('different') && levels.every((level) => level !== undefined && unlike.has(level));
}

const unlike: ReadonlySet<Level> = new Set(['close', 'near', 'different']);

/** The number of uncertain names and dates. Names in other fields are one, and so are two names from another script. */
function countUncertain({ givenName, familyName, birthDate }: Levels, crossed: boolean): number {
  const uncertainNames = [givenName, familyName].filter((level) => level !== 'missing' && isUncertain(level));
  const isOneDeviation = crossed || uncertainNames.every((level) => level === 'transliterated');
  return (isOneDeviation ? Math.min(1, uncertainNames.length) : uncertainNames.length) + Number(isUncertain(birthDate));
}

function isUncertain(level: Level | undefined): boolean {
  return level !== undefined && level !== 'missing' && !isConfirmed(level);
}

function contradictsDate({ claims, known }: NameContext, level: Level | undefined): boolean {
  const [claimed = '', registered = ''] = [claims.values.birthDate?.forms[0], known.birthDate?.forms[0]];
  const yearsApart = Math.abs(Number(claimed.slice(0, 4)) - Number(registered.slice(0, 4)));
  const isOtherCalendar = yearsApart >= leastYearsOfOtherEra && sameInOtherCalendar(claimed, registered);
  return isUncertain(level) && level !== 'inverted' && !isOtherCalendar;
}

/** Whether names in other fields have a word of another person. */
function contradictsWholeName({ claims, known, frequencies }: NameContext): boolean {
  const [claimed, registered] = [claims.values, known].map((of) => nameClaims.flatMap((claim) => of[claim] ?? []));
  if (claimed === undefined || registered === undefined) return false;
  if (isOtherHanName(claimed, registered)) return true;
  const [name, registeredName] = [claimed, registered].map((names) => names.map(({ forms }) => forms[0]).join(' '));
  const isLatin = latinForm.test(`${name} ${registeredName}`);
  const [words, registeredWords] = differingWords(name ?? '', registeredName ?? '');
  if (!isLatin || words.length === 0 || words.length !== registeredWords.length) return false;
  return words.some((word) =>
    registeredWords.every((other) => {
      const isShort = other.startsWith(word) || word.startsWith(other);
      return !isShort && isAnotherName('givenName', word, other, frequencies);
    }),
  );
}

const latinForm = /^[a-z0-9 ]*$/;

/** The levels of a name that may be that of another person. */
const deviating: ReadonlySet<Level | undefined> = new Set(['similar', 'shortened', 'close', 'near'] as const);

function contradictsName(
  { spelledValues, known, frequencies }: NameContext,
  claim: NameClaim,
  level: Level | undefined,
  crossed: boolean,
): boolean {
  if (level === 'different') return true;
  const [claimed, registered] = [spelledValues[claim], known[claim]];
  if (crossed || isSameValue(level) || claimed === undefined || registered === undefined) return false;
  if (isOtherHanName([claimed], [registered])) return claim === 'givenName' || claimed.exact.length === 1;
  const [form, registeredForm] = closestForms(claimed.forms, registered.forms);
  if (level === 'transliterated') return claim === 'givenName' && areOfOtherSex(form, registeredForm);
  if (!deviating.has(level)) return false;
  // A letter of another script can be several Latin letters.
  if (isSlipInOtherScript(claimed.forms.at(-1) ?? '', registered.forms.at(-1) ?? ''))
    return claim === 'givenName' && areBothOfOtherScript(form, registeredForm);
  const [words, registeredWords] = differingWords(form, registeredForm);
  if (level === 'shortened' && claim === 'familyName' && editDistance(form, registeredForm, 1) > 1)
    return isCut(words, registeredWords);
  if (level === 'shortened') return isNameOfOtherSex(words[0] ?? '', registeredWords[0] ?? '');
  if (words.length !== registeredWords.length) return level === 'near';
  const [joined, registeredJoined] = [joinWords(form), joinWords(registeredForm)];
  if (words.length > 0 && isOtherGivenName(claim, joined, registeredJoined, frequencies)) return true;
  return words.some((one, at) => isAnotherName(claim, one, registeredWords[at] ?? '', frequencies));
}

function isSlipInOtherScript(own: string, registered: string): boolean {
  if (latinForm.test(own) || latinForm.test(registered)) return false;
  return editDistance(own, registered, 1) === 1 || lettersExchanged(own, registered);
}

/** Whether one word is only the beginning of the other one. Fields that cut names have room for long ones. */
function isCut(words: readonly string[], registeredWords: readonly string[]): boolean {
  const [[word = ''], [registered = '']] = [words, registeredWords];
  const hasOneWord = words.length === 1 && registeredWords.length === 1;
  return hasOneWord && Math.min(word.length, registered.length) < leastLongName;
}

function joinWords(form: string): string {
  return form.replaceAll(' ', '');
}

/** Whether the names in Han characters are not the same: each character is a word, so another one is another name. */
function isOtherHanName(claimed: readonly Comparable[], registered: readonly Comparable[]): boolean {
  const [names, registeredNames] = [hanNamesOf(claimed), hanNamesOf(registered)];
  return names.length === registeredNames.length && sortedCharacters(names) !== sortedCharacters(registeredNames);
}

function hanNamesOf(names: readonly Comparable[]): readonly string[] {
  return names.map(({ forms }) => joinWords(forms.at(-1) ?? '')).filter((name) => hanName.test(name));
}

function sortedCharacters(names: readonly string[]): string {
  return [...names.join('')].sort().join('');
}

const hanName = /^\p{Script=Han}+$/u;

/** Whether one name has an ending that makes it a name of the other sex, as Gabriel and Gabrielle. Alex is short for Alexandra. */
function isNameOfOtherSex(word: string, registered: string): boolean {
  const [shorter, longer] = word.length < registered.length ? [word, registered] : [registered, word];
  return endingOfOtherSex.test(longer.slice(shorter.length)) && areOfOtherSex(word, registered);
}

const endingOfOtherSex = /^(i|in|ett?|it|ll?|nn?|k)?[ae]$/;

/** Whether a word of a name is not a typing error for the registered word. */
function isAnotherName(
  claim: NameClaim,
  word: string,
  registered: string,
  frequencies: Frequencies | undefined,
): boolean {
  const edits = editDistance(word, registered, 2);
  if (edits > 2 && !lettersExchanged(word, registered)) return true;
  if (soundAlike(word, registered)) return false;
  if (edits !== 1 && !lettersExchanged(word, registered))
    return (
      Math.max(word.length, registered.length) < leastLongName || isOtherGivenName(claim, word, registered, frequencies)
    );
  if (Math.max(word.length, registered.length) < 4) return isSomebodysName(claim, word, frequencies);
  return isOtherGivenName(claim, word, registered, frequencies);
}

/** Family names differ by a letter within one family (Meier, Meyer), so only given names are compared. */
function isOtherGivenName(
  claim: NameClaim,
  word: string,
  registered: string,
  frequencies: Frequencies | undefined,
): boolean {
  if (claim === 'familyName') return false;
  if (soundAlike(word, registered)) return false;
  // One letter in a long name of one sex is a spelling, as Christopher and Christophe.
  const isLong = Math.min(word.length, registered.length) >= leastLongName && !areOfOtherSex(word, registered);
  if (areBothGivenNames(word, registered)) return !(isLong && editDistance(word, registered, 1) === 1);
  const [bearers = 0, bearersOfRegistered = 0] = [
    frequencies?.count(claim, word),
    frequencies?.count(claim, registered),
  ];
  return (
    (bearersOfRegistered > 1 || isGivenName(registered)) &&
    bearers >= Math.max(leastBearers, leastShareOfRegistered * bearersOfRegistered) &&
    isSomebodysName(claim, word, frequencies)
  );
}

function isSomebodysName(claim: NameClaim, word: string, frequencies: Frequencies | undefined): boolean {
  if (claim === 'givenName' && isGivenName(word)) return true;
  return (frequencies?.count(claim, word) ?? 0) > 0 && (frequencies?.of(claim, word) ?? 0) >= leastShare;
}

/** Whether both are spellings of one name, as Philipp and Filip. */
function soundAlike(word: string, other: string): boolean {
  const [sound] = nameSearchKeys([word]);
  return sound === nameSearchKeys([other])[0];
}

/** The Latin forms with the fewest differing letters; the first forms if a name has no Latin one. */
function closestForms(claimed: Forms, registered: Forms): readonly [string, string] {
  const pairs = claimed.flatMap((one) => registered.map((other) => [one, other] as const));
  const latin = pairs.filter((pair) => pair.every((form) => latinForm.test(form)));
  const [first = ['', ''] as const, ...others] = latin.length === 0 ? pairs : latin;
  let [closest, least] = [first, lettersBetween(first)];
  for (const pair of others) {
    const letters = lettersBetween(pair);
    if (letters < least) [closest, least] = [pair, letters];
  }
  return closest;
}

function lettersBetween([one, other]: readonly [string, string]): number {
  return editDistance(one, other, 3);
}

/** The words that only one of the two names has. */
function differingWords(claimed: string, registered: string): readonly [readonly string[], readonly string[]] {
  const rest = registered.split(' ');
  const words = claimed.split(' ').filter((word) => {
    const at = rest.indexOf(word);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [words, rest];
}
