import type { Forms } from '../names/normalise.ts';
import { formSeparator } from './comparable.ts';
import type { Level } from './level.ts';
import { isPostalArea, postalCountryOf } from './postal-codes.ts';
import { editDistance, jaroWinkler } from './similarity.ts';
import { compareStreetNames, type Likeness } from './street-names.ts';
import { type StreetParts, streetParts } from './street-parts.ts';

/** The level of two towns, countries or places of birth. */
export function placeLevel(claimed: Forms, known: Forms): Level {
  let best = worstRank;
  for (const one of claimed)
    for (const other of known) best = Math.min(best, placeRank(withoutSpaces(one), withoutSpaces(other)));
  return levelsByRank[best] ?? 'different';
}

const levelsByRank: readonly Level[] = ['normalised', 'similar', 'close', 'near', 'different'];
const worstRank = levelsByRank.length - 1;

function placeRank(one: string, other: string): number {
  if (one === other) return 0;
  if (renamedPlaces.get(one)?.has(other) === true) return 1;
  const edits = editDistance(one, other, 2);
  if (edits === 1) return 1;
  const likeness = jaroWinkler(one, other);
  if (edits === 2 || likeness >= 0.92) return 2;
  return likeness >= 0.8 ? 3 : worstRank;
}

function withoutSpaces(form: string): string {
  return form.replaceAll(' ', '');
}

/** Places and countries that were renamed, or have two official names, within a lifetime. */
const renamedPlaces = symmetricMap([
  ['astana', 'nursultan', 'akmola', 'tselinograd'],
  ['almaty', 'almaata'],
  ['saintpetersburg', 'stpetersburg', 'leningrad', 'sanktpeterburg'],
  ['volgograd', 'stalingrad'],
  ['yekaterinburg', 'ekaterinburg', 'sverdlovsk'],
  ['nizhnynovgorod', 'gorky', 'gorki'],
  ['samara', 'kuibyshev', 'kuybyshev'],
  ['dnipro', 'dnipropetrovsk', 'dnepropetrovsk'],
  ['kyiv', 'kiev'],
  ['kharkiv', 'kharkov'],
  ['lviv', 'lvov'],
  ['kropyvnytskyi', 'kirovohrad', 'kirovograd'],
  ['bishkek', 'frunze'],
  ['dushanbe', 'stalinabad'],
  ['podgorica', 'titograd'],
  ['chemnitz', 'karlmarxstadt'],
  ['mumbai', 'bombay'],
  ['chennai', 'madras'],
  ['kolkata', 'calcutta'],
  ['bengaluru', 'bangalore'],
  ['yangon', 'rangoon'],
  ['hochiminhcity', 'thanhphohochiminh', 'saigon'],
  ['kinshasa', 'leopoldville'],
  ['harare', 'salisbury'],
  ['maputo', 'lourencomarques'],
  ['istanbul', 'constantinople'],
  ['beijing', 'peking'],
  ['eswatini', 'swaziland'],
  ['northmacedonia', 'macedonia', 'fyrom'],
  ['czechia', 'czechrepublic'],
  ['myanmar', 'burma'],
  ['srilanka', 'ceylon'],
  ['turkiye', 'turkey'],
  ['burkinafaso', 'uppervolta'],
  ['benin', 'dahomey'],
  ['zimbabwe', 'rhodesia'],
  ['cotedivoire', 'ivorycoast'],
  ['capeverde', 'caboverde'],
  ['timorleste', 'easttimor'],
]);

function symmetricMap(groups: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(groups.flatMap((group) => group.map((place) => [place, new Set(group)] as const)));
}

/**
 * The level of two lists of nationalities: the same if the register has each claimed one. No edit distance, because one letter makes another
 * country code; only renamed countries are similar.
 */
export function nationsLevel(claimed: Forms, known: Forms): Level {
  const levels = claimed.map((nation) => nationLevel(nation.split(formSeparator), known));
  if (levels.length === 0 || levels.includes('different')) return 'different';
  return levels.includes('similar') ? 'similar' : 'normalised';
}

function nationLevel(forms: readonly string[], known: Forms): Level {
  const others = known.flatMap((nation) => nation.split(formSeparator));
  if (forms.some((form) => others.includes(form))) return 'normalised';
  const isRenamed = forms.some((form) => others.some((other) => renamedPlaces.get(form)?.has(other) === true));
  return isRenamed ? 'similar' : 'different';
}

/** The level of two postal codes in the forms of `postalCodeForms`. `precision`: one is the area of the other. */
export function postalCodeLevel(claimed: Forms, known: Forms): Level {
  const country = postalCountryOf(claimed);
  const otherCountry = postalCountryOf(known);
  if (country !== undefined && otherCountry !== undefined && country !== otherCountry) return 'different';
  const isPlain = (form: string) => !form.includes(' ');
  const level = codeLevel(claimed.filter(isPlain), known.filter(isPlain));
  return level !== 'normalised' && isPostalArea(claimed[0] ?? '', known[0] ?? '') ? 'precision' : level;
}

/** The level of two numbers of documents. */
export function codeLevel(claimed: Forms, known: Forms): Level {
  let edits = 3;
  for (const one of claimed) for (const other of known) edits = Math.min(edits, editDistance(one, other, 2));
  return edits === 0 ? 'normalised' : edits === 1 ? 'similar' : edits === 2 ? 'close' : 'different';
}

/**
 * The level of two streets with house numbers and flats. `missing`: the register has only the number. `shortened`: the same house number, and
 * only one of them has a flat. Different flats are different addresses.
 */
export function streetLevel(claimed: Forms, known: Forms): Level {
  const claimedParts = claimedPartsOf(claimed);
  const knownParts = known.map(streetParts);
  const [first] = claimedParts;
  if (
    first !== undefined &&
    first.words.length > 0 &&
    knownParts[0]?.words.length === 0 &&
    knownParts[0].numbers === first.numbers
  )
    return 'missing';
  let best = streetLevelsByRank.length - 1;
  let isOther = false;
  for (const one of claimedParts)
    for (const other of knownParts) {
      const rank = streetRank(one, other);
      isOther ||= rank > otherStreetRank;
      best = Math.min(best, rank);
    }
  // The likeness of letters in another form does not count against two different words: Hauptstrasse, Hauptweg.
  const isAgreed = best === 0 || best === 2;
  return (isOther && !isAgreed ? undefined : streetLevelsByRank[best]) ?? 'different';
}

/** The parts of claims, which are compared with many records. */
const claimedPartsByForms = new WeakMap<Forms, readonly StreetParts[]>();

function claimedPartsOf(claimed: Forms): readonly StreetParts[] {
  const found = claimedPartsByForms.get(claimed);
  if (found !== undefined) return found;
  const parts = claimed.map(streetParts);
  claimedPartsByForms.set(claimed, parts);
  return parts;
}

const streetLevelsByRank: readonly Level[] = ['normalised', 'similar', 'shortened', 'close', 'near', 'different'];

function streetRank(first: StreetParts, second: StreetParts): number {
  const home = compareHomes(first, second);
  const names = compareStreetNames(first, second);
  if (names === 'other') return otherStreetRank + 1;
  if (names === 'same' && home !== 'other') return home === 'same' ? 0 : 2;
  if (names === 'abbreviated' && home !== 'other') return home === 'same' ? 1 : 2;
  if (names === 'shortened') return home === 'other' ? 3 : 2;
  const { edits, likeness } = typeof names === 'string' ? sameLetters : names;
  const sameNumber = home === 'same' && first.numbers !== '';
  const alike = edits <= 2 || likeness >= 0.92;
  if (sameNumber && alike) return 1;
  if (alike || (sameNumber && likeness >= 0.8)) return 3;
  return likeness >= 0.85 ? 4 : otherStreetRank;
}

/** The rank of different streets; that of different words for the kind of street is higher. */
const otherStreetRank = 5;
const sameLetters: Likeness = { edits: 0, likeness: 1 };

/** `flatless`: the same house number, and only one has a flat. */
type HomeComparison = 'same' | 'flatless' | 'other';

function compareHomes(one: StreetParts, other: StreetParts): HomeComparison {
  if (one.numbers === other.numbers) return compareFlats(one.flat, other.flat);
  // One of the numbers may be a flat: 3/12 High Street.
  const first = withFlat(one);
  const second = withFlat(other);
  return first.buildingNumber === '' || first.buildingNumber !== second.buildingNumber
    ? 'other'
    : compareFlats(first.flat, second.flat);
}

function withFlat({ numbers, flat, buildingNumber, otherNumbers }: StreetParts) {
  return flat === '' ? { buildingNumber, flat: otherNumbers } : { buildingNumber: numbers, flat };
}

function compareFlats(one: string, other: string): HomeComparison {
  if (one === other) return 'same';
  // A floor and the number of a flat do not contradict each other.
  return one === '' || other === '' || one.startsWith('floor') !== other.startsWith('floor') ? 'flatless' : 'other';
}
