import { arabicSkeletons, latinSkeleton, readingSkeletons } from './name-skeleton.ts';
import { type Forms, formsOf } from './normalise.ts';
import { stripOptionalWords } from './optional-words.ts';
import { usualReadings } from './script-letters.ts';
import { surnameSpellingsOf } from './syllable-variants.ts';

/**
 * Words before a family name that some offices write, omit or join with the name (van der, de la, bin, al), with their abbreviations, and
 * titles of nobility. Not used for given names: Al, Ben and Van are given names.
 */
const particles = new Set(
  (
    'van von vom vander der den ter ten te v vd de del della dello degli delle dei di da do dos das du des d la le las los lo ' +
    'dela delas delos dal dalla el al ad as ar ash at bin binti binte bte bt ibn ben bint abu af av zu zum zur und y e i ap ab verch ' +
    'ferch ka graf grafin graefin frhr freiherr freifrau freiin baron baronin edler ritter'
  ).split(' '),
);

/** Particles of single letters: s/o, d/o, a/l and a/p (son, daughter of), v.d. and v.u.z. (van der, von und zu), van 't. */
const letterParticles = /(?:^| )(?:[sdw] o|a [lp]|v d|v u z|(?:van|in|op) t)(?= |$)/g;

/** The family name without its particles, which may also follow it (Meer, van der). A name of particles alone stays. */
export function withoutParticles(form: string): string {
  if (!form.includes(' ')) return form;
  let words = form.split(' ');
  if (words.some((word) => word.length === 1)) words = form.replaceAll(letterParticles, '').trim().split(' ');
  const others = words.filter((word) => word !== '' && !particles.has(word));
  return others.length === 0 ? form : others.join(' ');
}

/**
 * The search keys of a claimed name: the approximate sound of each of its forms, with and without particles, titles and suffixes. Two
 * names that compare as the same share a key, except an Arabic or Hebrew claim and a Latin record. Keys only find candidates; comparison decides.
 */
export function nameSearchKeys(forms: Forms): string[] {
  const skeletons = forms.flatMap((form) => (isLatin(form) ? latinSkeleton(form) : skeletonsOf(form)));
  const own = forms.at(-1) ?? '';
  const readings = (isLatin(own) ? surnameSpellingsOf(own) : usualReadings(own)).map(soundOf);
  return [...new Set([...soundsOf(forms), ...skeletons, ...readings])].slice(0, maxSearchKeys);
}

/** More keys only find more spellings. */
const maxSearchKeys = 160;

/**
 * The search keys to store for a registered name; the first is the key of the record. A Latin name with diacritics needs only the keys
 * without them, because a claim has both. In other scripts blanks change the reading (γγ), so the name as written is a key too.
 */
export function storedNameKeys(name: string): string[] {
  const forms = formsOf(name);
  const [only = ''] = forms;
  if (forms.length === 1 && !only.includes(' ') && isLatin(only)) return [soundOf(only)];
  const [first = '', ...others] = soundsOf(forms);
  const latin = [first, ...others].some(isLatin);
  const skeletons = forms.flatMap((form) => (isLatin(form) ? [] : skeletonsOf(form)));
  return [
    ...new Set([first, ...others.filter((key) => !latin || isLatin(key) || otherScript.test(key)), ...skeletons]),
  ];
}

/** The skeletons of a form in another script. Readings without consonants have no skeleton, so their sounds are keys. */
function skeletonsOf(form: string): string[] {
  const skeletons = readingSkeletons(form);
  const filled = [...arabicSkeletons(form), ...skeletons.filter((skeleton) => skeleton.length > 1)];
  return filled.length > 0 && filled.length === skeletons.length
    ? filled
    : [...filled, ...usualReadings(form).map(soundOf)];
}

/** The keys of one reading of a name, for counting failed verifications. */
export type LimiterNameKeys = readonly [sound: string, skeleton: string];

/**
 * The keys by which failed verifications with a name are counted, for each reading that could match a record: first without titles,
 * suffixes and particles, then with them. Attack: splitting a name adds words that look like particles (`Dani el s` compares as Daniels),
 * so both readings are counted (test/attacks/verification-limit-split-names.test.ts). Consonants are a key because a name in Arabic
 * letters is found by a spelling with any vowels.
 */
export function limiterNameKeysOf(forms: readonly string[]): readonly [LimiterNameKeys, ...LimiterNameKeys[]] {
  const [form = '', ...others] = latinFormsOrFirst(forms).map((one) => one.slice(0, 2 * maxKeyTextLength));
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

/** The Latin forms; if there are none, the first form. */
export function latinFormsOrFirst(forms: readonly string[]): readonly string[] {
  const latin = forms.filter(isLatin);
  return latin.length === 0 ? forms.slice(0, 1) : latin;
}

function limiterKeysOfReading(name: string): LimiterNameKeys {
  // Passports write Ü and Ñ as UXX and NXX (ICAO 9303-3).
  const [skeleton = ''] = isLatin(name) ? latinSkeleton(name.replaceAll(/(?<=[un])xx/g, '')) : arabicSkeletons(name);
  // Without the prefix that all skeletons share.
  return [soundOf(name).slice(0, maxKeyTextLength), skeleton.slice(1)];
}

/** Longer texts are truncated in the keys that count failures. Truncated texts share keys, so that more of them count together. */
export const maxKeyTextLength = 64;

/** The name without its titles and suffixes. */
function withoutOptionalWords(form: string): string {
  const { form: less } = stripOptionalWords(form);
  return less === form ? form : withoutOptionalWords(less);
}

/** The sounds of a name: first without titles, suffixes and particles, then with them. */
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

/**
 * The search key of a street with its house number; undefined without a street. A number, because an index over texts would slow down
 * imports. Collisions are harmless: comparison decides.
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

/** Characters after the Latin blocks of Unicode. */
const otherScript = /[\u0370-\u1dff\u2e80-\uffff]/;

function isLatin(form: string): boolean {
  return /^[\u0020-\u007e]*$/.test(form);
}

/** Letter groups that transliteration systems write differently; the longest match first. */
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
