import { canonicalJson } from '../../kernel/canonical-json.ts';
import { hmacString } from '../../kernel/hashing.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import { identifyingClaims } from '../match/decide.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { streetParts } from '../match/street-parts.ts';
import { type LimiterNameKeys, latinFormsOrFirst, limiterNameKeysOf } from '../names/name-key.ts';
import type { ClaimName, Claims } from '../register/claims.ts';

/** What a question is counted by: what it asks about, and what it puts forward. */
export type VerificationKeys = {
  /** Whoever guesses one claim holds at least one of these still. */
  readonly keys: readonly string[];
  readonly tag: string;
  /**
   * The one of them of which the citizen is told when it is spent. It follows from the claims alone: everybody sees in the
   * published ledger that somebody is told, and must not see by it whom the claims concern.
   */
  readonly notifyKey: string;
};

/** What a question is compared by and counted by. */
export type CountableClaims = { readonly claims: NormalisedClaims; readonly verificationKeys: VerificationKeys };

/** By so many subjects a question is counted at most: each is a row that stays for a month. */
const maxKeys = 200;
const fallbackFormLimits = [4, 2, 1];
/** Claims that have a subject for each of their forms. */
const claimsKeyedByForm: readonly ClaimName[] = [...identifyingClaims, 'givenName', 'familyName', 'birthPlace'];

/**
 * The claims with the tags of the question. Those of mixed scripts, with words that may be particles, are read in thousands of ways:
 * they are compared by their first forms alone, so that each by which they may fit is counted
 * (test/attacks/verification-limit-mixed-scripts.test.ts). No name of one script has so many.
 */
export function toCountableClaims(
  hmacKey: Uint8Array,
  sent: Claims,
  claims: NormalisedClaims,
  policy: Pick<MatchPolicy, 'tolerant' | 'minimum'>,
): CountableClaims {
  let result = { claims, verificationKeys: verificationKeysOf(hmacKey, sent, claims, policy) };
  for (const maxForms of fallbackFormLimits) {
    if (result.verificationKeys.keys.length <= maxKeys) break;
    const limited = limitForms(claims, maxForms);
    result = { claims: limited, verificationKeys: verificationKeysOf(hmacKey, sent, limited, policy) };
  }
  return result;
}

function limitForms({ asked, values }: NormalisedClaims, maxForms: number): NormalisedClaims {
  const limited = Object.fromEntries(
    claimsKeyedByForm.flatMap((claim) => {
      const value = values[claim];
      return value === undefined ? [] : [[claim, { ...value, forms: value.forms.slice(0, maxForms) }]];
    }),
  );
  return { asked, values: { ...values, ...limited } };
}

/**
 * With an id the citizen of that id, known or not. Without one whatever a guesser may hold still while trying the rest:
 * names with the birth date, and names or the birth date with each claim of a place by itself, since a claim that the
 * register does not hold may be anything. Names stand there by the keys that find the person, by sound and by consonants
 * alone, and in each reading of their words, so that no spelling that is found is another name: test/attacks/verification-limit-searches.test.ts,
 * guessing-parted-names.test.ts.
 */
export function verificationKeysOf(
  hmacKey: Uint8Array,
  claims: Claims,
  { asked, values }: NormalisedClaims,
  policy: Pick<MatchPolicy, 'tolerant' | 'minimum'>,
): VerificationKeys {
  const mac = (of: string) => hmacString(hmacKey, of, 'base64url');
  const codesOf = (claim: 'postalCode' | 'documentNumber') => latinFormsOrFirst(values[claim]?.forms ?? []);
  const form = (claim: keyof Claims) => (values[claim]?.forms[0] ?? '').replaceAll(' ', '');
  const canonicalValue = (claim: ClaimName) => {
    if (claim === 'nationality') return (values[claim]?.forms ?? []).join(',');
    return claim === 'streetAddress' ? normalisedStreet(values[claim]?.forms[0] ?? '') : form(claim);
  };
  const tag = mac(canonicalJson(Object.fromEntries(asked.map((claim) => [claim, canonicalValue(claim)])))).slice(0, 22);
  if (claims.citizenId !== undefined) {
    const notifyKey = citizenVerificationKey(hmacKey, claims.citizenId);
    return { keys: [notifyKey], tag, notifyKey };
  }
  const familyKeys = limiterNameKeysOf(values.familyName?.forms ?? []);
  const givenKeys = limiterNameKeysOf(values.givenName?.forms ?? []);
  const namePairs = combineReadings({ familyKeys, givenKeys }, nameInitialPairs);
  const nameSounds = soundsOf(values.familyName === undefined ? givenKeys : familyKeys);
  const birthKeys =
    values.birthDate === undefined
      ? []
      : [...nameSounds, ...namePairs].map((who) => `born\0${who}\0${form('birthDate')}`);
  // Where the probability decides alone both names may be misspelled: each holds by itself what the other lets go.
  const namesForPlaces = policy.tolerant
    ? [...new Set([...soundsOf(familyKeys), ...soundsOf(givenKeys), ...namePairs])]
    : namePairs;
  const places = [
    ...latinFormsOrFirst(values.streetAddress?.forms ?? []).map((street) => `street\0${streetSkeleton(street)}`),
    ...codesOf('postalCode').map((code) => `postalCode\0${code}`),
    ...codesOf('documentNumber').map((code) => `documentNumber\0${code}`),
  ];
  const residenceKeys = places.flatMap((place) => namesForPlaces.map((who) => `lives\0${who}\0${place}`));
  const birthAndPlaceKeys =
    values.birthDate === undefined ? [] : places.map((place) => `here\0${form('birthDate')}\0${place}`);
  const documentKeys = codesOf('documentNumber').map((code) => `document\0${code}`);
  const notifyKey = `named\0${unorderedPair(familyKeys[0][0], givenKeys[0][0])}\0${form('birthDate')}`;
  const needsPlace = requiresPlace(policy);
  const nameKeys = needsPlace
    ? []
    : combineReadings({ familyKeys, givenKeys }, (family, given) => [unorderedPair(family, given)]);
  const birthPlaceKeys =
    needsPlace || values.birthDate === undefined || values.birthPlace === undefined
      ? []
      : limiterNameKeysOf(values.birthPlace.forms)
          .flat()
          .map((place) => `birth\0${form('birthDate')}\0${place}`);
  const keys = [
    ...new Set([
      notifyKey,
      ...birthKeys,
      ...residenceKeys,
      ...birthAndPlaceKeys,
      ...birthPlaceKeys,
      ...nameKeys.map((who) => `names\0${who}`),
      ...documentKeys,
    ]),
  ];
  return { keys: keys.map(mac), tag, notifyKey: mac(notifyKey) };
}

type NameReadings = { readonly familyKeys: readonly LimiterNameKeys[]; readonly givenKeys: readonly LimiterNameKeys[] };

/** What is written of two names, in each of their readings with each, by sound and by consonants; each text once. */
function combineReadings(
  { familyKeys, givenKeys }: NameReadings,
  write: (family: string, given: string) => readonly string[],
): readonly string[] {
  const both = familyKeys.flatMap((family) => givenKeys.map((given) => [family, given] as const));
  const texts = both.flatMap(([[sound, skeleton], [otherSound, otherSkeleton]]) => {
    return [...write(sound, otherSound), ...write(skeleton, otherSkeleton)];
  });
  return [...new Set(texts)];
}

function soundsOf(keys: readonly LimiterNameKeys[]): readonly string[] {
  return keys.map(([sound]) => sound);
}

/** Whether no search can fit without a place or number, so that who tries dates holds one of these still. */
function requiresPlace({ minimum }: Pick<MatchPolicy, 'minimum'>): boolean {
  return minimum.every((set) =>
    set.some((oneOf) => oneOf.every((claim) => claim === 'citizenId' || identifyingClaims.includes(claim))),
  );
}

/** Two names, the same whichever stands in which field. */
function unorderedPair(family: string, given: string): string {
  return [family, given].sort().join('\0');
}

/** Each name with the first letter of the other: the same for names in each other's field. */
function nameInitialPairs(family: string, given: string): readonly string[] {
  const first = (name: string) => [...name][0] ?? '';
  const pairs = [family === '' ? '' : `${family} ${first(given)}`, given === '' ? '' : `${given} ${first(family)}`];
  const named = pairs.filter((pair) => pair !== '');
  return named.length === 0 ? [''] : named;
}

/** A street as it is compared: its numbers are not the same when they are parted elsewhere, nor those of its flats. */
function normalisedStreet(form: string): string {
  const { numbers, flat, street } = streetParts(form);
  return [numbers, flat, street].join('\0');
}

/**
 * A street by its numbers and by the kinds of consonants in it, which are the same in whatever order its words stand, and
 * however they are shortened or parted, or its flat is written.
 */
function streetSkeleton(form: string): string {
  const { numbers, flat, street, sorted } = streetParts(form);
  const [[sound, skeleton]] = limiterNameKeysOf([street]);
  const mark = skeleton === '' ? [...sound].slice(0, 1) : [...new Set(skeleton)].sort();
  return `${mark.join('')} ${(`${numbers} ${flat} ${sorted}`.match(/\d+/g) ?? []).sort().join(' ')}`;
}

/** The subject of one citizen for questions with the id. A search has to have room there, and adds nothing to it. */
export function citizenVerificationKey(hmacKey: Uint8Array, citizenId: string): string {
  return hmacString(hmacKey, `citizen\0${citizenId}`, 'base64url');
}

/**
 * The subject of one citizen for searches. Did they add to that of the id, then a question with the id would tell whether
 * the names and the date of a search were those of the id: test/attacks/verification-limit-concurrent.test.ts.
 */
export function citizenSearchKey(hmacKey: Uint8Array, citizenId: string): string {
  return hmacString(hmacKey, `searched\0${citizenId}`, 'base64url');
}

/** The subject that is written in the place of a citizen's where a search concerns nobody: the same for the same names. */
export function decoySearchKey(hmacKey: Uint8Array, { notifyKey }: VerificationKeys): string {
  return hmacString(hmacKey, `stranger\0${notifyKey}`, 'base64url');
}
