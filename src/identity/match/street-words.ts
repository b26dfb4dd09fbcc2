import { formsOf } from '../names/normalise.ts';
import { otherWordSource, streetTypeSource } from './street-word-tables.ts';

/** A word of a street. */
export type StreetWord = {
  readonly text: string;
  /** The positions of its words in the tables: `st` is street and saint. */
  readonly senses: readonly number[];
  /** Its words written in full. */
  readonly meanings: readonly string[];
  /** The languages in which it is a kind of street. */
  readonly languages: readonly string[];
  /** `type`: only a kind of street (road); `maybeType`: it has another sense, too (`st`); `name`: not in the tables. */
  readonly kind: 'type' | 'maybeType' | 'other' | 'name';
  /** Whether the language omits it by default: `ul. Długa` is `Długa`. */
  readonly isDefault: boolean;
  /** Whether it is the end of a compound: Hauptstrasse. */
  readonly isSuffix: boolean;
};

/** The word of the tables, or a name. */
export function streetWord(text: string): StreetWord {
  return (
    readTables().words.get(text) ?? {
      text,
      senses: [],
      meanings: [],
      languages: [],
      kind: 'name',
      isDefault: false,
      isSuffix: false,
    }
  );
}

/** The number of words from this position that are one word of the tables: `rond point`, `p za`. */
export function phraseLength(all: readonly string[], at: number): number {
  const word = all[at] ?? '';
  const next = all[at + 1];
  if (next === undefined) return 1;
  if (readTables().firstWords.has(word)) {
    const two = `${word} ${next}`;
    if (readTables().words.has(`${two} ${all[at + 2] ?? ''}`)) return 3;
    if (readTables().words.has(two)) return 2;
  }
  // The dot of an abbreviation is a blank here: P.za, V.le.
  const isSplit =
    next.length <= 3 && (next.length > 1 ? word.length <= 4 : word.length <= 2 && (next === 'o' || next === 'a'));
  if (!isSplit || !isLetters(word) || !isLetters(next)) return 1;
  const joined = readTables().words.get(word + next);
  // C.da is contrada; R. da is rua and an article.
  return joined?.kind === 'type' && (!connectingWords.has(next) || joined.languages.includes('it')) ? 2 : 1;
}

function isLetters(word: string): boolean {
  return word.charCodeAt(0) > codeOfNine && word.charCodeAt(word.length - 1) > codeOfNine;
}

/** The code of the last digit; letters have larger codes. */
const codeOfNine = 0x39;

/** The parts of a compound such as Hauptstrasse; undefined for other words. */
export function splitCompound(text: string): readonly [string, StreetWord] | undefined {
  if (!readTables().suffixEnds.has(text.slice(-minSuffix))) return undefined;
  for (let length = Math.min(maxSuffix, text.length - minStem); length >= minSuffix; length -= 1) {
    const suffix = readTables().suffixes.get(text.slice(text.length - length));
    if (suffix !== undefined) return [text.slice(0, text.length - length), suffix];
  }
  return undefined;
}

/** Whether two words are the same, or can be spellings of one word. */
export function isSameWord(one: StreetWord, other: StreetWord): boolean {
  return one.text === other.text || one.senses.some((sense) => other.senses.includes(sense));
}

/** Whether the short text begins with the first letter of the long one, and has some of its letters in order: `blvd`. */
export function abbreviates(short: string, long: string): boolean {
  if (short.length > long.length - 2 || short.charCodeAt(0) !== long.charCodeAt(0)) return false;
  let at = 0;
  for (let place = 0; place < long.length && at < short.length; place += 1)
    if (long.charCodeAt(place) === short.charCodeAt(at)) at += 1;
  return at === short.length;
}

/** Whether a word of the tables has both texts as abbreviations. */
export function abbreviateSameWord(one: string, other: string): boolean {
  const initial = one.slice(0, 1);
  if (!other.startsWith(initial) || Math.max(one.length, other.length) > maxAbbreviation) return false;
  return (
    readTables()
      .byInitial.get(initial)
      ?.some((word) => abbreviates(one, word) && abbreviates(other, word)) === true
  );
}

const maxAbbreviation = 6;

/** Words that addresses omit freely; they stay if nothing else names the street. */
export const connectingWords: ReadonlySet<string> = new Set(
  'de del della dello delle dei degli di da do dos das du des la le les los las el the of alla'.split(' '),
);

const suffixSource =
  'strasse str weg platz gasse allee damm ufer ring steig pfad chaussee graben straat laan plein gracht singel kade dijk steeg ' +
  'dreef plantsoen gade vej alle plads straede torv gata gatan gate vagen vaegen vaeg vegen veg veien vei grand torget torg plats ' +
  'platsen plass stigen stien katu tie kuja polku aukio tori ranta puistikko kaari vag';
const minStem = 2;
const minSuffix = 3;
const maxSuffix = 9;

type Tables = {
  readonly words: ReadonlyMap<string, StreetWord>;
  /** First words of entries with several words. */
  readonly firstWords: ReadonlySet<string>;
  readonly suffixes: ReadonlyMap<string, StreetWord>;
  /** The last letters of suffixes: most words have none. */
  readonly suffixEnds: ReadonlySet<string>;
  /** The whole words by their first letter. */
  readonly byInitial: ReadonlyMap<string, readonly string[]>;
};

let tables: Tables | undefined;

/** Built for the first street that is compared, because most commands compare none. Takes about 0.1 s. */
function readTables(): Tables {
  tables ??= buildTables();
  return tables;
}

function buildTables(): Tables {
  const types = Object.entries(streetTypeSource).flatMap(([language, source]) => readEntries(source, language));
  const entries = [...types, ...readEntries(otherWordSource, undefined)];
  const spellingsOf = new Map<string, string[]>();
  for (const { spellings } of entries)
    spellingsOf.set(spellings[0] ?? '', [...(spellingsOf.get(spellings[0] ?? '') ?? []), ...spellings]);
  const sensesOf = new Map<string, number[]>();
  for (const [sense, { spellings }] of entries.entries())
    for (const spelling of spellings.flatMap((text) => spellPhrase(text, spellingsOf)))
      for (const form of formsOf(spelling)) addSense(sensesOf, form, sense);
  const words = new Map([...sensesOf].map(([text, own]) => [text, toWord(text, own, entries)]));
  const firstWords = new Set(
    [...words.keys()].filter((text) => text.includes(' ')).map((text) => text.split(' ')[0] ?? ''),
  );
  const suffixes = suffixSource.split(' ').flatMap((text) => {
    const word = words.get(text);
    return word === undefined ? [] : [[text, { ...word, isDefault: false, isSuffix: true }] as const];
  });
  const wholeWords = new Set([...words.values()].flatMap(({ meanings }) => meanings));
  return {
    words,
    firstWords,
    suffixes: new Map(suffixes),
    suffixEnds: new Set(suffixes.map(([text]) => text.slice(-minSuffix))),
    byInitial: Map.groupBy(wholeWords, (word) => word.slice(0, 1)),
  };
}

/** An entry of the tables; without a language it is no kind of street. */
type Entry = {
  readonly spellings: readonly string[];
  /** The forms of the whole word. */
  readonly meanings: readonly string[];
  readonly language: string | undefined;
  readonly isDefault: boolean;
};

function readEntries(source: string, language: string | undefined): Entry[] {
  return source
    .split(/[|\n]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const spellings = entry.replace('*', '').split(' ');
      const meanings = formsOf(spellings[0]?.replaceAll('_', ' ') ?? '');
      return { spellings, meanings, language, isDefault: entry.startsWith('*') };
    });
}

/** A phrase with its words in each spelling, also joined if it ends with an abbreviation and has three letters or more: `gd bd`, `gdbd`. */
function spellPhrase(text: string, spellingsOf: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (!text.includes('_')) return [text];
  let phrases: readonly (readonly string[])[] = [[]];
  for (const word of text.split('_')) {
    const spellings = spellingsOf.get(word) ?? [word];
    phrases = phrases.flatMap((phrase) => spellings.map((spelling) => [...phrase, spelling]));
  }
  const joined = phrases.filter((phrase) => (phrase.at(-1) ?? '').length <= 4).map((phrase) => phrase.join(''));
  return [...phrases.map((phrase) => phrase.join(' ')), ...joined.filter(({ length }) => length >= 3)];
}

function addSense(sensesOf: Map<string, number[]>, text: string, sense: number): void {
  const own = sensesOf.get(text);
  if (own === undefined) sensesOf.set(text, [sense]);
  else if (!own.includes(sense)) own.push(sense);
}

function toWord(text: string, own: readonly number[], entries: readonly Entry[]): StreetWord {
  const languages = own.flatMap((sense) => entries[sense]?.language ?? []);
  return {
    text,
    senses: own,
    meanings: own.flatMap((sense) => entries[sense]?.meanings ?? []),
    languages: [...new Set(languages)],
    kind: languages.length === own.length ? 'type' : languages.length > 0 ? 'maybeType' : 'other',
    isDefault: own.some((sense) => entries[sense]?.isDefault === true),
    isSuffix: false,
  };
}
