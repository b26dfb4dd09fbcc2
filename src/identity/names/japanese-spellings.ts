import { kanaSpellings } from './kana.ts';

let kana: ReturnType<typeof kanaSpellings> | undefined;

/** The Latin spellings of a kana with its small ya, yu or yo. `isFirst`: at the start of the name, where it lengthens no vowel. */
export function kanaSounds(written: string, isFirst: boolean): readonly string[] {
  if (written === 'ー') return lengthening;
  if (written === 'っ' || written === 'ッ') return doubling;
  if (!isFirst && written in afterVowel) return afterVowel[written] ?? [];
  kana ??= kanaSpellings();
  return japaneseSpellings(kana.get(written.normalize('NFKD'))?.spelling ?? '');
}

const lengthening = ['', 'a', 'i', 'u', 'e', 'o', 'h'];
const doubling = ['', 'k', 's', 't', 'p', 'c'];
const afterVowel: Readonly<Record<string, readonly string[]>> = { う: ['u', '', 'h'], お: ['o', '', 'h'] };

/**
 * The spellings of a reading in Hepburn letters: long vowels as in passports, as in kana, or with h; Kunrei; m for n before b, m and p.
 * In readings of Han characters, q is a small tsu.
 */
export function japaneseSpellings(reading: string): string[] {
  if (reading === '') return [];
  const ends = reading.endsWith('q') ? doubling.map((sound) => reading.slice(0, -1) + sound) : [reading];
  return [
    ...new Set(
      ends.flatMap((hepburn) => {
        const passport = hepburn.replace(/o[ou]/g, 'o').replace(/uu/g, 'u');
        const nasal = [hepburn, passport].map((form) => form.replace(/n$/, 'm'));
        return [hepburn, passport, hepburn.replace(/o[ou]/g, 'oh'), ...nasal, toKunrei(hepburn), toKunrei(passport)];
      }),
    ),
  ];
}

function toKunrei(hepburn: string): string {
  return hepburn
    .replace(/shi/g, 'si')
    .replace(/chi/g, 'ti')
    .replace(/tsu/g, 'tu')
    .replace(/fu/g, 'hu')
    .replace(/ji/g, 'zi')
    .replace(/sh(?=[auo])/g, 'sy')
    .replace(/ch(?=[auo])/g, 'ty')
    .replace(/j(?=[auo])/g, 'zy');
}
