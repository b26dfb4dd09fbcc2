import {
  endPositions,
  isVowel,
  type Letter,
  parseSounds,
  positionsAt,
  type ReadPositions,
} from '../names/letter-readings.ts';
import { formsOf } from '../names/normalise.ts';
import { arabicNames } from './arabic-names.ts';

/**
 * Whether a Latin spelling (without blanks) is a reading of an Arabic name (with blanks). Arabic omits short vowels and doubled letters, and
 * Latin spellings vary (Mohammed, Muhamad, Mohamed). `usual`: every word is a known name with these vowels. `possible`: the letters permit
 * it, but may also be another name (Husn and Hasan are written the same). Long vowels have a letter, so Jamil is no reading of Jamal.
 */
export function readArabic(arabic: string, latin: string): 'usual' | 'possible' | undefined {
  // A long text is no reading, and would be expensive to compare.
  if (latin.length > maxLatinPerLetter * (arabic.length + 1)) return undefined;
  const words = wordsOf(arabic);
  if (isUsualReading(arabic, latin)) return 'usual';
  if (words.length === 1 && isOfAnotherName(arabic, latin)) return undefined;
  const possible = endPositionsOfWords(
    words,
    words.map(({ letters }) => [readWithoutVowels(letters)]),
    latin,
  );
  if (possible === undefined) return undefined;
  if (possible[latin.length] === 1) return 'possible';
  // French adds an e to a pronounced n: Amine, Yassine.
  return possible[latin.length - 1] === 1 && latin.endsWith('ne') ? 'possible' : undefined;
}

/** Whether both are known names in Arabic letters, and not the same one: Hasan and Husayn. */
export function areOtherArabicNames(one: string, other: string): boolean {
  const [first, second] = [foldLetters(one), foldLetters(other)];
  return first !== second && vowelledNames().has(first) && vowelledNames().has(second);
}

/** A Latin name as a possible spelling of an Arabic one: its first part in Arabic letters, and the consonants of the rest. */
type ArabicOutline = { readonly prefix: string; readonly consonants: string; readonly latin: string };

/** The outline of a Latin name without blanks. French adds an e to a pronounced n. */
export function arabicOutline(name: string): ArabicOutline {
  const latin = name.replace(/(?<=[aeiou])ne$/, 'n');
  if (/^abd[aeou]ll?ah?$/.test(latin)) return { prefix: 'عبد ', consonants: consonantsOf('allah'), latin };
  const abd = latin.replace(/^abd(?:[aeiou][lrsdztn])?h?(?=...)/, '');
  if (abd !== latin) return { prefix: 'عبد ال', consonants: consonantsOf(abd), latin };
  const rest = latin.replace(/^[ae](?:l|([sdrztn])(?=\1))(?=...)/, '');
  // A short rest could be the end of a European name: Elisa, Elijah.
  const hasArticle = rest !== latin && consonantsOf(rest).length > 1;
  return { prefix: hasArticle ? 'ال' : '', consonants: consonantsOf(hasArticle ? rest : latin), latin };
}

/**
 * Whether two Latin names are usual spellings of one known name in Arabic letters: Mohamed and Muhammad, Abdelrahman and Abdurrahman.
 */
export function areArabicVariants(one: ArabicOutline, other: ArabicOutline): boolean {
  const { prefix, consonants } = one;
  if (consonants !== other.consonants || prefix !== other.prefix) return false;
  const names = namesByConsonants().get(consonants) ?? [];
  return names.some((name) => isUsualReading(prefix + name, one.latin) && isUsualReading(prefix + name, other.latin));
}

/** Whether every word is a known name, and the Latin spelling has its vowels. */
function isUsualReading(arabic: string, latin: string): boolean {
  const words = wordsOf(arabic);
  const readings = words.map((word) => vowelledNames().get(foldLetters(word.letters)) ?? []);
  const isKnown = readings.every((known) => known.length > 0);
  return isKnown && endPositionsOfWords(words, readings, latin)?.[latin.length] === 1;
}

/** Whether the name is known, and the spelling is that of another one with other long vowels: Mahmoud is no spelling of Muhammad. */
function isOfAnotherName(arabic: string, latin: string): boolean {
  const own = withoutAlif(arabic);
  const others = namesByConsonants().get(consonantsOf(latin)) ?? [];
  const isKnown = vowelledNames().has(foldLetters(arabic));
  return isKnown && others.some((name) => withoutAlif(name) !== own && isUsualReading(name, latin));
}

function withoutAlif(name: string): string {
  return foldLetters(name).replaceAll('ا', '');
}

/** A key that all usual spellings of a name share: its consonants, in classes of letters that spellings exchange. */
function consonantsOf(latin: string): string {
  return latin
    .replace(/[aeiouywh]/g, '')
    .replace(/[pv]/g, (letter) => (letter === 'p' ? 'b' : 'f'))
    .replace(/[cdgjkqsxzt]/g, 't')
    .replace(/(.)\1+/g, '$1');
}

let consonantIndex: ReadonlyMap<string, readonly string[]> | undefined;

/** The known names by the consonants of their spelling. Built once, for the first two Latin names that differ. */
function namesByConsonants(): ReadonlyMap<string, readonly string[]> {
  if (consonantIndex !== undefined) return consonantIndex;
  const index = new Map<string, string[]>();
  for (const [arabic, latin] of arabicNames()) {
    const key = consonantsOf(latin);
    const [form = ''] = formsOf(arabic);
    index.set(key, [...new Set([...(index.get(key) ?? []), form])]);
  }
  consonantIndex = index;
  return index;
}

/** Whether a form has only Arabic letters. */
export function isArabic(form: string): boolean {
  return /^[\u0621-\u06ff ]+$/.test(form);
}

/** The maximum number of Latin letters for one Arabic letter with its vowel. */
const maxLatinPerLetter = 6;

type Reading = readonly Letter[];
type Word = { readonly letters: string; readonly article: boolean; readonly sun: boolean };

/** The words of a name, with the article and joined parts (Abd, al-Din, Allah) separated. */
function wordsOf(form: string): Word[] {
  const apart = form
    .replace(/(^| )عبد(?=ال)/g, '$1عبد ')
    .replace(/(?<=[^ ])(?=(?:الدين|الله)(?: |$))/g, ' ')
    .replace(/([هةہ])ا([يی])(?= |$)/g, '$1$2');
  return apart.split(' ').map((letters) => {
    const article = letters.length > 3 && letters.startsWith('ال') && !vowelledNames().has(foldLetters(letters));
    const rest = article ? letters.slice(2) : letters;
    return { letters: rest, article, sun: 'تثدذرزسشصضطظلن'.includes(rest.charAt(0)) };
  });
}

/** The positions at which the words can end, each in one of its readings. */
function endPositionsOfWords(
  words: readonly Word[],
  readings: readonly (readonly Reading[])[],
  latin: string,
): ReadPositions | undefined {
  let positions = positionsAt(latin, 0);
  for (const [at, { article, sun }] of words.entries()) {
    const starts = article ? afterArticle(latin, positions, sun) : positions;
    const ends = positionsAt(latin);
    for (const reading of readings[at] ?? []) {
      endPositions(reading, latin, starts)?.forEach((reached, place) => {
        if (reached === 1) ends[place] = 1;
      });
    }
    if (!ends.includes(1)) return undefined;
    positions = ends;
  }
  return positions;
}

/** The positions at which a word can start after its article: al, el, ul, or a silent lam before a sun letter (Abdurrahman). */
function afterArticle(latin: string, positions: ReadPositions, sun: boolean): ReadPositions {
  const found = positionsAt(latin);
  positions.forEach((reached, place) => {
    if (reached === 0) return;
    for (const start of isVowel(latin, place) ? [place, place + 1] : [place]) {
      if (latin.startsWith('l', start)) found[start + 1] = 1;
      if (sun) found[start] = 1;
    }
  });
  return found;
}

/** Replaces letters that registers use for one another. */
function foldLetters(letters: string): string {
  return letters.replace(/[کگیىةہ]/g, (letter) => exchangedLetters[letter] ?? letter);
}

const exchangedLetters: Readonly<Record<string, string>> = { ک: 'ك', گ: 'ك', ی: 'ي', ى: 'ي', ة: 'ه', ہ: 'ه' };

/** The Latin spellings of each letter. */
const soundsOf = parseSounds(
  'ا:a,aa,ae|ء:,a|ب:b,p|ت:t|ث:th,s,t|ج:j,g,dj,dg|ح:h|خ:kh,k,h|د:d|ذ:dh,d,z,th|ر:r|ز:z|س:s,c|ش:sh,ch|ص:s|ض:d,dh,z|' +
    'ط:t|ظ:z,dh,d|ع:,a,e|غ:gh,g|ف:f,ph|ق:q,k,g,c,gh|ك:k,c|ل:l|م:m|ن:n|ه:h,a,ah,eh,e,ha|ة:a,ah,eh,e,at,t|و:w,v,u,ou,oo,o|' +
    'ي:y,i,ee,ie,iy,ea,e,j|ى:a,ah,i,y|پ:p|چ:ch|ژ:zh,j|گ:g|ک:k,c|ی:y,i,ee,ie,iy,ea,e,j|ہ:h,a,ah,eh,e|ے:e,ay,ai,y|ٹ:t|ڈ:d|ڑ:r|' +
    'ں:n|ھ:h',
);

const anyVowel = ['', 'a', 'e', 'i', 'o', 'u', 'ou'];
/** The spellings of a short vowel. Before a waw, a may be o (Toufik). */
const shortVowels: Readonly<Record<string, readonly string[]>> = {
  '': [''],
  a: ['a', 'e'],
  i: ['i', 'e'],
  u: ['u', 'o', 'ou', 'oo'],
};
const beforeWaw = ['a', 'e', 'o'];

/** A word with unknown vowels. An initial alif only carries a vowel. */
function readWithoutVowels(word: string): Reading {
  return [...word].map((letter, at) => ({
    vowels: anyVowel,
    sounds:
      at === 0 && letter === 'ا'
        ? ['']
        : isSilentYeh(word, at)
          ? ['', ...(soundsOf[letter] ?? [])]
          : (soundsOf[letter] ?? []),
  }));
}

/** Persian writes a yeh between alif and a long i (Rezai, Rezaei). */
function isSilentYeh(word: string, at: number): boolean {
  return /^ا[یي][یي]/.test(word.slice(at - 1, at + 2));
}

/** All readings of a name with known vowels: the vowels before each letter and the sounds of the letter. */
function readingsOfVowelled(letters: string, latin: string, at = 0): Reading[] {
  const letter = letters.charAt(at);
  if (letter === '') return latin === '' ? [[]] : [];
  const found: Reading[] = [];
  for (const [vowel, spelled] of Object.entries(shortVowels)) {
    if (!latin.startsWith(vowel)) continue;
    const rest = latin.slice(vowel.length);
    for (const sound of vowelledSounds(letters, at)) {
      if (!rest.startsWith(sound)) continue;
      const vowels = vowel === 'a' && letter === 'و' ? beforeWaw : spelled;
      const sounds = sound === '' ? [''] : usualSounds(letter);
      for (const length of isDoubled(rest, sound) ? [sound.length, sound.length * 2] : [sound.length]) {
        const further = readingsOfVowelled(letters, rest.slice(length), at + 1);
        found.push(...further.map((others) => [{ vowels, sounds }, ...others]));
      }
    }
  }
  return found;
}

function isDoubled(rest: string, sound: string): boolean {
  return sound.length === 1 && rest.startsWith(sound, 1) && !'aiu'.includes(sound);
}

/** The sounds of a letter in a name with known vowels. Weak letters can be silent. */
function vowelledSounds(letters: string, at: number): readonly string[] {
  const letter = letters.charAt(at);
  if (at === 0 && letter === 'ا') return [''];
  const sounds = usualSounds(letter);
  const isWeak = letter === 'و' || letter === 'ع' || letter === 'ء' || letter === 'ه';
  const isHamzaCarrier = letter === 'ي' && letters.charAt(at - 1) === 'ا';
  return isWeak || isHamzaCarrier ? ['', ...sounds] : sounds;
}

/** The sounds of a letter in a usual spelling: e alone is neither a long i nor a feminine ending. */
function usualSounds(letter: string): readonly string[] {
  return (soundsOf[letter] ?? []).filter((sound) => sound !== '' && !(sound === 'e' && 'يیهةہ'.includes(letter)));
}

type Table = ReadonlyMap<string, readonly Reading[]>;
let table: Table | undefined;

/** The readings of each known name by its folded letters. Built for the first Arabic name, because most processes never need it. */
function vowelledNames(): Table {
  table ??= readTable();
  return table;
}

function readTable(): Table {
  const read = new Map<string, readonly Reading[]>();
  for (const [arabic, latin] of arabicNames()) {
    const [key = ''] = formsOf(arabic);
    const readings = readingsOfVowelled(formsOf(arabic).at(-1) ?? '', latin);
    read.set(key, [...(read.get(key) ?? []), ...readings]);
  }
  return read;
}
