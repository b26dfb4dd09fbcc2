import { latinSpelling } from '../../kernel/latin-spelling.ts';
import { parseSounds } from './letter-readings.ts';

/** Alphabets and syllabaries that any-ascii reads: Cyrillic, Armenian, Indic scripts, Thai, Ethiopic, Georgian, Khmer. */
export const readableByLetters = /[\u0400-\u058f\u0900-\u0dff\u0e00-\u0e7f\u10a0-\u10ff\u1200-\u139f\u1780-\u17ff]/;

/** The Latin spellings of consonants that any-ascii spells so. A missing one has this spelling only. */
const consonants = parseSounds(
  'b:b,bh,p,v|bh:bh,b,v|c:ch,c|ch:ch,c,tch,tsch,tj|chh:chh,ch|d:d,dh|dh:dh,d,th|dz:dz,z,ds|g:g,gh|gh:gh,g|gn:gn,ny,n|h:h,|j:j,dj,z,jh,y,dz|' +
    'jh:jh,j,z|k:k,c,q,kk|kh:kh,k,h,ch,x|l:l,ll|m:m|n:n,ng,ny|ny:ny,gn,n,nh|p:p,ph|ph:ph,f,p|q:q,k|r:r|s:s,sh,ss,c|sh:sh,s,sch|shch:shch,sch,schtsch,sc|' +
    't:t,th|th:th,t|ts:ts,tz,c,z,s|v:v,w,b,f|w:w,v,u,|x:x,kh,h|y:y,i,j|z:z,s,dh|zh:zh,j,z,sch,l',
);
const vowels = parseSounds(
  'a:a,aa,ah|ai:ai,ay,ei,ey,e,oi,y|au:au,ou,ow,o,aw,av|ae:ae,e,a,ai|e:e,ay,ai,ae,ey,ei,ee|i:i,ee,y,ie,e,ey|ii:i,ee,y|o:o,oh,oo,ow,u|' +
    'oo:oo,o|u:u,oo,ou,o|uu:u,oo,ou|ya:ya,ia,ja|yo:yo,io,jo,e,o|yu:yu,iu,ju,u,ou|ye:ye,e,je,ie',
);

/** Letters that any-ascii spells too narrowly for names. */
const characters = parseSounds(
  // Cyrillic.
  'г:g,h,gh|ґ:g|е:e,ye,je,ie|ё:e,yo,jo,io,o|є:ye,ie,je,e|й:y,i,j,|х:kh,h,ch,x|ы:y,i|ь:,y,i,j|ъ:,ie|ю:yu,ju,iu,u,iou|я:ya,ja,ia,a|щ:shch,sch,schtsch,sht|' +
    // Armenian, Eastern and Western.
    'բ:b,p|գ:g,k|դ:d,t|կ:k,g|պ:p,b|տ:t,d|ծ:ts,dz|ձ:dz,ts|ճ:ch,j,tch|ջ:j,ch,dj|ե:e,ye|ո:o,vo|ւ:v,u,|յ:y,h,i|ը:e,y,' +
    // Devanagari and Bengali.
    '|ृ:ri,ru,r,ir|ऋ:ri,ru|ং:ng,n,m|ं:n,m,ng,|ँ:n,m,|ঁ:n,|ः:h,|ড়:r,d|ড:d,r|ड:d,r,dh|ढ:dh,rh,d|য:j,y,z|ব:b,v,w|व:v,w,b|ও:o,w|ओ:o|এ:e,a|অ:o,a|া:a,aa,o,e|आ:a,aa|अ:a,u|\ue000:ksh,x,ks,kh,chh|ወ:we,wo,wa' +
    // Khmer.
    '|ា:a,ea|ិ:i,e|ី:i,y,ey,ei,ee|ឹ:eu,u,oe,e,i|ឺ:eu,ueu,oeu|ុ:o,u,ou|ូ:ou,o,u,oo|ួ:uo,ua,ou|ើ:aeu,eu,oe,er|ឿ:oeu,eua,oe|ៀ:ie,ea,ia|េ:e,ei,ey|ែ:ae,e,ea|ៃ:ai,ey,ay,y|' +
    'ោ:ao,o,or,oa|ៅ:ao,au,ov,ow|ំ:am,um,om,m,im|ះ:ah,as,eah,h|័:a,ea|អ:,a,o|ក:k,kh|គ:k,g|ដ:d,t|ឌ:d,t|វ:v,w|ញ:nh,ny,gn,n|ឆ:chh,ch|ឈ:chh,ch|ឡ:l|រ:r,',
);

/** The Thai letters: consonants as they sound at the start and end of a syllable, vowels in common spellings. */
const thai = parseSounds(
  'ก:k,g|ข:kh,k|ค:kh,k|ฆ:kh,k|ง:ng|จ:j,ch,t|ฉ:ch|ช:ch,t|ซ:s|ฌ:ch|ญ:y,n|ฎ:d,t|ฏ:t,d|ฐ:th,t|ฑ:th,t,d|ฒ:th,t|ณ:n|ด:d,t|ต:t,d|ถ:th,t|ท:th,t|ธ:th,t|น:n|บ:b,p|' +
    'ป:p,b|ผ:ph,p|ฝ:f|พ:ph,p,bh|ฟ:f,ph|ภ:ph,p,bh|ม:m|ย:y,i,ya,a,|ร:r,n,l,|ฤ:rue,ri,ru,roe|ล:l,n|ว:w,v,ua,u,o,|ศ:s,t|ษ:s,t|ส:s,t|ห:h,|ฬ:l|อ:,o,or,aw,er|ฮ:h|' +
    'ะ:a,|ั:a,u|า:a,aa,ar,ah,ao|ำ:am,um|ิ:i,ee,oe,|ี:i,ee,ea|ึ:ue,u,eu|ื:ue,u,eu,uea,ua|ุ:u,oo,|ู:u,oo,ou|เ:e,ay,ae,a,o,oe,er,|แ:ae,a,e|โ:o,oh|ใ:ai,i,ay|ไ:ai,i,ay|็:,|ๆ:',
);

const ethiopic = /[\u1200-\u139f]/;

/** Removes what is not read, and moves Thai vowels to where they are read. */
export function silentLetters(name: string): string {
  return name
    .replace(/(?:[ดตทชก]ร|[\u0e01-\u0e2e])[\u0e34\u0e38]?\u0e4c/g, '')
    .replace(/[\u0e40-\u0e44]([กขคตปพ]ร|[\u0e01-\u0e2e])/g, (text) => text.slice(1) + text.charAt(0))
    .replace(/[\u0e47-\u0e4e\u093c\u09bc\u17c9-\u17cf\u17d3]/g, '')
    .replace(/รร(?=[\u0e01-\u0e2e])/g, 'ั')
    .replace(/รร/g, 'ัน')
    .replace(/[ដតទឌ]្(?=[ឋថធឍ])/g, '')
    .replace(/ज्ञ/g, 'ग्य')
    .replace(/क्ष|ক্ষ/g, '\ue000');
}

/**
 * The Latin spellings of a character of these scripts; of its consonant and its vowel apart, because consonants may be doubled. Empty if it
 * is not read.
 */
export function soundsOfCharacter(character: string): readonly (readonly string[])[] {
  const known = characters[character] ?? thai[character];
  if (known !== undefined) return [known];
  const spelled = latinSpelling(character)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  if (spelled === '') return [];
  const [, start = '', end = ''] = /^(ya|yo|yu|ye|[^aeiou]*)(.*)$/.exec(spelled) ?? [];
  const starts = consonants[start] ?? vowels[start] ?? [start];
  // The sixth order has no vowel, or a short one that is not written.
  const ends = end === '' && ethiopic.test(character) ? ['', 'e', 'i'] : (vowels[end] ?? [end]);
  return [starts, ends];
}
