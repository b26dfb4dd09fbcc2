import { memoize } from '../../kernel/lru-cache.ts';
import { cantoneseSpellings, mandarinSpellings } from './chinese-spellings.ts';
import { hanReadingsOf } from './han-characters.ts';
import { hangulSpellings } from './hangul.ts';
import { hebrewLetters, isHebrew } from './hebrew.ts';
import { japaneseSpellings, kanaSounds } from './japanese-spellings.ts';
import { endPositions, type Letter, noVowel, positionsAt } from './letter-readings.ts';
import { readableByLetters, silentLetters, soundsOfCharacter } from './script-sounds.ts';

/**
 * Whether a text in Latin letters (without blanks) is a reading of a name in its own script (the last of its forms), in any mix of
 * transliteration systems. Always false for scripts that are not read here: Latin, Arabic, and those without data.
 */
export function isScriptReading(name: string, latin: string): boolean {
  const start = positionsAt(latin, 0);
  return scriptLettersOf(name).some((letters) => endPositions(letters, latin, start)?.[latin.length] === 1);
}

/**
 * The letters of a name in its own script, each with its Latin spellings, in each language that uses the script; empty if it is not read.
 */
export const scriptLettersOf = memoize<readonly (readonly Letter[])[]>(2_000, readLetters);

/** The most usual readings of a name in its own script, at most 24; without the vowels that Hebrew omits. Search keys need them. */
export function usualReadings(name: string): string[] {
  return scriptLettersOf(name).flatMap((letters) => {
    let readings: readonly string[] = [''];
    for (const { vowels, sounds } of letters) {
      const ranked = readings.flatMap((reading, rank) =>
        sounds.slice(0, 8).map((sound, at) => ({ reading: reading + (vowels[1] ?? '') + sound, rank: rank + at })),
      );
      readings = ranked
        .sort((one, other) => one.rank - other.rank)
        .slice(0, 8)
        .map(({ reading }) => reading);
      if ((readings[0] ?? '').length > 64) return [];
    }
    return readings;
  });
}

const han = /\p{Script=Han}/u;
const readableScripts = new RegExp(`${readableByLetters.source}|[\\u3041-\\u30ff\\uac00-\\ud7a3]|${han.source}`, 'u');
/** A consonant of an abugida: a vowel that is not written may follow it. */
const abugidaConsonant = /[\u0904-\u0939\u0958-\u0961\u0985-\u09b9\u09dc-\u0dc6\u0e01-\u0e2e\u1780-\u17a2]/;
const vowelSign = /(?![\u0901\u0902\u0981\u0982])[\p{M}\u0e2f-\u0e45]/u;
const unwrittenVowels = ['', 'a', 'o', 'u', 'e', 'i', 'or'];
/** A name that ends in a cluster, or that is in a script of South India: the vowel at its end is read (Krishna). */
const readsFinalVowel = /[\u094d\u09cd].$|[\u0b80-\u0dff]$/u;

function readLetters(name: string): readonly (readonly Letter[])[] {
  const joined = name.replaceAll(' ', '');
  if (isHebrew(joined)) return [hebrewLetters(joined)];
  if (!readableScripts.test(joined)) return [];
  const text = silentLetters(joined.normalize('NFC')).replace(/(.)々/gu, '$1$1');
  if (!han.test(text)) return [readCharacters(text, noReadings)];
  const languages = kana.test(text) ? [japaneseReadings] : [mandarinReadings, cantoneseReadings, japaneseReadings];
  return languages.map((readingsOf) => readCharacters(text, readingsOf));
}

const kana = /[\u3041-\u30ff]/;
/** The readings of a Han character in one language. */
type ReadingsOf = (character: string) => readonly string[];
const noReadings: ReadingsOf = () => [];
const mandarinReadings: ReadingsOf = (character) => hanReadingsOf(character).mandarin.flatMap(mandarinSpellings);
const cantoneseReadings: ReadingsOf = (character) => hanReadingsOf(character).cantonese.flatMap(cantoneseSpellings);
const japaneseReadings: ReadingsOf = (character) => hanReadingsOf(character).japanese.flatMap(japaneseSpellings);

function readCharacters(text: string, hanReadings: ReadingsOf): readonly Letter[] {
  const letters: Letter[] = [];
  let isBare = false;
  for (const character of text.match(/[ぁ-ヺ][ゃゅょャュョ]?|./gu) ?? []) {
    const parts = han.test(character) ? [hanReadings(character)] : soundsOf(character, letters.length === 0);
    let vowels = isBare && !vowelSign.test(character) ? unwrittenVowels : noVowel;
    for (const sounds of parts) {
      if (sounds.length > 0) letters.push({ vowels, sounds });
      vowels = noVowel;
    }
    isBare = abugidaConsonant.test(character);
  }
  if (isBare && readsFinalVowel.test(text)) letters.push({ vowels: noVowel, sounds: ['', 'a', 'u', 'o'] });
  return letters;
}

/** The Latin spellings of each part of a character. */
function soundsOf(character: string, isFirst: boolean): readonly (readonly string[])[] {
  if (character >= '가' && character <= '힣') return [hangulSpellings(character, isFirst)];
  if (character >= 'ぁ' && character <= 'ヿ') return [kanaSounds(character, isFirst)];
  return character < '\u0080' ? [[character]] : soundsOfCharacter(character);
}
