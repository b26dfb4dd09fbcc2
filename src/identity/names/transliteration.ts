import { spellingsBySystem, usualHanSpellings } from './han.ts';
import { foldHanVariant, hanReadingsOf } from './han-characters.ts';
import { kanaSpellings } from './kana.ts';
import { armenian, armenianInitials, georgian, hangul, koreanSurnames } from './other-scripts.ts';

/**
 * Each letter has up to seven spellings, one per system; a missing one is the first. A name is spelled in one system throughout, so that it
 * has few forms. Latin letters (ICAO 9303-3): without the mark, as two letters, as in machine-readable documents. Cyrillic: ICAO 9303-3,
 * English, BGN/PCGN 1947, scholarly, Ukrainian, English of newspapers (Yevgeny, Alexander), English with plain vowels (Alexei, Yuri).
 * Greek: ELOT 743, then older spellings.
 */
export type Spellings = readonly string[];

function parseSpellings(text: string): Spellings {
  return text.split(' ').map((spelling) => (spelling === '-' ? '' : spelling));
}

function parseSpellingTable(source: string): ReadonlyMap<string, Spellings> {
  return new Map(
    source
      .trim()
      .split('\n')
      .map((line) => {
        const [letter = '', ...spellings] = line.trim().split(' ');
        // Decomposed, like the texts that are looked up.
        return [letter.normalize('NFKD'), parseSpellings(spellings.join(' '))];
      }),
  );
}

/** Latin letters with spellings other than the letter without its mark. Keys are lower case and decomposed. */
const latin = parseSpellingTable(`
  ä a ae
  ö o oe
  ü u ue uxx
  å a aa
  ø o oe
  æ ae ae a
  œ oe oe o
  ñ n n nxx
  ß ss
  þ th
  ð d d dh
  đ d d dj
  ł l
  ħ h
  ŧ t
  ŋ n ng
  ĸ q
  ı i
  ə e a
  ɓ b
  ɗ d
  ƙ k
  ƴ y
`);

/** Systems in the order above; scholarly without marks. A hyphen means "omitted". */
const cyrillic = parseSpellingTable(`
  а a
  б b
  в v
  г g g g g h
  ґ g
  д d
  ђ d dj dj dj dj
  е e
  ё e yo e e yo yo e
  є ie ye ye je ie ye e
  ж zh zh zh z zh
  з z
  ѕ dz
  и i i i i y i i
  й i y y j i y i
  і i
  ї i yi yi ji i yi i
  ј j y j j j
  к k
  кс ks ks ks ks ks x x
  л l
  љ lj
  м m
  н n
  њ nj
  о o
  п p
  р r
  с s
  т t
  ћ c
  у u
  ў u w w u u w u
  ф f
  х kh kh kh h kh
  ц ts ts ts c ts ts ts
  ч ch ch ch c ch
  џ dz dzh dzh dz dz
  ш sh sh sh s sh
  щ shch shch shch sc shch
  ъ ie - - a - - -
  ы y
  ь -
  э e
  ю iu yu yu ju iu yu yu
  я ia ya ya ja ia ya ya
  ә a a a a e
  ғ g g gh g g
  қ k q q k k
  ң n ng ng n n
  ө o
  ұ u
  ү u
  һ h
`);

/** Systems: ELOT 743 twice, popular, classical, ELOT 743 again. Pairs are before single letters. */
const greek = parseSpellingTable(`
  α a
  β v v b b v
  γ g
  δ d
  ε e
  ζ z
  η i i i e i
  θ th
  ι i
  κ k k k c k
  λ l
  μ m
  ν n
  ξ x
  ο o
  π p
  ρ r
  σ s
  τ t
  υ y y i y y
  φ f f f ph f
  χ ch ch h ch ch
  ψ ps
  ω o
  ου ou
  γγ ng
  γξ nx
  γχ nch nch nh nch nch
`);

/** Arabic letters that keyboards and registers use for one another, and the tatweel, which only stretches a word. */
const arabic = parseSpellingTable(`
  ک ك
  ی ي
  ى ي
  ة ه
  ـ -
`);

const letters: ReadonlyMap<string, Spellings> = new Map([
  ...latin,
  ...cyrillic,
  ...greek,
  ...arabic,
  ...parseSpellingTable(georgian),
  ...parseSpellingTable(armenian),
  ...parseSpellingTable(hangul),
]);
const initials = parseSpellingTable(armenianInitials);
/** Korean surnames of one syllable. */
const surnames = parseSpellingTable(koreanSurnames);
const usualHan = usualHanSpellings();
const kana = kanaSpellings();
const greekVowelBefore = new Set(['α', 'ε', 'η']);
const greekVoiceless = new Set([...'θκξπσςτφχψ ']);

/** The spellings of a letter, the number of UTF-16 units after the letter that belong to it, and its form in its own script if different. */
type SpelledLetter = { readonly spellings: Spellings; readonly units: number; readonly own?: string };

/** The spelling of a letter depends on at most this number of UTF-16 units after it. */
export const maxLookahead = 3;

/**
 * The spellings of `letter` with its marks; undefined for a letter that is its own spelling. `after`: the text after the letter. `before`:
 * the previous letter, or a blank at the start of a word.
 */
export function spellingsOf(letter: string, marks: string, after: string, before: string): SpelledLetter | undefined {
  for (const mark of marks) {
    const composed = letters.get(letter + mark);
    if (composed !== undefined)
      return { spellings: mark === diaeresis ? softenVowel(letter, composed, before) : composed, units: 0 };
  }
  if (letter >= 'α' && letter <= 'ω') return greekSpelling(letter, marks, after, before);
  if (letter >= 'Ѐ' && letter < 'Ԁ') return cyrillicSpelling(letter, marks, after, before);
  if (letter >= '\u1100' && letter < '\u3040') return koreanSurname(letter, after, before) ?? spellLetter(letter);
  if (letter >= '\u3040' && letter <= '\u30ff') return kanaSpelling(letter, after);
  if (letter >= '\u2e80' && /\p{Script=Han}/u.test(letter)) return hanSpelling(letter);
  if (letter < '԰' || letter > '֏') return spellLetter(letter);
  const pair = letters.get(letter + after.charAt(0));
  if (pair !== undefined && after !== '') return { spellings: pair, units: 1 };
  const initial = before === ' ' ? initials.get(letter) : undefined;
  return initial === undefined ? spellLetter(letter) : { spellings: initial, units: 0 };
}

function spellLetter(letter: string): SpelledLetter | undefined {
  const spellings = letters.get(letter);
  return spellings === undefined ? undefined : { spellings, units: 0 };
}

/** The usual spellings of the table, otherwise the first reading in Mandarin. */
function hanSpelling(letter: string): SpelledLetter {
  const [pinyin] = hanReadingsOf(letter).mandarin;
  const spellings = usualHan.get(letter) ?? (pinyin === undefined ? [letter] : spellingsBySystem([pinyin]));
  return { spellings, units: 0, own: foldHanVariant(letter) };
}

/** The letter е is ye at the start of a word and after a vowel, й, ъ and ь (BGN/PCGN 1947). */
function cyrillicSpelling(letter: string, marks: string, after: string, before: string): SpelledLetter | undefined {
  if (letter === 'е') return { spellings: softenVowel(letter, spelledE, before), units: 0 };
  const pair = letter === 'к' && marks === '' && after.startsWith('с') ? letters.get('кс') : undefined;
  return pair === undefined ? spellLetter(letter) : { spellings: pair, units: 1 };
}

function softenVowel(letter: string, plain: Spellings, before: string): Spellings {
  return letter === 'е' && softBefore.has(before) ? (plain === spelledE ? spelledYe : spelledYo) : plain;
}

/** The surname of one syllable that is the whole word; undefined if the word is not a surname. */
function koreanSurname(letter: string, after: string, before: string): SpelledLetter | undefined {
  if (before !== ' ') return undefined;
  const rest = /^[\u1161-\u11ff]*/.exec(after)?.[0] ?? '';
  const next = after.charAt(rest.length);
  if (next >= '\u1100' && next <= '\u1112') return undefined;
  const spellings = surnames.get(letter + rest);
  return spellings === undefined ? undefined : { spellings, units: rest.length };
}

function kanaSpelling(letter: string, after: string): SpelledLetter | undefined {
  for (const units of [2, 1, 0]) {
    const found = kana.get(letter + after.slice(0, units));
    if (found !== undefined && units <= after.length)
      return { spellings: [found.spelling], units, own: found.hiragana };
  }
  return undefined;
}

function greekSpelling(letter: string, marks: string, after: string, before: string): SpelledLetter | undefined {
  // Upsilon after alpha, epsilon or eta is v, or f before a voiceless sound (ELOT 743). A diaeresis separates the two.
  if (letter === 'υ' && !marks.includes(diaeresis) && greekVowelBefore.has(before)) {
    return { spellings: greekVoiceless.has(after.charAt(0) || ' ') ? spelledF : spelledV, units: 0 };
  }
  const initial = before === ' ' ? greekInitials.get(letter + after.charAt(0)) : undefined;
  if (initial !== undefined) return { spellings: initial, units: 1 };
  const pair = letters.get(letter + after.charAt(0));
  if (pair !== undefined && marks === '') return { spellings: pair, units: 1 };
  return spellLetter(letter === 'ς' ? 'σ' : letter);
}

const diaeresis = '\u0308';
const softBefore = new Set([...' аеиоуыэюяіїєъь']);
const spelledE = parseSpellings('e');
const spelledYe = parseSpellings('e e ye e e ye e');
const spelledYo = parseSpellings('e yo ye e yo yo e');
const spelledF = parseSpellings('f f f u f');
const spelledV = parseSpellings('v v v u v');
const greekInitials: ReadonlyMap<string, Spellings> = new Map([
  ['μπ', parseSpellings('b')],
  ['ντ', parseSpellings('nt nt d')],
  ['γκ', parseSpellings('gk gk g')],
]);
