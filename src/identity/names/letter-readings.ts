/** A letter of a script that omits most vowels: the vowels that may precede it, and its Latin spellings. */
export type Letter = { readonly vowels: readonly string[]; readonly sounds: readonly string[] };

/** Reads a table of Latin spellings by letter: `ב:b,v|ג:g`. */
export function parseSounds(table: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    table.split('|').map((entry) => {
      const [letter = '', sounds = ''] = entry.split(':');
      return [letter, sounds.split(',')];
    }),
  );
}

/** The positions in a Latin text that a reading can have reached: 1 for each of them, the end of the text included. */
export type ReadPositions = Uint8Array;

/** A reading of `latin` that has reached these positions. */
export function positionsAt(latin: string, ...positions: readonly number[]): ReadPositions {
  const reached = new Uint8Array(latin.length + 1);
  for (const position of positions) reached[position] = 1;
  return reached;
}

/** The positions at which these letters can end if they start at one of `positions`; undefined if none. Letters may be doubled. */
export function endPositions(
  letters: readonly Letter[],
  latin: string,
  positions: ReadPositions,
): ReadPositions | undefined {
  let current = positions;
  for (const { vowels, sounds } of letters) {
    const starts = vowels === noVowel ? current : endPositionsOfTexts(vowels, latin, current, false);
    const ends = starts && endPositionsOfTexts(sounds, latin, starts, true);
    if (ends === undefined) return undefined;
    current = ends;
  }
  return current;
}

/** The positions at which one of the texts ends if it starts at one of `positions`; undefined if none. */
function endPositionsOfTexts(
  texts: readonly string[],
  latin: string,
  positions: ReadPositions,
  doubling: boolean,
): ReadPositions | undefined {
  const ends = positionsAt(latin);
  let some = false;
  for (let place = 0; place < positions.length; place += 1) {
    if (positions[place] === 0) continue;
    for (const text of texts) {
      if (latin.startsWith(text, place)) {
        const end = place + text.length;
        ends[end] = 1;
        some = true;
        if (doubling && isConsonant(text) && latin.startsWith(text, end)) ends[end + text.length] = 1;
      } else if (doubling && text.length > 1 && isConsonant(text) && latin.startsWith(text.charAt(0) + text, place)) {
        // The first letter of a two-letter sound may be doubled: Asssharif.
        ends[place + text.length + 1] = 1;
        some = true;
      }
    }
  }
  return some ? ends : undefined;
}

/** The vowels before a letter that none can precede. */
export const noVowel: readonly string[] = [''];

/** Whether the text has no vowel, so that it can be doubled. Whole syllables cannot. */
function isConsonant(text: string): boolean {
  return text !== '' && !isVowel(text, 0) && !isVowel(text, text.length - 1);
}

/** Whether the letter at this position is a vowel. */
export function isVowel(latin: string, position: number): boolean {
  return position < latin.length && 'aeiou'.includes(latin.charAt(position));
}
