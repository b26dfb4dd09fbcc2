import { removeInvisible } from '../../kernel/invisible-characters.ts';
import { finishKana } from './kana.ts';
import { maxLookahead, type Spellings, spellingsOf } from './transliteration.ts';

/**
 * The forms of a text for comparison, the most exact first: lower-case words with single blanks. Two texts are the same if they share a
 * form. Not empty unless the text is blank.
 */
export type Forms = readonly string[];

/** The form for storage and hashing: NFC, without invisible characters, with white space trimmed and collapsed. */
export function toStoredText(text: string): string {
  return storedAscii.test(text) ? text : removeInvisible(text).normalize('NFC').trim().replace(/\s+/g, ' ');
}

/** Visible ASCII with single blanks, which needs no change. */
const storedAscii = /^[!-~]+(?: [!-~]+)*$/;

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
  return form.trim().replace(/ {2,}/g, ' ').normalize('NFC');
}

/**
 * Combining marks that do not distinguish names: Latin, Greek and Cyrillic diacritics, Arabic and Hebrew points, variation selectors.
 * Vowel signs of Indic scripts and voicing marks of kana distinguish names, so they are not in this list.
 */
const optionalMark = new RegExp(
  '[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed' +
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f]',
);

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
    while (optionalMark.test(folded.charAt(at))) at += 1;
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
  if (optionalMark.test(letter) || joiner.test(letter)) return 'nothing';
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
