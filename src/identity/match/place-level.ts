import type { Forms } from '../names/normalise.ts';
import { formSeparator } from './comparable.ts';
import type { Level } from './level.ts';
import { editDistance, jaroWinkler } from './similarity.ts';
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

/** The level of two numbers of documents or postal codes. */
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
  const claimedParts = claimed.map(streetParts);
  const knownParts = known.map(streetParts);
  const [first] = claimedParts;
  if (
    first !== undefined &&
    first.street !== '' &&
    knownParts[0]?.street === '' &&
    knownParts[0].numbers === first.numbers
  )
    return 'missing';
  let best = streetLevelsByRank.length - 1;
  for (const one of claimedParts) for (const other of knownParts) best = Math.min(best, streetRank(one, other));
  return streetLevelsByRank[best] ?? 'different';
}

const streetLevelsByRank: readonly Level[] = ['normalised', 'similar', 'shortened', 'close', 'near', 'different'];

function streetRank(first: StreetParts, second: StreetParts): number {
  const home = compareHomes(first, second);
  const sameStreet = first.street === second.street || first.sorted === second.sorted;
  if (sameStreet && home !== 'other') return home === 'same' ? 0 : 2;
  const sameNumber = home === 'same' && first.numbers !== '';
  const edits = editDistance(first.street, second.street, 2);
  const likeness = edits === 0 ? 1 : jaroWinkler(first.street, second.street);
  const alike = edits <= 2 || likeness >= 0.92;
  if (sameNumber && alike) return 1;
  if (alike || (sameNumber && likeness >= 0.8)) return 3;
  return likeness >= 0.85 ? 4 : 5;
}

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
