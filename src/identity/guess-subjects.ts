import { canonicalJson } from '../kernel/canonical-json.ts';
import { hmacText } from '../kernel/hashing.ts';
import type { ClaimName, Claims } from './claims.ts';
import type { NormalisedClaims } from './match/comparable.ts';
import { placing } from './match/decide.ts';
import type { Policy } from './match/policy.ts';
import { streetParts } from './match/street-parts.ts';
import { type BudgetKeys, budgetKeysOf, latinOr } from './names/name-key.ts';

/** What a question is counted by: what it asks about, and what it puts forward. */
export type GuessTags = {
  /** Whoever guesses one claim holds at least one of these still. */
  readonly subjects: readonly string[];
  readonly tag: string;
  /**
   * The one of them of which the citizen is told when it is spent. It follows from the claims alone: everybody sees in the
   * published ledger that somebody is told, and must not see by it whom the claims concern.
   */
  readonly told: string;
};

/** What a question is compared by and counted by. */
export type Countable = { readonly claims: NormalisedClaims; readonly tags: GuessTags };

/** By so many subjects a question is counted at most: each is a row that stays for a month. */
const mostSubjects = 200;
const fewerForms = [4, 2, 1];
/** Claims that have a subject for each of their forms. */
const countedByForms: readonly ClaimName[] = [...placing, 'givenName', 'familyName', 'birthPlace'];

/**
 * The claims with the tags of the question. Those of mixed scripts, with words that may be particles, are read in thousands of ways:
 * they are compared by their first forms alone, so that each by which they may fit is counted
 * (test/attacks/guessing-mixed-scripts.test.ts). No name of one script has so many.
 */
export function countable(
  key: Uint8Array,
  sent: Claims,
  claims: NormalisedClaims,
  policy: Pick<Policy, 'tolerant' | 'minimum'>,
): Countable {
  let counted = { claims, tags: guessTags(key, sent, claims, policy) };
  for (const most of fewerForms) {
    if (counted.tags.subjects.length <= mostSubjects) break;
    const fewer = withForms(claims, most);
    counted = { claims: fewer, tags: guessTags(key, sent, fewer, policy) };
  }
  return counted;
}

function withForms({ asked, values }: NormalisedClaims, most: number): NormalisedClaims {
  const fewer = Object.fromEntries(
    countedByForms.flatMap((claim) => {
      const value = values[claim];
      return value === undefined ? [] : [[claim, { ...value, forms: value.forms.slice(0, most) }]];
    }),
  );
  return { asked, values: { ...values, ...fewer } };
}

/**
 * With an id the citizen of that id, known or not. Without one whatever a guesser may hold still while trying the rest:
 * names with the birth date, and names or the birth date with each claim of a place by itself, since a claim that the
 * register does not hold may be anything. Names stand there by the keys that find the person, by sound and by consonants
 * alone, and in each reading of their words, so that no spelling that is found is another name: test/attacks/guessing-searches.test.ts,
 * guessing-parted-names.test.ts.
 */
export function guessTags(
  key: Uint8Array,
  claims: Claims,
  { asked, values }: NormalisedClaims,
  policy: Pick<Policy, 'tolerant' | 'minimum'>,
): GuessTags {
  const mac = (of: string) => hmacText(key, of, 'base64url');
  const codesOf = (claim: 'postalCode' | 'documentNumber') => latinOr(values[claim]?.forms ?? []);
  const form = (claim: keyof Claims) => (values[claim]?.forms[0] ?? '').replaceAll(' ', '');
  const said = (claim: ClaimName) => {
    if (claim === 'nationality') return (values[claim]?.forms ?? []).join(',');
    return claim === 'streetAddress' ? streetForm(values[claim]?.forms[0] ?? '') : form(claim);
  };
  const tag = mac(canonicalJson(Object.fromEntries(asked.map((claim) => [claim, said(claim)])))).slice(0, 22);
  if (claims.citizenId !== undefined) {
    const told = subjectOf(key, claims.citizenId);
    return { subjects: [told], tag, told };
  }
  const families = budgetKeysOf(values.familyName?.forms ?? []);
  const givens = budgetKeysOf(values.givenName?.forms ?? []);
  const named = readingsOf({ families, givens }, pairsOf);
  const single = soundsIn(values.familyName === undefined ? givens : families);
  const born =
    values.birthDate === undefined ? [] : [...single, ...named].map((who) => `born\0${who}\0${form('birthDate')}`);
  // Where the probability decides alone both names may be misspelled: each holds by itself what the other lets go.
  const placed = policy.tolerant ? [...new Set([...soundsIn(families), ...soundsIn(givens), ...named])] : named;
  const places = [
    ...latinOr(values.streetAddress?.forms ?? []).map((street) => `street\0${streetMark(street)}`),
    ...codesOf('postalCode').map((code) => `postalCode\0${code}`),
    ...codesOf('documentNumber').map((code) => `documentNumber\0${code}`),
  ];
  const lives = places.flatMap((place) => placed.map((who) => `lives\0${who}\0${place}`));
  const here = values.birthDate === undefined ? [] : places.map((place) => `here\0${form('birthDate')}\0${place}`);
  const document = codesOf('documentNumber').map((code) => `document\0${code}`);
  const told = `named\0${exchangeable(families[0][0], givens[0][0])}\0${form('birthDate')}`;
  const holdsPlace = demandsPlace(policy);
  const names = holdsPlace ? [] : readingsOf({ families, givens }, (family, given) => [exchangeable(family, given)]);
  const births =
    holdsPlace || values.birthDate === undefined || values.birthPlace === undefined
      ? []
      : budgetKeysOf(values.birthPlace.forms)
          .flat()
          .map((place) => `birth\0${form('birthDate')}\0${place}`);
  const subjects = [
    ...new Set([told, ...born, ...lives, ...here, ...births, ...names.map((who) => `names\0${who}`), ...document]),
  ];
  return { subjects: subjects.map(mac), tag, told: mac(told) };
}

type Names = { readonly families: readonly BudgetKeys[]; readonly givens: readonly BudgetKeys[] };

/** What is written of two names, in each of their readings with each, by sound and by consonants; each text once. */
function readingsOf(
  { families, givens }: Names,
  write: (family: string, given: string) => readonly string[],
): readonly string[] {
  const both = families.flatMap((family) => givens.map((given) => [family, given] as const));
  const texts = both.flatMap(([[sound, skeleton], [otherSound, otherSkeleton]]) => {
    return [...write(sound, otherSound), ...write(skeleton, otherSkeleton)];
  });
  return [...new Set(texts)];
}

function soundsIn(keys: readonly BudgetKeys[]): readonly string[] {
  return keys.map(([sound]) => sound);
}

/** Whether no search can fit without a place or number, so that who tries dates holds one of these still. */
function demandsPlace({ minimum }: Pick<Policy, 'minimum'>): boolean {
  return minimum.every((set) =>
    set.some((oneOf) => oneOf.every((claim) => claim === 'citizenId' || placing.includes(claim))),
  );
}

/** Two names, the same whichever stands in which field. */
function exchangeable(family: string, given: string): string {
  return [family, given].sort().join('\0');
}

/** Each name with the first letter of the other: the same for names in each other's field. */
function pairsOf(family: string, given: string): readonly string[] {
  const first = (name: string) => [...name][0] ?? '';
  const pairs = [family === '' ? '' : `${family} ${first(given)}`, given === '' ? '' : `${given} ${first(family)}`];
  const named = pairs.filter((pair) => pair !== '');
  return named.length === 0 ? [''] : named;
}

/** A street as it is compared: its numbers are not the same when they are parted elsewhere, nor those of its flats. */
function streetForm(form: string): string {
  const { numbers, flat, street } = streetParts(form);
  return [numbers, flat, street].join('\0');
}

/**
 * A street by its numbers and by the kinds of consonants in it, which are the same in whatever order its words stand, and
 * however they are shortened or parted, or its flat is written.
 */
function streetMark(form: string): string {
  const { numbers, flat, street, sorted } = streetParts(form);
  const [[sound, skeleton]] = budgetKeysOf([street]);
  const mark = skeleton === '' ? [...sound].slice(0, 1) : [...new Set(skeleton)].sort();
  return `${mark.join('')} ${(`${numbers} ${flat} ${sorted}`.match(/\d+/g) ?? []).sort().join(' ')}`;
}

/** The subject of one citizen for questions with the id. A search has to have room there, and adds nothing to it. */
export function subjectOf(key: Uint8Array, citizenId: string): string {
  return hmacText(key, `citizen\0${citizenId}`, 'base64url');
}

/**
 * The subject of one citizen for searches. Did they add to that of the id, then a question with the id would tell whether
 * the names and the date of a search were those of the id: test/attacks/guessing-across.test.ts.
 */
export function searchedSubjectOf(key: Uint8Array, citizenId: string): string {
  return hmacText(key, `searched\0${citizenId}`, 'base64url');
}

/** The subject that is written in the place of a citizen's where a search concerns nobody: the same for the same names. */
export function strangerSubjectOf(key: Uint8Array, { told }: GuessTags): string {
  return hmacText(key, `stranger\0${told}`, 'base64url');
}
