import { nameSearchKeys, withoutParticles } from '../names/name-key.ts';
import type { Forms } from '../names/normalise.ts';
import { generationIn, stripOptionalWords } from '../names/optional-words.ts';
import type { ClaimName } from '../register/claims.ts';
import { areOtherArabicNames } from './arabic.ts';
import { sameInOtherCalendar } from './calendars.ts';
import type { CombinedNames, NameContext } from './combined-names.ts';
import type { Comparable } from './comparable.ts';
import { areBothGivenNames, areBothOfOtherScript, areOfOtherSex, isGivenName } from './known-names.ts';
import { isConfirmed, isSameValue, type Level } from './level.ts';
import type { Frequencies } from './model.ts';
import { isNameFiller } from './name-filler.ts';
import { joinWords, type NameRules, nameLevel } from './name-level.ts';
import { areShortForms, type ShortFormRules } from './short-forms.ts';
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
 * `combined`: the names if they agree better in other fields.
 */
export function contradictsStatedId(context: NameContext, levels: Levels, combined?: CombinedNames): boolean {
  const crossed = combined !== undefined;
  const compared = crossed ? { ...context, spelledValues: combined.compared?.values ?? {} } : context;
  const nameLevels = combined?.compared?.levels ?? levels;
  // An initial of the other name before a stated one (K. Ramesh) is no cut name: the claim may also omit it.
  const stated = nameClaims.filter((claim) => levels[claim] !== undefined);
  const contradicted = stated.map((claim) => contradictsName(compared, claim, nameLevels[claim]));
  return (
    contradicted.includes(true) ||
    nameClaims.some((claim) => levels[claim] === 'different') ||
    haveOtherGenerations(context) ||
    (crossed ? contradictsWholeName(context) : contradictsOtherField(context, levels)) ||
    contradictsDate(context, levels.birthDate) ||
    contradictsAddress(levels) ||
    countUncertain({ ...levels, ...combined?.compared?.levels }, combined) > 1
  );
}

/** Whether neither street nor postal code agrees, and one of them has no similarity. */
function contradictsAddress({ streetAddress, postalCode }: Levels): boolean {
  if (streetAddress === 'different') return postalCode === 'similar' || unlike.has(postalCode);
  return postalCode === 'different' && (streetAddress === 'missing' || unlike.has(streetAddress));
}

const unlike: ReadonlySet<Level | undefined> = new Set(['close', 'near', 'different'] as const);

/** The number of uncertain names and dates. Names in other fields are one, and so are two names from another script. */
function countUncertain({ givenName, familyName, birthDate }: Levels, combined: CombinedNames | undefined): number {
  const uncertainNames = [givenName, familyName].filter((level) => level !== 'missing' && isUncertain(level));
  const haveSameWords = combined !== undefined && combined.compared === undefined;
  const isOneDeviation = haveSameWords || uncertainNames.every((level) => level === 'transliterated');
  const names = isOneDeviation ? Math.min(1, uncertainNames.length) : uncertainNames.length;
  return Math.max(names, combined === undefined ? 0 : 1) + Number(isUncertain(birthDate));
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

/** Whether the names have different generation suffixes, in any field: father and son. */
function haveOtherGenerations({ claims, known }: NameContext): boolean {
  const [claimed, registered] = [claims.values, known].map((of) =>
    nameClaims.map((claim) => generationIn(of[claim]?.forms[0] ?? '')).find((generation) => generation !== undefined),
  );
  return claimed !== undefined && registered !== undefined && claimed !== registered;
}

/**
 * Whether only one side has both names, and the other side has a word in its single field that agrees with none of them: "Eva Meier" as the
 * family name of Hans Meier.
 */
function contradictsOtherField({ spelledValues, known, names }: NameContext, levels: Levels): boolean {
  if (!nameClaims.some((claim) => deviating.has(levels[claim]))) return false;
  const [claimed, registered] = [spelledValues, known].map((of) =>
    nameClaims.flatMap((claim) => of[claim] ?? []).filter(({ exact }) => !isNameFiller(exact)),
  );
  if (claimed === undefined || registered === undefined || claimed.length + registered.length !== 3) return false;
  if (claimed.length === 1 && !addsWordToField(spelledValues, known)) return false;
  // The register may lack a second given name. An initial of it identifies no other person.
  const leastLength = claimed.length === 1 && spelledValues.givenName !== undefined ? 2 : 1;
  return textsOf(claimed).every((text) =>
    textsOf(registered).every((registeredText) => {
      const [words, registeredWords] = differingWords(text, registeredText);
      const others = words.filter((word) => word.length >= leastLength);
      if (registeredWords.length === 0) return false;
      return others.length > mostOtherWords || others.some((word) => isWordOfNone(word, registeredWords, names));
    }),
  );
}

/** More words are not compared one by one (test/attacks/bounded-work.test.ts). */
const mostOtherWords = 8;

function isWordOfNone(word: string, registeredWords: readonly string[], names: NameRules): boolean {
  return registeredWords.every((other) => nameLevel([word], [other], names) === 'different');
}

/** Whether a claimed name has more words than the registered one. */
function addsWordToField(claimed: NameContext['spelledValues'], known: NameContext['known']): boolean {
  return nameClaims.some((claim) => {
    const [name, registered] = [claimed[claim], known[claim]];
    return name !== undefined && registered !== undefined && wordCount(name) > wordCount(registered);
  });
}

function wordCount(name: Comparable): number {
  return textsOf([name])[0]?.split(' ').length ?? 0;
}

/** The names in one text for each transliteration system, without titles, generation suffixes and particles. */
function textsOf(names: readonly Comparable[]): readonly string[] {
  const systems = Math.max(...names.map(({ forms }) => forms.length));
  return Array.from({ length: systems }, (_, at) =>
    names.map(({ forms }) => withoutParticles(stripOptionalWords(forms[at] ?? forms.at(-1) ?? '').form)).join(' '),
  );
}

/** Whether names in other fields have a word of another person. */
function contradictsWholeName({ claims, known, names: rules, frequencies }: NameContext): boolean {
  const [claimed, registered] = [claims.values, known].map((of) => nameClaims.flatMap((claim) => of[claim] ?? []));
  if (claimed === undefined || registered === undefined) return false;
  if (isOtherName(claimed, registered, hanName)) return true;
  const [name, registeredName] = [claimed, registered].map((names) => names.map(({ forms }) => forms[0]).join(' '));
  const isLatin = latinForm.test(`${name} ${registeredName}`);
  const [words, registeredWords] = differingWords(name ?? '', registeredName ?? '');
  if (!isLatin || words.length === 0 || words.length !== registeredWords.length) return false;
  return words.some((word) =>
    registeredWords.every((other) => {
      const isShort = other.startsWith(word) || word.startsWith(other) || areShortForms(word, other, rules);
      if (isShort || !isAnotherName('givenName', word, other, frequencies)) return false;
      return nameLevel([word], [other]) !== 'transliterated' || areOfOtherSex(word, other);
    }),
  );
}

const latinForm = /^[a-z0-9 ]*$/;

/** The levels of a name that may be that of another person. */
const deviating: ReadonlySet<Level | undefined> = new Set(['similar', 'shortened', 'close', 'near'] as const);

function contradictsName(
  { spelledValues, known, names, frequencies }: NameContext,
  claim: NameClaim,
  level: Level | undefined,
): boolean {
  const [claimed, registered] = [spelledValues[claim], known[claim]];
  if (isSameValue(level) || claimed === undefined || registered === undefined) return false;
  const [own, registeredOwn] = [ownForm(claimed), ownForm(registered)];
  if (isOtherName([claimed], [registered], hanName)) return claim === 'givenName' || own.length === 1;
  if (claim === 'givenName' && isOtherSyllabicName(claimed, registered)) return true;
  const [form, registeredForm] = closestForms(claimed.forms, registered.forms);
  if (level === 'transliterated') return claim === 'givenName' && areOfOtherSex(form, registeredForm);
  if (!deviating.has(level)) return false;
  // A letter of another script can be several Latin letters.
  if (isSlipInOtherScript(own, registeredOwn)) {
    const [first, registeredFirst] = [claimed, registered].map(({ forms }) => joinWords(forms[0] ?? ''));
    return (
      claim === 'givenName' &&
      (areBothOfOtherScript(form, registeredForm) ||
        areOtherArabicNames(own, registeredOwn) ||
        isOtherNameOfRegister(claim, first ?? '', registeredFirst ?? '', frequencies))
    );
  }
  const [words, registeredWords] = differingWords(form, registeredForm);
  if (level === 'shortened' && claim === 'familyName' && editDistance(form, registeredForm, 1) > 1)
    return isCut(withoutParticles(form), withoutParticles(registeredForm), names.dotted);
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

/**
 * Whether a word is only the beginning of a registered one, or the reverse. Fields that cut names have room for long ones. Words that only
 * one side has do not count.
 */
function isCut(form: string, registeredForm: string, dotted: ShortFormRules['dotted']): boolean {
  const [words, registeredWords] = differingWords(form, registeredForm);
  const [fewer, more] = words.length <= registeredWords.length ? [words, registeredWords] : [registeredWords, words];
  return fewer.some((word) => !more.some((other) => isAbbreviated(word, other, dotted)));
}

/** Whether one word is an abbreviation of the other one, not only its beginning: Hdez, Schm. with a dot, a long name that was cut. */
function isAbbreviated(word: string, other: string, dotted: ShortFormRules['dotted']): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (long.startsWith(short) && dotted?.has(short) !== true) return short.length >= leastLongName;
  return short.length >= leastAbbreviation && areShortForms(short, long, { dotted });
}

/** Shorter abbreviations fit too many names. */
const leastAbbreviation = 3;

/** Whether the names in this script have different characters. In Han and Hangul, one different character makes another name. */
function isOtherName(claimed: readonly Comparable[], registered: readonly Comparable[], script: RegExp): boolean {
  const [names, registeredNames] = [claimed, registered].map((of) =>
    of.map((name) => joinWords(ownForm(name))).filter((name) => script.test(name)),
  );
  if (names === undefined || names.length !== registeredNames?.length) return false;
  return sortedCharacters(names) !== sortedCharacters(registeredNames);
}

/** Whether the names in Hangul have different syllables, or only one of two names in kana has the female ending -ko. */
function isOtherSyllabicName(claimed: Comparable, registered: Comparable): boolean {
  if (isOtherName([claimed], [registered], hangulName)) return true;
  const names = [ownForm(claimed), ownForm(registered)];
  return names.every((name) => kanaName.test(name)) && names.filter((name) => name.endsWith('こ')).length === 1;
}

/** The name in its own script. */
function ownForm({ forms }: Comparable): string {
  return forms.at(-1) ?? '';
}

function sortedCharacters(names: readonly string[]): string {
  return [...names.join('')].sort().join('');
}

const hanName = /^\p{Script=Han}+$/u;
const hangulName = /^\p{Script=Hangul}+$/u;
const kanaName = /^[\u3040-\u30ff ]+$/;

/** Whether one name has an ending that makes it a name of the other sex, such as Gabriel and Gabrielle. Alex is short for Alexandra. */
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
  // One letter in a long name of one sex is a spelling: Christopher and Christophe.
  const isLong = Math.min(word.length, registered.length) >= leastLongName && !areOfOtherSex(word, registered);
  if (areBothGivenNames(word, registered)) return !(isLong && editDistance(word, registered, 1) === 1);
  return isOtherNameOfRegister(claim, word, registered, frequencies);
}

/** Whether so many people of the register have the name that it is no typing error for the registered one. */
function isOtherNameOfRegister(
  claim: NameClaim,
  word: string,
  registered: string,
  frequencies: Frequencies | undefined,
): boolean {
  if (soundAlike(word, registered)) return false;
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

/** Whether both are spellings of one name, such as Philipp and Filip. */
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
