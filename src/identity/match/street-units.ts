import { splitCompound, streetWord } from './street-words.ts';

/** A part of an address that is no word of the street, and the number of words that it takes. */
export type NamedUnit = {
  /** `suffix`: belongs to the number before it; `nothing`: a word such as `no`. */
  readonly kind: 'number' | 'suffix' | 'unit' | 'floor' | 'nothing';
  readonly text: string;
  readonly words: number;
};

/** The parts that were read before. */
type ReadBefore = {
  readonly numbers: number;
  readonly words: number;
  /** Whether a kind of street was read. */
  readonly hasType: boolean;
};

/** The number, flat or floor at this position; undefined for a word of the street. */
export function readUnit(all: readonly string[], at: number, before: ReadBefore): NamedUnit | undefined {
  const word = all[at] ?? '';
  const next = all[at + 1] ?? '';
  if (word.charCodeAt(0) <= codeOfNine) return floorAt(all, at, before) ?? numberAt(word, before);
  const isUnitWord = unitWords.has(word);
  if (isUnitWord || floorWords.has(next)) {
    if (endsStreet(word, before)) return undefined;
    const found = flatAt(all, at) ?? floorAt(all, at, before);
    if (found !== undefined) return found;
  }
  if (isUnitWord && numberWords.has(word) && isNumber(next)) return { kind: 'nothing', text: '', words: 1 };
  return before.numbers === 0 ? undefined : afterNumber(all, at, before);
}

/** Whether the word is the kind of the street, and not a flat or number: `Linden bl 5`. */
function endsStreet(word: string, { numbers, words, hasType }: ReadBefore): boolean {
  if (words === 0 || numbers > 0 || hasType) return false;
  const { kind } = streetWord(word);
  return kind === 'type' || kind === 'maybeType';
}

/** The code of the last digit; letters have larger codes. */
const codeOfNine = 0x39;

function isNumber(word: string | undefined): boolean {
  return word !== undefined && word.charCodeAt(0) <= codeOfNine && /^\d+[a-z]?$/.test(word);
}

/** `12`, `12a`, `12bis`; in Spanish `2º` and `2ºB`. */
function numberAt(word: string, before: ReadBefore): NamedUnit | undefined {
  const [, ordinal, letter = ''] = (before.numbers > 0 && /^(\d+)o([a-z]?)$/.exec(word)) || [];
  if (ordinal !== undefined) return { kind: 'number', text: ordinal + letter, words: 1 };
  if (isNumber(word)) return { kind: 'number', text: word, words: 1 };
  return undefined;
}

/** Letters, suffixes, sides and Roman numerals after a number. */
function afterNumber(all: readonly string[], at: number, before: ReadBefore): NamedUnit | undefined {
  const word = all[at] ?? '';
  const follows = /^\d/.test(all[at - 1] ?? '');
  if (!follows) return undefined;
  if (numberSuffixes.has(word)) return { kind: 'unit', text: word, words: 1 };
  const next = all[at + 1];
  const isLast = next === undefined || flatWords.has(next);
  if (word.length === 1 && (isLast || before.words === 0) && !startsStreet(all, at))
    return { kind: 'suffix', text: word, words: 1 };
  if (before.words === 0) return undefined;
  const side = sides.get(word);
  if (side !== undefined) return { kind: 'suffix', text: side, words: 1 };
  const roman = romanNumerals.get(word);
  return roman === undefined ? undefined : { kind: 'number', text: roman, words: 1 };
}

/** Whether a letter after a number begins the street: `10 r de la Paix`, `123 N Main Street`, `12 M G Road`; not `12 a High Street`. */
function startsStreet(all: readonly string[], at: number): boolean {
  const word = all[at] ?? '';
  if (at === all.length - 1) return false;
  if (directionLetters.has(word) || all[at + 1]?.length === 1) return true;
  const { kind } = streetWord(word);
  const isKind = kind === 'type' || kind === 'maybeType';
  return isKind && !all.slice(at + 1, at + 6).some((later, place) => namesKind(later, place > 0));
}

/** Whether a later word is the kind of the street. `st` after the letter is a saint. */
function namesKind(word: string, isFollowing: boolean): boolean {
  const { kind } = streetWord(word);
  if (word.length < 2 || unitWords.has(word)) return false;
  return kind === 'type' || (kind === 'maybeType' && isFollowing) || splitCompound(word) !== undefined;
}

const directionLetters: ReadonlySet<string> = new Set(['n', 's', 'e', 'w']);

/** The flat at this position: `flat 3`, `apt no 3 b`, `whg 3`, `12 m 3`. */
function flatAt(all: readonly string[], at: number): NamedUnit | undefined {
  const word = all[at] ?? '';
  if (!flatWords.has(word) && !(flatLetters.has(word) && isNumber(all[at - 1]) && isNumber(all[at + 1])))
    return undefined;
  const from = numberWords.has(all[at + 1] ?? '') ? at + 2 : at + 1;
  const value = all[from] ?? '';
  const isBefore = (next: number) => next === all.length || isNumber(all[next]) || flatWords.has(all[next] ?? '');
  // A letter alone may be of the street: Flat E Street.
  if (!/^[a-z]?\d+[a-z]?$/.test(value) && !(/^[a-z]$/.test(value) && isBefore(from + 1))) return undefined;
  const letter = all[from + 1] ?? '';
  const isParted = /^\d+$/.test(value) && /^[a-z]$/.test(letter) && isBefore(from + 2);
  return { kind: 'unit', text: isParted ? value + letter : value, words: from - at + (isParted ? 2 : 1) };
}

/** The floor at this position: `2nd floor`, `floor 2`, `ground floor flat`, `garden flat`, `2 og`, `2e etage`. */
function floorAt(all: readonly string[], at: number, before: ReadBefore): NamedUnit | undefined {
  const word = all[at] ?? '';
  const next = all[at + 1] ?? '';
  if (floorWords.has(word) && word !== 'flat') {
    const level = /^\d+$/.test(next) && at > 0 ? next : undefined;
    if (level !== undefined) return { kind: 'floor', text: `floor ${level}`, words: 2 };
  }
  if (streetLevelFloors.has(word) && before.words > 0 && before.numbers > 0 && !floorWords.has(next))
    return { kind: 'floor', text: 'floor ground', words: 1 };
  if (!floorWords.has(next)) return undefined;
  const level = levelOf(word, next, before);
  if (level === undefined) return undefined;
  return { kind: 'floor', text: `floor ${level}`, words: next === 'floor' && all[at + 2] === 'flat' ? 3 : 2 };
}

function levelOf(word: string, next: string, { numbers }: ReadBefore): string | undefined {
  if (levels.has(word)) return word;
  if (next === 'flat') return undefined;
  const ordinal = ordinals.get(word) ?? /^(\d+)(?:st|nd|rd|th|e|er|eme|ere|o|a|da|na)$/.exec(word)?.[1];
  if (ordinal !== undefined) return ordinal;
  return next !== 'floor' && numbers > 0 && /^\d+$/.test(word) ? word : undefined;
}

/** Words before the number of a flat. In the name of a street they have no number after them. */
const flatWords: ReadonlySet<string> = new Set(
  (
    'flat apartment apt ap unit suite ste room rm lot whg wohnung top tur appartement appt app apto apartamento apartament depto dpto departamento piso puerta pta ' +
    'interno int interior scala esc escalera porta bloco bloque bl blok lokal lok mieszkanie kv kvartira kvartyra korp korpus ' +
    'byt lgh lagenhet leilighet lejlighed bolig daire bus bte boite stiege stg ajto lakas lepcsohaz scara sc stan stanovanje butas dz dzivoklis korter кв квартира ' +
    'ofis oficina of sala casa bat batiment'
  ).split(' '),
);
/** Letters that name a flat between two numbers. */
const flatLetters: ReadonlySet<string> = new Set(['m', 'd']);
const floorWords: ReadonlySet<string> = new Set(
  'floor flat fl og obergeschoss stock etage etg et etaj kat patro poschodie emelet piano andar planta pietro krs kerros tr trappor sal verdieping korrus etazh этаж поверх'.split(
    ' ',
  ),
);
const levels: ReadonlySet<string> = new Set(['basement', 'ground', 'garden', 'top', 'attic']);
const streetLevelFloors: ReadonlySet<string> = new Set(
  'eg erdgeschoss bajo rdc parter prizemi pritlicje pritlje zemin fszt'.split(' '),
);
const ordinals: ReadonlyMap<string, string> = new Map(
  ['first', 'second', 'third', 'fourth', 'fifth'].map((word, at) => [word, String(at + 1)]),
);
/** Words before a house number. */
const numberWords: ReadonlySet<string> = new Set(
  'no nr n num numero nro dom d hs hnr haus cp br kbr szam number дом д'.split(' '),
);
/** Words that may begin a flat, floor or number. */
const unitWords: ReadonlySet<string> = new Set([
  ...flatWords,
  ...flatLetters,
  ...floorWords,
  ...levels,
  ...streetLevelFloors,
  ...numberWords,
]);
/** Suffixes of house numbers. */
const numberSuffixes: ReadonlySet<string> = new Set(['bis', 'ter', 'quater']);
/** The side of a staircase on which a flat is. */
const sides: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '<': 'izq izqda izda izquierda esq esqdo esquerdo esquerda li links tv gauche sin sinistra',
    '>': 'dcha dch derecha dto dta dir direito direita re rechts th droite dx destra',
    '-': 'ctro cto centro centre mitte mf fte frente',
  }).flatMap(([side, words]) => words.split(' ').map((word) => [word, side] as const)),
);
const romanNumerals: ReadonlyMap<string, string> = new Map(
  Object.entries({ ii: '2', iii: '3', iv: '4', vi: '6', vii: '7', viii: '8', ix: '9' }),
);
