import { finishKana } from './kana.ts';
import { maxLookahead, type Spellings, spellingsOf } from './transliteration.ts';

/**
 * The forms of a text for comparison, the most exact first: lower-case words with single blanks. Two texts are the same if they share a
 * form. Not empty unless the text is blank.
 */
export type Forms = readonly string[];

/** The form for storage and hashing: NFC, with white space trimmed and collapsed. */
export function toStoredText(text: string): string {
  if (isTidy(text)) return text;
  return collapse(isPlain(text) ? text : text.normalize('NFC'));
}

function collapse(text: string): string {
  return /^\s|\s$|\s\s|[^\S ]/.test(text) ? text.trim().replace(/\s+/g, ' ') : text;
}

/** Whether the text is visible ASCII with single blanks: the usual case of an import. */
function isTidy(text: string): boolean {
  let before = 0x20;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7f || (code === 0x20 && before === 0x20)) return false;
    before = code;
  }
  return before !== 0x20 || text === '';
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** The forms of a name, place or street in any script. Linear time; every text has a form. */
export function formsOf(text: string): Forms {
  if (isPlain(text)) {
    const lower = text.toLowerCase();
    const form = /[^a-z0-9]/.test(lower) ? lower.replace(/[^a-z0-9]+/g, ' ').trim() : lower;
    return form === '' ? [text.trim()] : [form];
  }
  const folded = text.normalize('NFKD').toLowerCase();
  const forms = new Set<string>();
  for (const spelled of spellInSystems(folded)) {
    const form = tidy(spelled);
    if (form !== '') forms.add(form);
  }
  // A text of symbols only is its own form.
  return forms.size === 0 ? [folded.trim()] : [...forms];
}

function tidy(form: string): string {
  const collapsed = /^ | $| {2}/.test(form) ? form.trim().replace(/ {2,}/g, ' ') : form;
  return isPlain(collapsed) ? collapsed : collapsed.normalize('NFC');
}

/**
 * Combining marks that do not distinguish names: Latin, Greek and Cyrillic diacritics, Arabic and Hebrew points, variation selectors.
 * Vowel signs of Indic scripts and voicing marks of kana distinguish names, so they are not in this list.
 */
const optionalMarks: readonly (readonly [number, number])[] = [
  [0x0300, 0x036f],
  [0x0483, 0x0487],
  [0x0591, 0x05c7],
  [0x0610, 0x061a],
  [0x064b, 0x065f],
  [0x0670, 0x0670],
  [0x06d6, 0x06ed],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
];

function isOptionalMark(code: number): boolean {
  return code >= 0x0300 && optionalMarks.some(([first, last]) => code >= first && code <= last);
}

const partOfWord = /[\p{L}\p{M}\p{N}]/u;
/** Unicode counts these as letters, but names use them as apostrophes (ʹ to ˋ). */
const apostrophe = /[\u02b9-\u02cb\ua78c]/;
const joiner = /\p{Cf}/u;

/** A part that all systems write the same, or the spellings of a letter by system with the letter itself. */
type Part = string | { readonly spellings: Spellings; readonly own: string };

/** The text in each transliteration system, then in its own script. */
function spellInSystems(folded: string): string[] {
  const parts: Part[] = [];
  let common = '';
  let before = ' ';
  let systems = 0;
  let hasKana = false;
  for (let at = 0; at < folded.length; ) {
    const letter = String.fromCodePoint(folded.codePointAt(at) ?? 0);
    at += letter.length;
    const kind = kindOf(letter);
    if (kind === 'nothing') continue;
    before = kind === 'gap' ? ' ' : before;
    if (kind === 'gap') {
      common += ' ';
      continue;
    }
    const marksFrom = at;
    while (at < folded.length && isOptionalMark(folded.charCodeAt(at))) at += 1;
    const spelled =
      letter < '\u0080' && at === marksFrom
        ? undefined
        : spellingsOf(letter, folded.slice(marksFrom, at), folded.slice(at, at + maxLookahead), before);
    if (spelled === undefined) common += digitOf(letter);
    else {
      parts.push(common, {
        spellings: spelled.spellings,
        own: spelled.own ?? letter + folded.slice(at, at + spelled.units),
      });
      systems = Math.max(systems, spelled.spellings.length);
      hasKana ||= letter >= '\u3040' && letter <= '\u30ff';
      common = '';
      at += spelled.units;
    }
    before = letter;
  }
  if (parts.length === 0) return [common];
  parts.push(common);
  if (hasKana) systems = Math.max(systems, kanaSystems);
  const texts = Array.from({ length: systems }, (_, system) => writeInSystem(parts, system));
  return [...(hasKana ? texts.map(finishKana) : texts), inOwnScript(parts)];
}

/** Whether a character is part of a word, separates words, or is ignored. */
function kindOf(letter: string): 'word' | 'gap' | 'nothing' {
  if (letter < '\u0080') return /[a-z0-9]/.test(letter) ? 'word' : 'gap';
  if (isOptionalMark(letter.charCodeAt(0)) || joiner.test(letter)) return 'nothing';
  return partOfWord.test(letter) && !apostrophe.test(letter) ? 'word' : 'gap';
}

function writeInSystem(parts: readonly Part[], system: number): string {
  let text = '';
  for (const part of parts) text += typeof part === 'string' ? part : (part.spellings[system] ?? part.spellings[0]);
  return system === 0 ? text : (endings[system]?.(text) ?? text);
}

function inOwnScript(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) text += typeof part === 'string' ? part : part.own;
  return text;
}

/** English short forms of the endings -ий, -ый and -ия by system: Dmitry, Zelensky, Yulia; Alexander; Yuri. */
const endings: Readonly<Record<number, (form: string) => string>> = {
  1: (form) => form.replace(/[iy]y(?= |$)/g, 'y').replace(/iya(?= |$)/g, 'ia'),
  5: (form) =>
    form
      .replace(/[iy]y(?= |$)/g, 'y')
      .replace(/iya(?= |$)/g, 'ia')
      .replace(/xandr(?= |$)/g, 'xander'),
  6: (form) => form.replace(/ii(?= |$)/g, 'i').replace(/iya(?= |$)/g, 'ia'),
};
/** See `finishKana`. */
const kanaSystems = 3;

/** Converts Arabic, Persian and Devanagari digits to ASCII digits. */
function digitOf(letter: string): string {
  if (letter < '\u0660') return letter;
  const code = letter.charCodeAt(0);
  for (const zero of [0x0660, 0x06f0, 0x0966]) if (code >= zero && code < zero + 10) return String(code - zero);
  return letter;
}
