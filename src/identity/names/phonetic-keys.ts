/**
 * Keys of the sound of a Latin name without blanks: two spellings of one name share a key. Unlike search keys they keep the vowels and the
 * end of the name, so that Maria and Mario, Jan and Jana, Anna and Anne share none.
 */
export function phoneticKeysOf(name: string): readonly string[] {
  const european = applyRules(name, europeanRules);
  const keys = [european];
  if (canBeJapanese.test(name)) keys.push(`j${applyRules(name, japaneseRules)}`);
  // Ukrainian and Russian spell one letter as h and g: Serhii, Sergei.
  if (european.indexOf('h', 1) > 0) keys.push(european.charAt(0) + european.slice(1).replaceAll('h', 'g'));
  if (name.length >= 4) keys.push(`s${applyRules(name, asianRules)}`);
  return keys;
}

type Rules = readonly (readonly [RegExp, string])[];

function applyRules(name: string, rules: Rules): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), name);
}

/** Doubled letters count once. At the end of longer names -ei, -ii and -y are one (Sergei), and so are -ah and -a (Sarah). */
const doubledAndEnd: Rules = [
  [/(.)\1+/g, '$1'],
  [/(?<=.{3})[ei]i$/, 'i'],
  [/(?<=.{3})ah$/, 'a'],
];

/** Umlauts, and the spellings of one sound in German, English, French and Slavic languages. Capital letters are sounds of several letters. */
const europeanRules: Rules = [
  [/^(?:[jy]e|ie(?=v))/, 'e'],
  [/^(?:[jy](?=[aou])|i(?=u))/, 'Y'],
  [/schtsch|shch/g, 'S'],
  [/tsch|tch/g, 'C'],
  [/sch|sh/g, 'S'],
  [/ch(?=[rl]|ol)|ck|kh|qu?/g, 'k'],
  [/ch/g, 'C'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/ph|ff/g, 'f'],
  [/w/g, 'v'],
  [/(?<!^)v/g, 'f'],
  [/dt|th/g, 't'],
  [/(?<!^)t?[sz]/g, 's'],
  [/([aou])e(?=[^aeiouyl]|ll)/g, '$1'],
  [/[ea][iyj](?!$)/g, 'ai'],
  [/ee|[jy]/g, 'i'],
  [/ie(?!$|l)/g, 'i'],
  [/oo|ou/g, 'u'],
  [/dr$/, 'der'],
  ...doubledAndEnd,
];

/** Aspirates, long vowels and sibilants of South and Southeast Asia (Choudhury and Chowdhary, Lakshmi and Laxmi, Nattapong and Natthaphong). */
const asianRules: Rules = [
  [/(?<=[aei])wo/g, 'o'],
  [/ksh|x/g, 'ks'],
  [/sh/g, 's'],
  [/(?<=[bcdgjkpt])h/g, ''],
  [/(?:au|ou|ow|aw)(?![aeiou])/g, 'o'],
  [/w/g, 'v'],
  [/ee|y|ie(?!$)/g, 'i'],
  [/oo/g, 'u'],
  [/(?<=.{3})[aeiou]?ri$/, 'ri'],
  ...doubledAndEnd,
];

/** Japanese has none of these letters, and ends syllables in vowels or n. */
const canBeJapanese = /^[^lqvx]*[aeiouhn]$/;

/** Long vowels and the two systems of Japan (Sato and Satou, Shimizu and Simizu). */
const japaneseRules: Rules = [
  [/o[ou]|oh(?![aeiou])/g, 'o'],
  [/uu/g, 'u'],
  [/sh?i/g, 'syi'],
  [/ch?i|ti/g, 'tyi'],
  [/[jz]i/g, 'zyi'],
  [/sh/g, 'sy'],
  [/ch/g, 'ty'],
  [/j/g, 'zy'],
  [/tsu/g, 'tu'],
  [/fu/g, 'hu'],
  [/m(?=[bmp])/g, 'n'],
];
