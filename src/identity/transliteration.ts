import { hanReadings } from './han.ts';

/**
 * How one written form stands for several others. Each letter has up to five spellings, one a system, and a name is
 * spelled by one system throughout, so that its forms stay few. For Latin letters (ICAO 9303-3): without the mark, as
 * two letters, as machine-readable documents wrote it. For Cyrillic: ICAO 9303-3, English, BGN, scholarly, Ukrainian.
 * For Greek: ELOT 743, then older habits.
 */
export const systems = 5;

type Spellings = readonly string[];

/** Five spellings from fewer: those that are not given are as the first. */
function spelled(text: string): Spellings {
  const given = text.split(' ').map((spelling) => (spelling === '-' ? '' : spelling));
  return Array.from({ length: systems }, (_, system) => given[system] ?? given[0] ?? '');
}

function table(source: string): ReadonlyMap<string, Spellings> {
  return new Map(
    source
      .trim()
      .split('\n')
      .map((line) => {
        const [letter = '', ...spellings] = line.trim().split(' ');
        // Decomposed like the text that is looked up in it.
        return [letter.normalize('NFKD'), spelled(spellings.join(' '))];
      }),
  );
}

/** Latin letters that lose something when only their marks are dropped; keys are lower case and decomposed. */
const latin = table(`
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

/** Systems: ICAO 9303-3, English, BGN, scholarly without marks, Ukrainian. A hyphen is "not written". */
const cyrillic = table(`
  а a
  б b
  в v
  г g g g g h
  ґ g
  д d
  ђ d dj dj dj dj
  е e
  ё e yo ye e yo
  є ie ye ye je ie
  ж zh zh zh z zh
  з z
  ѕ dz
  и i i i i y
  й i y y j i
  і i
  ї i yi yi ji i
  ј j y j j j
  к k
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
  ў u w w u u
  ф f
  х kh kh kh h kh
  ц ts ts ts c ts
  ч ch ch ch c ch
  џ dz dzh dzh dz dz
  ш sh sh sh s sh
  щ shch shch shch sc shch
  ъ ie - - a -
  ы y
  ь -
  э e
  ю iu yu yu ju iu
  я ia ya ya ja ia
  ә a a a a e
  ғ g g gh g g
  қ k q q k k
  ң n ng ng n n
  ө o
  ұ u
  ү u
  һ h
`);

/** Systems: ELOT 743 twice, popular, classical, ELOT 743 again. Pairs come before single letters. */
const greek = table(`
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

/** Arabic letters that keyboards and registers exchange, and the tatweel, which only stretches a word. */
const arabic = table(`
  ک ك
  ی ي
  ى ي
  ة ه
  ـ -
`);

const han = [...hanReadings()].map(
  ([character, readings]) => [character.normalize('NFKD'), spelled(readings.join(' '))] as const,
);

const letters: ReadonlyMap<string, Spellings> = new Map([...latin, ...cyrillic, ...greek, ...arabic, ...han]);
const greekVowelBefore = new Set(['α', 'ε', 'η']);
const greekVoiceless = new Set([...'θκξπσςτφχψ ']);

/** What stands at a place of a decomposed, lower-case text: how it is spelled, and how many UTF-16 units were read. */
export type Spelled = { readonly spellings: Spellings; readonly units: number };

/**
 * The spellings of `letter` with the marks that follow it; undefined where the letter stands for itself. `after` is the
 * rest of the text behind the letter, of which a Greek pair reads one letter more. `before` is the letter before.
 */
export function spellingsOf(letter: string, marks: string, after: string, before: string): Spelled | undefined {
  for (const mark of marks) {
    const composed = letters.get(letter + mark);
    if (composed !== undefined) return { spellings: composed, units: 0 };
  }
  if (letter >= 'α' && letter <= 'ω') return greekSpelling(letter, marks, after, before);
  const spellings = letters.get(letter);
  return spellings === undefined ? undefined : { spellings, units: 0 };
}

function greekSpelling(letter: string, marks: string, after: string, before: string): Spelled | undefined {
  // An upsilon behind alpha, epsilon or eta is v, or f before a voiceless sound (ELOT 743); a diaeresis parts them.
  if (letter === 'υ' && !marks.includes(diaeresis) && greekVowelBefore.has(before)) {
    return { spellings: greekVoiceless.has(after.charAt(0) || ' ') ? spelledF : spelledV, units: 0 };
  }
  if (letter === 'μ' && after.startsWith('π') && before === ' ') return { spellings: spelledB, units: 1 };
  const pair = letters.get(letter + after.charAt(0));
  if (pair !== undefined && marks === '') return { spellings: pair, units: 1 };
  const spellings = letters.get(letter === 'ς' ? 'σ' : letter);
  return spellings === undefined ? undefined : { spellings, units: 0 };
}

const diaeresis = '\u0308';
const spelledF = spelled('f f f u f');
const spelledV = spelled('v v v u v');
const spelledB = spelled('b');
