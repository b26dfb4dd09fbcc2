import { kanaRows } from './other-scripts.ts';

/** The Latin spelling and the hiragana of each kana, by its decomposed form with voicing mark and small ya, yu or yo. */
export function kanaSpellings(): ReadonlyMap<string, { readonly spelling: string; readonly hiragana: string }> {
  const hiragana = new Map<string, string>([
    ['っ', doubling],
    ['ー', ''],
  ]);
  for (const line of kanaRows.trim().split('\n')) {
    const [row = '', ...spellings] = line.split(' ');
    for (const [at, spelling] of spellings.entries()) hiragana.set([...row][at] ?? '', spelling);
  }
  for (const [kana, spelling] of [...hiragana]) {
    if (!/.i$/.test(spelling)) continue;
    const glide = /^(sh|ch|j)/.test(spelling) ? '' : 'y';
    for (const [small, vowel] of glides) hiragana.set(kana + small, `${spelling.slice(0, -1)}${glide}${vowel}`);
  }
  const found = new Map<string, { spelling: string; hiragana: string }>();
  for (const [kana, spelling] of hiragana) {
    const entry = { spelling, hiragana: kana.normalize('NFKD') };
    found.set(entry.hiragana, entry);
    found.set(katakanaOf(entry.hiragana), entry);
  }
  return found;
}

const glides = [
  ['ゃ', 'a'],
  ['ゅ', 'u'],
  ['ょ', 'o'],
] as const;

/** A placeholder in a spelling: the next consonant is doubled. */
const doubling = '\u3063';

function katakanaOf(hiragana: string): string {
  return hiragana.replace(/[\u3041-\u3096]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
}

/** Writes doubled consonants, and long vowels by system: omitted (passports), as in kana, or o with h (Ohno). */
export function finishKana(form: string, system: number): string {
  const doubled = form
    .replace(/\u3063(?=ch)/g, 't')
    .replace(/\u3063([a-z])/g, '$1$1')
    .replaceAll(doubling, '');
  if (system === 0) return doubled.replace(/o[ou]/g, 'o').replace(/uu/g, 'u');
  return system === 2 ? doubled.replace(/o[ou]/g, 'oh').replace(/uu/g, 'u') : doubled;
}
