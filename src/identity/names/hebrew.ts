import { type Letter, parseSounds } from './letter-readings.ts';

/**
 * The letters of a Hebrew name, which omits most vowels (כהן: Cohen, Kahan). Spellings: ICAO 9303-3, the national rules of 2006, and older
 * ones in passports.
 */
export function hebrewLetters(name: string): readonly Letter[] {
  // A double yod or vav is one sound.
  return [...name.replace(/(?<=י)י|(?<=ו)ו/g, '')].map((letter, at, { length }) => {
    const inner = at > 0 && at + 1 < length ? innerSounds[letter] : undefined;
    return { vowels: anyVowel, sounds: inner ?? (at === 0 && letter === 'י' ? yod : (soundsOf[letter] ?? [])) };
  });
}

/** Whether a text has only Hebrew letters. */
export function isHebrew(text: string): boolean {
  return /^[\u05d0-\u05ea]+$/.test(text);
}

const anyVowel = ['', 'a', 'e', 'i', 'o', 'u'];
const yod = ['y', 'i', 'j', 'yi'];
const innerSounds: Readonly<Record<string, readonly string[]>> = { ה: ['h', ''] };
const soundsOf = parseSounds(
  'א:,a,e,i,o,u|ב:b,v|ג:g|ד:d|ה:h,a,e,o,ah,eh,oh|ו:v,w,o,u,oo,ou|ז:z,s|ח:h,ch,kh|ט:t|י:y,i,j,ee,ie,ei,ai,ay,ey,yi|כ:k,c,kh,ch|ך:k,kh,ch|ל:l|' +
    'מ:m|ם:m|נ:n|ן:n|ס:s|ע:,a,e,i,o,u|פ:p,f,ph|ף:f,p,ph|צ:ts,tz,z|ץ:ts,tz,z|ק:k,c,q|ר:r|ש:sh,s,sch,ss|ת:t,th',
);
