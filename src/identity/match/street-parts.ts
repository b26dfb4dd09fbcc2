/** The parts of a street address for comparison. */
export type StreetParts = {
  /** The numbers without a word such as `flat`. */
  readonly numbers: string;
  /** The words without blanks; abbreviations are expanded. */
  readonly street: string;
  /** The sorted words with blanks. */
  readonly sorted: string;
  /** The flat (`3`, `3b`, `a`), else a suffix of the house number (`bis`), else `floor 2`. */
  readonly flat: string;
  /** The house number if another number may be a flat: the last one before the street, or the first one after it. */
  readonly buildingNumber: string;
  /** The other numbers. */
  readonly otherNumbers: string;
};

/** Splits a form into its parts in linear time. */
export function streetParts(form: string): StreetParts {
  const all = form.split(' ');
  const numbers: string[] = [];
  const words: string[] = [];
  let flat = '';
  let floor = '';
  let numbersBefore = 0;
  for (let at = 0; at < all.length; at += 1) {
    const word = all[at] ?? '';
    const namedFlat = flatAt(all, at) ?? floorAt(all, at);
    if (namedFlat !== undefined) {
      if (namedFlat.isFloor) floor = namedFlat.text;
      else flat = namedFlat.text;
      at += namedFlat.words - 1;
    } else if (isNumber(word)) numbers.push(word);
    else if (numberSuffixes.has(word) && isNumber(all[at - 1])) flat ||= word;
    // "12 a" is "12a" before the street and at the end.
    else if (word.length === 1 && numbers.length > 0 && (words.length === 0 || isEnd(all, at)))
      numbers[numbers.length - 1] += word;
    else if (word.charCodeAt(0) <= codeOfNine && numberWithSuffix.test(word)) {
      const [number = '', suffix = ''] = word.split(/(?<=\d)(?=\D)/);
      numbers.push(number);
      flat ||= suffix;
    } else {
      if (words.length === 0) numbersBefore = numbers.length;
      words.push(shortWords.get(word) ?? (word.endsWith('str') ? `${word}asse` : word));
    }
  }
  const buildingAt = Math.max(0, numbersBefore - 1);
  return {
    numbers: numbers.join(' '),
    street: words.join(''),
    sorted: words.length < 2 ? (words[0] ?? '') : words.toSorted().join(' '),
    flat: flat || floor,
    buildingNumber: numbers[buildingAt] ?? '',
    otherNumbers: numbers.length < 2 ? '' : numbers.toSpliced(buildingAt, 1).join(' '),
  };
}

/** The code of the last digit; letters have larger codes. */
const codeOfNine = 0x39;
const numberWithSuffix = /^\d+(?:bis|ter|quater)$/;

function isNumber(word: string | undefined): boolean {
  return word !== undefined && word.charCodeAt(0) <= codeOfNine && /^\d+[a-z]?$/.test(word);
}

function isEnd(all: readonly string[], at: number): boolean {
  return at === all.length - 1 && isNumber(all[at - 1]);
}

/** A flat or floor, and the number of words that it takes. */
type NamedFlat = { readonly text: string; readonly words: number; readonly isFloor: boolean };

/** The flat at this position: `flat 3`, `apt no 3 b`, `whg 3`, `12 m 3`. */
function flatAt(all: readonly string[], at: number): NamedFlat | undefined {
  const word = all[at] ?? '';
  if (!flatWords.has(word) && !(word === 'm' && isNumber(all[at - 1]) && isNumber(all[at + 1]))) return undefined;
  const from = all[at + 1] === 'no' || all[at + 1] === 'nr' ? at + 2 : at + 1;
  const value = all[from] ?? '';
  const isBefore = (next: number) => next === all.length || isNumber(all[next]);
  // A letter alone may be of the street: Flat E Street.
  if (!/^[a-z]?\d+[a-z]?$/.test(value) && !(/^[a-z]$/.test(value) && isBefore(from + 1))) return undefined;
  const letter = all[from + 1] ?? '';
  const isParted = /^\d+$/.test(value) && /^[a-z]$/.test(letter) && isBefore(from + 2);
  return { text: isParted ? value + letter : value, words: from - at + (isParted ? 2 : 1), isFloor: false };
}

/** The floor at this position: `2nd floor`, `floor 2`, `ground floor flat`, `garden flat`; after another number `2 og`. */
function floorAt(all: readonly string[], at: number): NamedFlat | undefined {
  const word = all[at] ?? '';
  const next = all[at + 1] ?? '';
  if (word === 'floor' && /^\d+$/.test(next)) return { text: `floor ${next}`, words: 2, isFloor: true };
  if (!floorWords.has(next)) return undefined;
  const level =
    next === 'floor' || next === 'flat' ? levelOf(word, next) : isNumber(all[at - 1]) && isNumber(word) && word;
  if (level === undefined || level === false) return undefined;
  return { text: `floor ${level}`, words: next === 'floor' && all[at + 2] === 'flat' ? 3 : 2, isFloor: true };
}

function levelOf(word: string, next: string): string | undefined {
  if (levels.has(word)) return word;
  return next === 'floor' ? (ordinals.get(word) ?? /^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1]) : undefined;
}

/** Words before the number of a flat. In the name of a street they have no number after them. */
const flatWords: ReadonlySet<string> = new Set(
  (
    'flat apartment apt unit suite room whg wohnung appartement appt apto apartamento depto departamento piso interno int ' +
    'lokal lok mieszkanie kv kvartira kvartyra byt lgh leilighet lejlighed daire'
  ).split(' '),
);
const floorWords: ReadonlySet<string> = new Set(['floor', 'flat', 'og', 'stock', 'etage']);
const levels: ReadonlySet<string> = new Set(['basement', 'ground', 'garden', 'top', 'attic']);
const ordinals: ReadonlyMap<string, string> = new Map(
  ['first', 'second', 'third', 'fourth', 'fifth'].map((word, at) => [word, String(at + 1)]),
);
/** Suffixes of house numbers. */
const numberSuffixes: ReadonlySet<string> = new Set(['bis', 'ter', 'quater']);

const shortWords: ReadonlyMap<string, string> = new Map(
  (
    'st street|str strasse|rd road|ave avenue|av avenue|blvd boulevard|bd boulevard|ln lane|dr drive|ct court|crt court|' +
    'pl place|sq square|cres crescent|cct circuit|cl close|hwy highway|pde parade|tce terrace|ter terrace|gr grove|' +
    'pza plaza|avda avenida|c calle|r rua|ul ulica'
  )
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
);
