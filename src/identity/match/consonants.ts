/**
 * Reading a Latin spelling along a script that writes consonants and leaves most vowels to the reader: one letter of it,
 * with the vowels that may be heard before it and the spellings of the letter itself.
 */
export type Letter = { readonly vowels: readonly string[]; readonly sounds: readonly string[] };

/** Places of a Latin text, as bits: where reading has come to, its end included. */
export type Places = Uint8Array;

export function placesAt(latin: string, ...places: readonly number[]): Places {
  const marked = new Uint8Array(latin.length + 1);
  for (const place of places) marked[place] = 1;
  return marked;
}

/** Where these letters can end when they begin at one of the places; undefined: nowhere. Each letter may be doubled. */
export function readingsOf(letters: readonly Letter[], latin: string, places: Places): Places | undefined {
  let current = places;
  for (const { vowels, sounds } of letters) {
    const starts = behind(vowels, latin, current, false);
    const ends = starts && behind(sounds, latin, starts, true);
    if (ends === undefined) return undefined;
    current = ends;
  }
  return current;
}

/** Where one of the texts ends that begins at one of the places. */
function behind(texts: readonly string[], latin: string, places: Places, doubling: boolean): Places | undefined {
  const ends = placesAt(latin);
  let some = false;
  for (let place = 0; place < places.length; place += 1) {
    if (places[place] === 0) continue;
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
