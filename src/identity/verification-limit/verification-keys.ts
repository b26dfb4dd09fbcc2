import { canonicalJson } from '../../kernel/canonical-json.ts';
import { hmacString } from '../../kernel/hashing.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import { identifyingClaims } from '../match/decide.ts';
import { isNameFiller } from '../match/name-filler.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { streetNameText, streetParts, wholeStreetText } from '../match/street-parts.ts';
import { type LimiterNameKeys, latinFormsOrFirst, limiterNameKeysOf, maxKeyTextLength } from '../names/name-key.ts';
import type { ClaimName, Claims } from '../register/claims.ts';

/** The parts of a policy on which the keys of a search depend. */
type KeyPolicy = Pick<MatchPolicy, 'tolerant' | 'minimum'>;

/** The HMACs by which failed verifications with these claims are counted. */
export type VerificationKeys = {
  /** Attack: an attacker tries values of one claim and keeps the others constant. At least one key then stays the same. */
  readonly keys: readonly string[];
  /** Identifies the set of claims: the same wrong claims count once. */
  readonly tag: string;
  /**
   * One of `keys`. Reaching its limit notifies the citizen. It depends only on the claims that were sent: everybody can see in the
   * published ledger that a notice was stored, and must not learn from it whether the claims concern a citizen
   * (test/attacks/verification-limit-ledger.test.ts).
   */
  readonly notifyKey: string;
};

/** The claims to compare, with the keys that count them. */
export type CountableClaims = { readonly claims: NormalisedClaims; readonly verificationKeys: VerificationKeys };

/** Each key is a row that is stored for a month. */
const maxKeys = 200;
/** Texts are not built if there may be more of them than this. */
const maxTexts = 4_000;
const fallbackFormLimits = [undefined, 4, 2, 1];
/** A search with more keys counts as several requests in the quota of its client, because it writes more rows. */
const keysPerQuotaRequest = 34;

/** Claims with longer forms count as several requests too, because they cost more to compare. */
const lettersPerQuotaRequest = 1_000;

/**
 * The number of requests that a verification takes from the quota: by the rows that it may write, and by the letters that it compares.
 * It does not depend on the decision, so the quota reveals nothing.
 */
export function quotaWeightOf({ claims, verificationKeys }: CountableClaims): number {
  let letters = 0;
  for (const value of Object.values(claims.values)) for (const form of value.forms) letters += form.length;
  const units = [verificationKeys.keys.length / keysPerQuotaRequest, letters / lettersPerQuotaRequest];
  return Math.max(1, ...units.map(Math.ceil));
}

/** Claims with a key for each of their forms. */
const claimsKeyedByForm: readonly ClaimName[] = [...identifyingClaims, 'givenName', 'familyName', 'birthPlace'];

/**
 * The claims with their keys. Names in mixed scripts, with words that may be particles, have thousands of readings. Such claims are
 * reduced to their first forms, so that each form that is compared is also counted
 * (test/attacks/verification-limit-mixed-scripts.test.ts). Names in one script stay below the maximum.
 */
export function toCountableClaims(
  hmacKey: Uint8Array,
  sent: Claims,
  claims: NormalisedClaims,
  policy: KeyPolicy,
): CountableClaims {
  if (sent.citizenId !== undefined)
    return { claims, verificationKeys: verificationKeysOf(hmacKey, sent, claims, policy) };
  for (const maxForms of fallbackFormLimits) {
    const counted = maxForms === undefined ? claims : limitForms(claims, maxForms);
    const texts = searchKeyTexts(counted.values, policy, maxTexts);
    if (texts.size <= maxKeys || maxForms === 1)
      return { claims: counted, verificationKeys: searchKeysOf(hmacKey, counted, texts) };
  }
  throw new TypeError('expected a limit of one form at the end of the list');
}

function limitForms({ submitted, values }: NormalisedClaims, maxForms: number): NormalisedClaims {
  const limited = Object.fromEntries(
    claimsKeyedByForm.flatMap((claim) => {
      const value = values[claim];
      return value === undefined ? [] : [[claim, { ...value, forms: value.forms.slice(0, maxForms) }]];
    }),
  );
  return { submitted, values: { ...values, ...limited } };
}

/**
 * With an id: one key, that of the citizen, whether the id is known or not. Without an id: a key for each part of the claims that an
 * attacker may keep constant while trying the rest (`searchKeyTexts`).
 */
export function verificationKeysOf(
  hmacKey: Uint8Array,
  claims: Claims,
  normalised: NormalisedClaims,
  policy: KeyPolicy,
): VerificationKeys {
  if (claims.citizenId === undefined)
    return searchKeysOf(hmacKey, normalised, searchKeyTexts(normalised.values, policy));
  const notifyKey = citizenVerificationKey(hmacKey, claims.citizenId);
  return { keys: [notifyKey], tag: tagOf(hmacKey, normalised), notifyKey };
}

/** The first text is that of the key that notifies. */
function searchKeysOf(hmacKey: Uint8Array, claims: NormalisedClaims, texts: ReadonlySet<string>): VerificationKeys {
  const keys = [...texts].map((text) => hmacString(hmacKey, text, 'base64url'));
  const [notifyKey = ''] = keys;
  return { keys, tag: tagOf(hmacKey, claims), notifyKey };
}

function tagOf(hmacKey: Uint8Array, { submitted, values }: NormalisedClaims): string {
  const canonicalValues = submitted.map((claim) => [claim, canonicalValue(claim, values)]);
  return hmacString(hmacKey, canonicalJson(Object.fromEntries(canonicalValues)), 'base64url').slice(0, 22);
}

type ClaimValues = NormalisedClaims['values'];

function firstForm(claim: ClaimName, values: ClaimValues): string {
  return (values[claim]?.forms[0] ?? '').replaceAll(' ', '');
}

/** The text of a claim in the tag. Spellings that compare alike have the same text. */
function canonicalValue(claim: ClaimName, values: ClaimValues): string {
  if (claim === 'nationality') return (values[claim]?.forms ?? []).join(',');
  return claim === 'streetAddress' ? normalisedStreet(values[claim]?.forms[0] ?? '') : firstForm(claim, values);
}

/**
 * The key texts of a search: names with the birth date, names with each claim of a place, and the birth date with each claim of a
 * place. Each place has its own keys: a claim that is missing in the register may have any value, so an attacker can vary it freely.
 * Names appear as their sound and as their consonants, in each reading of their words, because a person is found by either: another
 * spelling that finds the person gives no new keys (test/attacks/verification-limit-searches.test.ts,
 * test/attacks/verification-limit-split-names.test.ts). The first text names the key that notifies. With more readings than
 * `maxCombinations` no texts are built.
 */
function searchKeyTexts(
  values: ClaimValues,
  policy: KeyPolicy,
  maxCombinations = Number.POSITIVE_INFINITY,
): ReadonlySet<string> {
  const names = nameReadingsOf(values);
  const { familyKeys, givenKeys } = names;
  const places = placeKeyTexts(values);
  if (familyKeys.length * givenKeys.length * (places.length + 1) > maxCombinations) return tooManyTexts;
  const pairs = combineReadings(names, nameInitialPairs);
  const namePairs = policy.tolerant ? [...pairs, wholeNameText(values)] : pairs;
  // If probability alone decides, both names may be misspelled. Then each name is a key by itself, and needs no key with an initial.
  const namesForPlaces = policy.tolerant
    ? [
        ...new Set([...soundsOf(familyKeys), ...soundsOf(givenKeys), ...wordSounds(values)]),
        ...combineReadings(names, nameInitialPairs, ['skeleton']),
        wholeNameText(values),
      ]
    : namePairs;
  const birthDate = firstForm('birthDate', values);
  return new Set([
    `named\0${unorderedPair(familyKeys[0][0], givenKeys[0][0])}\0${birthDate}`,
    ...birthDateKeyTexts(values, names, namePairs, places),
    ...places.flatMap((place) => namesForPlaces.map((name) => `lives\0${name}\0${place}`)),
    ...(requiresPlace(policy) ? [] : placelessKeyTexts(values, names)),
    ...codeForms('documentNumber', values).map((code) => `document\0${code}`),
  ]);
}

/** Stands for texts that are not built. It has more than `maxKeys`. */
const tooManyTexts: ReadonlySet<string> = new Set(Array.from({ length: maxKeys + 1 }, (_, at) => String(at)));

function codeForms(claim: 'postalCode' | 'documentNumber', values: ClaimValues): readonly string[] {
  return latinFormsOrFirst(values[claim]?.forms ?? []).map((form) => form.slice(0, maxKeyTextLength));
}

function placeKeyTexts(values: ClaimValues): readonly string[] {
  return [
    ...latinFormsOrFirst(values.streetAddress?.forms ?? []).flatMap((street) =>
      streetSkeletons(street).map((skeleton) => `street\0${skeleton}`),
    ),
    ...codeForms('postalCode', values).map((code) => `postalCode\0${code}`),
    ...codeForms('documentNumber', values).map((code) => `documentNumber\0${code}`),
  ];
}

function birthDateKeyTexts(
  values: ClaimValues,
  { familyKeys, givenKeys }: NameReadings,
  namePairs: readonly string[],
  places: readonly string[],
): readonly string[] {
  if (values.birthDate === undefined) return [];
  const birthDate = firstForm('birthDate', values);
  const nameSounds = soundsOf(values.familyName === undefined ? givenKeys : familyKeys);
  return [
    ...[...nameSounds, ...namePairs].map((name) => `born\0${name}\0${birthDate}`),
    ...places.map((place) => `here\0${birthDate}\0${place}`),
  ];
}

/** Keys for policies that match without a place or number: both names alone, and the birth date with the place of birth. */
function placelessKeyTexts(values: ClaimValues, names: NameReadings): readonly string[] {
  const namePairs = combineReadings(names, (family, given) => [unorderedPair(family, given)]);
  const birthDate = firstForm('birthDate', values);
  const birthPlaces =
    values.birthDate === undefined || values.birthPlace === undefined
      ? []
      : limiterNameKeysOf(values.birthPlace.forms).flat();
  return [...birthPlaces.map((place) => `birth\0${birthDate}\0${place}`), ...namePairs.map((pair) => `names\0${pair}`)];
}

function nameReadingsOf(values: ClaimValues): NameReadings {
  return {
    familyKeys: limiterNameKeysOf(values.familyName?.forms ?? []),
    givenKeys: limiterNameKeysOf(values.givenName?.forms ?? []),
  };
}

type NameReadings = {
  readonly familyKeys: readonly [LimiterNameKeys, ...LimiterNameKeys[]];
  readonly givenKeys: readonly [LimiterNameKeys, ...LimiterNameKeys[]];
};

/** The texts of `write` for each reading of one name with each reading of the other, by sound and by consonants; without repeats. */
function combineReadings(
  { familyKeys, givenKeys }: NameReadings,
  write: (family: string, given: string) => readonly string[],
  by: readonly ('sound' | 'skeleton')[] = ['sound', 'skeleton'],
): readonly string[] {
  const both = familyKeys.flatMap((family) => givenKeys.map((given) => [family, given] as const));
  const texts = both.flatMap(([[sound, skeleton], [otherSound, otherSkeleton]]) =>
    by.flatMap((key) => (key === 'sound' ? write(sound, otherSound) : write(skeleton, otherSkeleton))),
  );
  return [...new Set(texts)];
}

/**
 * The sounds of both names in alphabetical order. Attack: names that are divided differently between the fields, or all in one field, match
 * a tolerant policy too. They share this text (test/attacks/verification-limit-split-names.test.ts).
 */
function wholeNameText({ givenName, familyName }: ClaimValues): string {
  const [given = '', family = ''] = [givenName, familyName].map((name) =>
    name === undefined || isNameFiller(name.exact) ? '' : (latinFormsOrFirst(name.forms)[0] ?? ''),
  );
  const [longer, shorter] = given.length > family.length ? [given, family] : [family, given];
  const isRepeated = longer.startsWith(shorter) || longer.endsWith(shorter);
  const words = (isRepeated ? longer : `${longer} ${shorter}`).split(' ');
  const sounds = words.map((word) => limiterNameKeysOf([word])[0][0]).join('');
  return `whole ${[...sounds]
    .sort()
    .join('')
    .slice(0, 2 * maxKeyTextLength)}`;
}

/** A claim with more words fits no usual name: it may add two to the registered ones. */
const maxCountedWords = 8;

/**
 * The sounds of the words of names with several words. Attack: a claim may add words to a name, and each whole name would have keys of its
 * own (test/attacks/verification-limit-divided-names.test.ts).
 */
function wordSounds({ givenName, familyName }: ClaimValues): readonly string[] {
  return [givenName, familyName].flatMap((name) => {
    const words = (latinFormsOrFirst(name?.forms ?? [])[0] ?? '').split(' ');
    if (words.length < 2) return [];
    const whole = words.filter((word) => word.length > 1).slice(0, maxCountedWords);
    return whole.map((word) => limiterNameKeysOf([word])[0][0]);
  });
}

function soundsOf(keys: readonly LimiterNameKeys[]): readonly string[] {
  return keys.map(([sound]) => sound);
}

/** Whether no search can match without a place or number. An attacker who tries dates then keeps one of these constant. */
function requiresPlace({ minimum }: Pick<MatchPolicy, 'minimum'>): boolean {
  return minimum.every((set) =>
    set.some((oneOf) => oneOf.every((claim) => claim === 'citizenId' || identifyingClaims.includes(claim))),
  );
}

/** Two names in an order that does not depend on their fields. */
function unorderedPair(family: string, given: string): string {
  return [family, given].sort().join('\0');
}

/** Each name with the first letter of the other. Exchanged fields give the same pairs. */
function nameInitialPairs(family: string, given: string): readonly string[] {
  const first = (name: string) => String.fromCodePoint(name.codePointAt(0) ?? 0x20).trim();
  const pairs = [family === '' ? '' : `${family} ${first(given)}`, given === '' ? '' : `${given} ${first(family)}`];
  const filled = pairs.filter((pair) => pair !== '');
  return filled.length === 0 ? [''] : filled;
}

/** A street as it is compared. House number and flat stay apart: `12 3` and `1 23` differ. */
function normalisedStreet(form: string): string {
  const parts = streetParts(form);
  return [parts.numbers, parts.flat, wholeStreetText(parts)].join('\0');
}

/**
 * The numbers of a street with the groups of its consonants: of its names alone, which do not depend on abbreviations, and of all its
 * words as written, which do not depend on the places of the blanks. Attack: another spelling of the street that agrees must share a key
 * with the first one (test/attacks/verification-limit-searches.test.ts).
 */
function streetSkeletons(form: string): readonly string[] {
  const parts = streetParts(form);
  const numbers = (`${parts.numbers} ${parts.flat} ${parts.written}`.match(/\d+/g) ?? []).sort().join(' ');
  const texts = [streetNameText(parts), parts.written];
  return [...new Set(texts.map((text) => `${consonantGroups(text)} ${numbers}`))];
}

function consonantGroups(text: string): string {
  const [[sound, skeleton]] = limiterNameKeysOf([text]);
  return (skeleton === '' ? [...sound].slice(0, 1) : [...new Set(skeleton)].sort()).join('');
}

/** The key of a citizen for verifications with the id. A search answers no_match if this key is at its limit, and adds nothing to it. */
export function citizenVerificationKey(hmacKey: Uint8Array, citizenId: string): string {
  return hmacString(hmacKey, `citizen\0${citizenId}`, 'base64url');
}

/**
 * The key of a citizen for searches. Attack: if searches added to the key of the id, a verification with the id would reveal whether
 * the names and date of an earlier search belong to that id (test/attacks/verification-limit-concurrent.test.ts).
 */
export function citizenSearchKey(hmacKey: Uint8Array, citizenId: string): string {
  return hmacString(hmacKey, `searched\0${citizenId}`, 'base64url');
}

/** The key that replaces `citizenSearchKey` if a search concerns no citizen. The same claims give the same key. */
export function decoySearchKey(hmacKey: Uint8Array, { notifyKey }: VerificationKeys): string {
  return hmacString(hmacKey, `decoy\0${notifyKey}`, 'base64url');
}
