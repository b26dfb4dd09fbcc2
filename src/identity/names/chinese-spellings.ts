import { wadeGiles } from './han.ts';

/** The Latin spellings of a syllable of Pinyin: Pinyin with ü as passports and keyboards write it, and Wade-Giles without marks. */
export function mandarinSpellings(pinyin: string): string[] {
  const plain = ['u', 'yu', 'v'].map((vowel) => pinyin.replaceAll('ü', vowel));
  const taiwan = wadeGiles(pinyin);
  return [
    ...new Set([
      ...plain,
      taiwan,
      taiwan.replace(/^hs/, 'sh'),
      pinyin.replace(/^zh/, 'jh'),
      pinyin.replace(/^yi$/, 'i'),
    ]),
  ];
}

/**
 * The spellings of a syllable of Jyutping in Hong Kong. Its government has no strict system, so an initial or final has several spellings:
 * Tsang and Chan both begin with z or c, Kwok and Guo with gw.
 */
export function cantoneseSpellings(jyutping: string): string[] {
  const parts = /^(ng|gw|kw|[bpmfdtnlgkhwzcsj])?(.*)$/.exec(jyutping);
  const [, initial = '', final = ''] = parts ?? [];
  if (final === '') return initial === 'ng' ? ['ng', 'ang'] : initial === 'm' ? ['m'] : [];
  const isSibilant = 'zcs'.includes(initial || '-');
  const ends = isSibilant && final === 'i' ? ['i', 'ee', 'z', 'ze'] : (finals[final] ?? [final]);
  // Yue and Yuen begin with the vowel yu itself.
  const starts = initial === 'j' && final.startsWith('yu') ? [''] : (initials[initial] ?? [initial]);
  return [...new Set(starts.flatMap((start) => ends.map((end) => start + end)))];
}

const initials: Readonly<Record<string, readonly string[]>> = {
  b: ['p', 'b'],
  d: ['t', 'd'],
  g: ['k', 'g'],
  gw: ['kw', 'gw', 'k'],
  kw: ['kw', 'k'],
  ng: ['ng', ''],
  z: ['ch', 'ts', 'tz', 'j', 'c'],
  c: ['ch', 'ts'],
  s: ['s', 'sh'],
  j: ['y', ''],
  '': ['', 'ng'],
};

const finals: Readonly<Record<string, readonly string[]>> = {
  aa: ['a', 'ah'],
  aai: ['ai'],
  aau: ['au'],
  aam: ['am', 'aam'],
  aan: ['an'],
  aang: ['ang'],
  aap: ['ap'],
  aat: ['at'],
  aak: ['ak', 'ack'],
  am: ['am', 'um'],
  an: ['an', 'un'],
  at: ['at', 'ut'],
  e: ['e', 'eh'],
  ei: ['ei', 'i', 'ee', 'ay'],
  i: ['i', 'ee'],
  iu: ['iu', 'ew'],
  o: ['o', 'oh', 'or'],
  ou: ['o', 'ou', 'oo', 'u'],
  on: ['on', 'orn'],
  u: ['u', 'oo'],
  un: ['un', 'oon'],
  eoi: ['ui', 'oy', 'oi'],
  eon: ['un', 'on'],
  eot: ['ut'],
  oe: ['eu', 'er', 'o'],
  oeng: ['eung', 'ong'],
  oek: ['euk', 'eok'],
  yu: ['yu', 'ue', 'u', 'yue'],
  yun: ['yuen', 'uen', 'un'],
  yut: ['yuet', 'uet', 'ut'],
};
