import { arabicSkeletons, latinSkeleton } from './name-skeleton.ts';
import { type Forms, formsOf } from './normalise.ts';
import { stripOptionalWords } from './optional-words.ts';

/**
 * Words before a family name that one office writes, another leaves out and a third runs together (van der, de la, bin,
 * al). Given names are never looked up here: Al, Ben and Van are people.
 */
const particles = new Set(
  (
    'van von vom vander der den ter ten te de del della dello degli delle dei di da do dos das du des d la le las los lo ' +
    'el al ad as ar ash at bin ibn ben bint abu af av zu zum zur und y e i'
  ).split(' '),
);

/** The family name without its particles; the last word is the name itself, whatever it looks like. */
export function withoutParticles(form: string): string {
  if (!form.includes(' ')) return form;
  const words = form.split(' ');
  return words.filter((word, at) => at === words.length - 1 || !particles.has(word)).join(' ');
}

/**
 * The keys under which a name is searched: the coarse sound of its letters in each of its forms, with particles, titles and
 * suffixes and without.
 * Two names that count as the same share a key, apart from an Arabic claim beside a Latin record. Keys find candidates;
 * whether one fits is decided by comparing it. None for no name.
 */
export function nameSearchKeys(forms: Forms): string[] {
  const skeletons = forms.flatMap((form) => (isLatin(form) ? latinSkeleton(form) : arabicSkeletons(form)));
  return [...new Set([...soundsOf(forms), ...skeletons])];
}

/**
 * The keys under which a register keeps a name, that of its record first. A Latin name with marks needs none with marks
 * beside those without: whoever claims it so has all of them. In another script blanks change how a name is read (γγ), so
 * that the name as it is written is a key as well.
 */
export function storedNameKeys(name: string): string[] {
  const forms = formsOf(name);
  const [only = ''] = forms;
  if (forms.length === 1 && !only.includes(' ') && isLatin(only)) return [soundOf(only)];
  const [first = '', ...others] = soundsOf(forms);
  const latin = [first, ...others].some(isLatin);
  const skeletons = forms.flatMap((form) => (isLatin(form) ? [] : arabicSkeletons(form)));
  return [
    ...new Set([first, ...others.filter((key) => !latin || isLatin(key) || otherScript.test(key)), ...skeletons]),
  ];
}

/** The keys of one reading of a name, by which wrong guesses are counted. */
export type LimiterNameKeys = readonly [sound: string, skeleton: string];

/**
 * The keys by which wrong guesses about a name are counted, of each form by which it may be the name of a record: its sound, and
 * its consonants, for a name in Arabic letters is found by any vowels; without titles, suffixes and particles first, then with
 * what of them is stated. Names are the same by either, and which words are some is not known: `Dani el s` has a particle, and
 * is Daniels (test/attacks/verification-limit-split-names.test.ts).
 */
export function limiterNameKeysOf(forms: readonly string[]): readonly [LimiterNameKeys, ...LimiterNameKeys[]] {
  const [form = '', ...others] = latinFormsOrFirst(forms);
  const first = limiterKeysOfReading(withoutParticles(withoutOptionalWords(form)));
  if (others.length === 0 && !form.includes(' ')) return [first];
  const readings = [form, ...others].flatMap((one) => [
    withoutParticles(withoutOptionalWords(one)),
    withoutOptionalWords(one),
    one,
  ]);
  const all = new Map(readings.map((name) => limiterKeysOfReading(name)).map((keys) => [keys.join(), keys]));
  all.delete(first.join());
  return [first, ...all.values()];
}

/** The forms in Latin letters, as each script but a few is compared; of another one its own. */
export function latinFormsOrFirst(forms: readonly string[]): readonly string[] {
  const latin = forms.filter(isLatin);
  return latin.length === 0 ? forms.slice(0, 1) : latin;
}

function limiterKeysOfReading(name: string): LimiterNameKeys {
  // UXX and NXX are how passports write Ü and Ñ (ICAO 9303-3).
  const [skeleton = ''] = isLatin(name) ? latinSkeleton(name.replaceAll(/(?<=[un])xx/g, '')) : arabicSkeletons(name);
  // Its first letter tells people apart; the sign before it is that of all skeletons.
  return [soundOf(name), skeleton.slice(1)];
}

/** The name without titles and suffixes, of which there may be several. */
function withoutOptionalWords(form: string): string {
  const { form: less } = stripOptionalWords(form);
  return less === form ? form : withoutOptionalWords(less);
}

/** The sounds of a name: without titles, suffixes and particles first, then with what of them is stated. */
function soundsOf(forms: Forms): string[] {
  const keys = forms.flatMap((form) =>
    form.includes(' ')
      ? [
          soundOf(withoutParticles(withoutOptionalWords(form))),
          soundOf(withoutOptionalWords(form)),
          soundOf(withoutParticles(form)),
          soundOf(form),
        ]
      : [soundOf(form)],
  );
  return [...new Set(keys)].filter((key) => key !== '');
}

/** The key of the record of somebody with this family name; empty for no name. */
export function familyKey(familyName: string | undefined): string {
  return familyName === undefined ? '' : (storedNameKeys(familyName)[0] ?? '');
}

/**
 * The key of a street with its house number, for those who live there: a number, since an index of the texts would
 * slow every import; two streets of one key are told apart by comparing. Undefined for none.
 */
export function streetKey(street: string | null | undefined): number | undefined {
  const form = formsOf(street ?? '')[0] ?? '';
  if (form === '') return undefined;
  let [high, low] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < form.length; at += 1) {
    const code = form.charCodeAt(at);
    if (code === 0x20) continue;
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
  }
  return (high >>> 16) * 2 ** 32 + (low >>> 0);
}

function soundOf(form: string): string {
  const joined = form.replaceAll(' ', '');
  const key = joined.replace(soundPattern, (found) => sounds[found] ?? '').replace(/(.)\1+/gsu, '$1');
  return key === '' ? joined : key;
}

/** What comes behind the Latin letters of Unicode with their marks. */
const otherScript = /[\u0370-\u1dff\u2e80-\uffff]/;

function isLatin(form: string): boolean {
  return /^[\u0020-\u007e]*$/.test(form);
}

/** Spellings that systems of transliteration exchange; the longest are tried first. */
const sounds: Readonly<Record<string, string>> = {
  shch: 'sc',
  uxx: 'u',
  nxx: 'n',
  sh: 's',
  ch: 'c',
  zh: 'z',
  kh: 'h',
  ts: 'c',
  ph: 'f',
  th: 't',
  ae: 'a',
  oe: 'o',
  ue: 'u',
  ie: 'i',
  y: 'i',
  j: 'i',
};
const soundPattern = /shch|uxx|nxx|sh|ch|zh|kh|ts|ph|th|ae|oe|ue|ie|y|j/g;
