import { endPositions, type Letter, parseSounds, positionsAt } from './consonant-script.ts';

/**
 * Whether a Latin spelling (without blanks) is a reading of Hebrew letters, which omit most vowels (כהן: Cohen, Kahan). Letters: ICAO 9303-3,
 * the national rules of 2006, and older spellings in passports.
 */
export function spellsHebrew(hebrew: string, latin: string): boolean {
  const letters: Letter[] = [...hebrew.replaceAll(' ', '')].map((letter, at) => ({
    vowels: anyVowel,
    sounds: at === 0 && letter === 'י' ? yod : (soundsOf[letter] ?? []),
  }));
  return endPositions(letters, latin, positionsAt(latin, 0))?.[latin.length] === 1;
}

/** Whether a form has only Hebrew letters. */
export function isHebrew(form: string): boolean {
  return /^[\u05d0-\u05ea ]+$/.test(form);
}

const anyVowel = ['', 'a', 'e', 'i', 'o', 'u'];
const yod = ['y', 'i', 'j'];
const soundsOf = parseSounds(
  'א:,a,e,i,o,u|ב:b,v|ג:g|ד:d|ה:h,a,e,ah,eh|ו:v,w,o,u,oo,ou|ז:z|ח:h,ch,kh|ט:t|י:y,i,j,ee,ei,ai|כ:k,c,kh,ch|ך:k,kh,ch|ל:l|' +
    'מ:m|ם:m|נ:n|ן:n|ס:s|ע:,a,e,i,o,u|פ:p,f,ph|ף:f,p,ph|צ:ts,tz,z|ץ:ts,tz,z|ק:k,c,q|ר:r|ש:sh,s,sch|ת:t,th',
);
