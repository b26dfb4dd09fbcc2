/**
 * Reading a Latin spelling along a script that writes consonants and leaves most vowels to the reader: one letter of it,
 * with the vowels that may be heard before it and the spellings of the letter itself.
 */
export type Letter = { readonly vowels: readonly string[]; readonly sounds: readonly string[] };

/** Places of a Latin text, as bits: where reading has come to, its end included. */
export type ReadPositions = Uint8Array;

export function positionsAt(latin: string, ...positions: readonly number[]): ReadPositions {
  const marked = new Uint8Array(latin.length + 1);
  for (const place of positions) marked[place] = 1;
  return marked;
}

/** Where these letters can end when they begin at one of the places; undefined: nowhere. Each letter may be doubled. */
export function endPositions(
  letters: readonly Letter[],
  latin: string,
  positions: ReadPositions,
): ReadPositions | undefined {
  let current = positions;
  for (const { vowels, sounds } of letters) {
    const starts = endPositionsOfTexts(vowels, latin, current, false);
    const ends = starts && endPositionsOfTexts(sounds, latin, starts, true);
    if (ends === undefined) return undefined;
    current = ends;
  }
  return current;
}

/** Where one of the texts ends that begins at one of the places. */
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
        // Of a sound of two letters the first may be doubled alone: Asssharif.
        ends[place + text.length + 1] = 1;
        some = true;
      }
    }
  }
  return some ? ends : undefined;
}

function isConsonant(text: string): boolean {
  return text !== '' && !isVowel(text, 0);
}

export function isVowel(latin: string, place: number): boolean {
  return place < latin.length && 'aeiou'.includes(latin.charAt(place));
}
