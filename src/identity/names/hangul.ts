import { koreanSurnames } from './other-scripts.ts';

// The spellings of the letters of a syllable, in the order of Unicode: Revised Romanisation, McCune-Reischauer without marks, and the spellings
// that passports have.
const initials =
  'g,k/kk,gg,k,g/n/d,t/tt,dd,t,d/r,l,n,/m/b,p,v/pp,bb,p,b/s,sh/ss,s/,y/j,ch,z/jj,tch,j,ch/ch/k/t/p/h'.split('/');
const vowels = (
  'a,ah/ae,ai,ay,e/ya,yah,ia/yae,ye/eo,u,o,uh,eu,er/e,eh,ae/yeo,you,yo,yu,eo,ye,yuh,u/ye,e,yea/o,oh/wa,oa/wae,wai,we/oe,oi,we/yo,yoh/' +
  'u,oo,ou,woo,wu/wo,weo,uo/we,wae/wi,wee,ui,we/yu,yoo,you,ew,u/eu,u,oo,e/ui,ee,i,eui,yi,wi/i,ee,y,ie'
).split('/');
const finals =
  '/k,g,ck,c/k,g/k,g/n/n/n/t,d/l,ll,r/k,l,lk/m,lm/l,p,lb/l/l/p/l/m/b,p/p/t,d,s/t,d,s/ng/t,j/t/k/t/p/t,h,'.split('/');
const firstSyllable = 0xac00;

const surnames: ReadonlyMap<string, readonly string[]> = new Map(
  koreanSurnames
    .trim()
    .split('\n')
    .map((line) => {
      const [syllable = '', ...spellings] = line.split(' ');
      return [syllable, spellings];
    }),
);

/** The Latin spellings of a syllable (NFC) in any system; as a surname too if it is the first of a name. */
export function hangulSpellings(syllable: string, isFirst: boolean): string[] {
  const index = syllable.charCodeAt(0) - firstSyllable;
  const parts = [initials[Math.floor(index / 588)], vowels[Math.floor((index % 588) / 28)], finals[index % 28]];
  const [starts, middles, ends] = parts.map((part = '') => part.split(','));
  const regular = (starts ?? []).flatMap((start) =>
    (middles ?? []).flatMap((middle) => (ends ?? []).map((end) => start + middle + end)),
  );
  return [...new Set([...regular, ...(isFirst ? (surnames.get(syllable) ?? []) : [])])];
}

/** The spellings of each surname of one syllable. */
export function koreanSurnameSpellings(): (readonly string[])[] {
  return [...surnames.values()];
}
