/** A part of a line: text that can break, or a piece that stays on one line. `broken` replaces a piece that is wider than the line. */
export type LinePart = string | { readonly keep: string; readonly broken?: string };

/** How many of the widest letters fit into a line. */
type LineWidth = number;

/** Characters without a visible glyph or meaning: byte order mark, annotation marks, hieroglyph format controls. */
export const invisibleCharacters = /[\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** A longer word may break after this many characters. */
const wordPieceLength = 20;

/** References, dates and other words of letters, digits and joining characters, with at least one digit and one joining character. */
const referencePattern = /(?<![\w\-/.:])(?=[A-Za-z\-/.:_]*\d)[A-Za-z\d]+(?:[-/.:_][A-Za-z\d]+)+(?![\w\-/])/g;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Words in which Typst finds no line break. In scripts without spaces it finds the breaks itself. */
const unbreakableWords =
  /(?:[^\s\u200b\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[\u00a0\u2007\u202f])+/gu;

/** The text on one line, without invisible characters. */
export function cleanLine(text: string): string {
  return text
    .replaceAll(invisibleCharacters, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The parts of a text. A reference such as TA-2025-118 stays on one line, and a word that is too long for a line can break. */
export function textParts(text: string, width: LineWidth): LinePart[] {
  return replaceMatches(text, /https?:\/\/\S+/g, {
    matched: (url) => urlParts(url, width),
    between: (words) =>
      replaceMatches(words, referencePattern, {
        matched: (reference) => [keptPart(reference, width)],
        between: (rest) => wordParts(rest, width),
      }),
  });
}

/** Words that are too long for the widest letters stay on one line if they fit there. */
function wordParts(text: string, width: LineWidth): LinePart[] {
  return replaceMatches(text, unbreakableWords, {
    matched: (word) => (word.length <= width ? [word] : [{ keep: word, broken: breakLongWords(word, width) }]),
    between: (space) => [space],
  });
}

type PartsOf = (text: string) => readonly LinePart[];

function replaceMatches(
  text: string,
  pattern: RegExp,
  { matched, between }: { readonly matched: PartsOf; readonly between: PartsOf },
): LinePart[] {
  const parts: LinePart[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(pattern)) {
    parts.push(...between(text.slice(end, index)), ...matched(word));
    end = index + word.length;
  }
  parts.push(...between(text.slice(end)));
  return joinTexts(parts);
}

/** Joins texts that follow each other, and drops empty ones. */
function joinTexts(parts: readonly LinePart[]): LinePart[] {
  const joined: LinePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else if (part !== '') joined.push(part);
  }
  return joined;
}

/** The parts of a URL, an email address or a phone number. It breaks only after `/`, `?`, `&`, `=`, `#` and `@`. */
export function urlParts(url: string, width: LineWidth): LinePart[] {
  const pieces = url.split(/(?<=[^:/][/?&=#@])(?!\/)/);
  return pieces.flatMap((piece, index) => [...(index === 0 ? [] : ['\u200b']), keptPart(piece, width)]);
}

/** A fixed phrase with a value at the mark. */
export function phraseParts(phrase: string, mark: string, value: readonly LinePart[]): LinePart[] {
  const at = phrase.indexOf(mark);
  return [phrase.slice(0, at), ...value, phrase.slice(at + mark.length)].filter((part) => part !== '');
}

/** A piece that stays on one line. If it is wider than the line, it breaks after dots, or anywhere. */
export function keptPart(piece: string, width: LineWidth): LinePart {
  if (piece.length <= width) return { keep: piece };
  const broken = piece
    .split(/(?<=[^.]\.)(?=[^./])/)
    .map((section) => breakLongWords(section, width))
    .join('\u200b');
  return { keep: piece, broken };
}

/**
 * Lets words wrap that are too long for a line; otherwise their ends would be cut off. It adds a zero width space (U+200B)
 * after each no-break space and after every `wordPieceLength` graphemes, never inside a grapheme.
 */
export function breakLongWords(line: string, width: LineWidth): string {
  const pieceLength = Math.min(wordPieceLength, width);
  return line.replaceAll(unbreakableWords, (word) => {
    if (word.length <= width) return word;
    let previous = '';
    let sinceBreak = 0;
    let wrapped = '';
    for (const { segment } of graphemes.segment(word)) {
      if (sinceBreak === pieceLength || /[\u00a0\u2007\u202f]/.test(previous)) {
        wrapped += '\u200b';
        sinceBreak = 0;
      }
      wrapped += segment;
      previous = segment;
      sinceBreak += 1;
    }
    return wrapped;
  });
}
