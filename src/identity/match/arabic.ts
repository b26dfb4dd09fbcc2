/**
 * Whether a Latin spelling can be the Arabic one: short vowels are not written in Arabic, and every land spells them, and
 * doubles letters, as it likes (Mohammed, Muhamad, Mohamed). Each Arabic letter has to be found, in its order; what stands
 * between may be one vowel. Both are joined forms.
 */
export function spellsArabic(arabic: string, latin: string): boolean {
  let places = new Set([0]);
  let before = '';
  for (const letter of arabic) {
    const sounds = soundsOf[letter];
    if (sounds === undefined) return false;
    const next = new Set<number>();
    // The lam of the article is not heard before sun letters: Abdurrahman.
    if (letter === 'ل' && before === 'ا') for (const place of places) next.add(place);
    for (const place of places) for (const end of readings(latin, place, sounds)) next.add(end);
    if (next.size === 0) return false;
    places = next;
    before = letter;
  }
  return [...places].some((place) => place === latin.length || (place === latin.length - 1 && isVowel(latin, place)));
}

export function isArabic(form: string): boolean {
  return /^[\u0621-\u06ff ]+$/.test(form);
}

/** Where the letter can end that begins at this place, behind one short vowel at most. */
function readings(latin: string, place: number, sounds: readonly string[]): number[] {
  const ends: number[] = [];
  for (const start of isVowel(latin, place) ? [place, place + 1] : [place]) {
    for (const sound of sounds) {
      if (!latin.startsWith(sound, start)) continue;
      const end = start + sound.length;
      ends.push(end);
      const consonant = sound !== '' && !'aeiouyw'.includes(sound.charAt(0));
      if (consonant && latin.startsWith(sound, end)) ends.push(end + sound.length);
      if (
        consonant &&
        sound.length > 1 &&
        latin.startsWith(sound.charAt(0), start) &&
        latin.startsWith(sound, start + 1)
      )
        ends.push(end + 1);
    }
  }
  return ends;
}

function isVowel(latin: string, place: number): boolean {
  return place < latin.length && 'aeiou'.includes(latin.charAt(place));
}

const soundsOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  (
    'ا:,a,aa,e,i,o,u,ae|ء:,a|ب:b,p|ت:t|ث:th,s,t|ج:j,g,dj,dg|ح:h|خ:kh,k,h|د:d|ذ:dh,d,z,th|ر:r|ز:z|س:s,c|ش:sh,ch|ص:s|' +
    'ض:d,dh,z|ط:t|ظ:z,dh,d|ع:,a,aa,e,i,o,u|غ:gh,g|ف:f,ph|ق:q,k,g,c|ك:k,c|ل:l|م:m|ن:n|ه:h,,a,ah,e,eh|ة:h,,a,ah,e,eh,at,t|' +
    'و:w,v,o,u,ou,oo,aw,ow,au|ي:y,i,ee,ei,ai,ie,ey,ay,j,iy,ea|ى:a,i,y|پ:p|چ:ch|ژ:zh,j|گ:g|ک:k,c|ی:y,i,ee,ei,ai,ie'
  )
    .split('|')
    .map((entry) => {
      const [letter = '', sounds = ''] = entry.split(':');
      return [letter, sounds.split(',')] as const;
    }),
);
