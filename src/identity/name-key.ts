import { type Forms, formsOf } from './normalise.ts';

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
 * The key under which a family name is found in a register: the coarse sound of its letters, the same for all forms
 * that count as equal. It finds candidates; whether one fits is decided by comparing it. Empty for no name.
 */
export function familyKey(familyName: string | undefined): string {
  if (familyName === undefined) return '';
  return keyOf(formsOf(familyName));
}

/** The key of a name whose forms are at hand. */
export function keyOf(forms: Forms): string {
  const joined = withoutParticles(forms[0] ?? '').replaceAll(' ', '');
  const key = joined.replace(soundPattern, (found) => sounds[found] ?? '').replace(/(.)\1+/gsu, '$1');
  return key === '' ? joined : key;
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
