import { closeBidiControls } from './close-bidi-controls.ts';
import { hasRightToLeftLetter, markPhoneNumbers } from './left-to-right.ts';
import { encodeUrlValue, findUrlEnd, safeHrefOf, trimTrailingPunctuation } from './markdown-link.ts';

/** A run of text within a line: plain, strong, or a link. */
export type InlineRun = { readonly text: string; readonly strong?: true; readonly href?: string };

/** An item of a list. In an ordered list it keeps its written number, which may be a day or a clause. */
export type ListItem = { readonly number?: number; readonly line: readonly InlineRun[] };

/** A block of restricted Markdown. All other Markdown stays plain text. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly line: readonly InlineRun[] }
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly InlineRun[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly ListItem[] };

/** Values for the placeholders of a template, by name. They are plain text: Markdown in them is not parsed. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/**
 * Reads restricted Markdown: headings (`#`, `##`), lists (`-`, `*`, `1.`), `**strong**`, links and bare URLs with https.
 * No HTML, no images, no other schemes. Placeholders `((name))` are filled after the structure is parsed, so that no value can become
 * structure (test/attacks/injection.test.ts).
 */
export function parseMarkdown(source: string, values: PlaceholderValues = {}): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: OpenBlock | undefined;
  const close = () => {
    if (open !== undefined) blocks.push(closeBlock(open));
    open = undefined;
  };
  for (const line of source.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const heading = /^(#{1,2}) +(\S.*)$/.exec(line);
    const item = parseListItem(line, values);
    if (line.trim() === '') {
      if (open?.kind === 'list') open.blank = true;
      else close();
    } else if (heading !== null) {
      close();
      const level = heading[1] === '#' ? 1 : 2;
      blocks.push({ kind: 'heading', level, line: parseInlines(heading[2] ?? '', values) });
    } else if (item !== undefined && !(open?.kind === 'paragraph' && isMidSentence(open, item))) {
      if (open?.kind !== 'list' || !continuesList(open, item)) close();
      if (open?.kind === 'list') {
        open.items.push(item);
        open.blank = false;
      } else open = { kind: 'list', items: [item], blank: false };
    } else {
      const paragraph = open?.kind === 'paragraph' ? open : paragraphAfter(open);
      if (open?.kind === 'list') close();
      open = paragraph;
      paragraph.lines.push(parseInlines(line, values));
    }
  }
  close();
  return blocks;
}

type OpenList = { readonly kind: 'list'; readonly items: ListItem[]; blank: boolean };
/** `after`: the number of the list item directly above. */
type OpenParagraph = {
  readonly kind: 'paragraph';
  readonly lines: InlineRun[][];
  readonly after: number | undefined;
};
type OpenBlock = OpenList | OpenParagraph;

function paragraphAfter(list: OpenList | undefined): OpenParagraph {
  return { kind: 'paragraph', lines: [], after: list?.blank === false ? list.items.at(-1)?.number : undefined };
}

function closeBlock(open: OpenBlock): MarkdownBlock {
  return open.kind === 'paragraph'
    ? { kind: 'paragraph', lines: open.lines }
    : { kind: 'list', ordered: open.items[0]?.number !== undefined, items: open.items };
}

/** A number that a list would show differently, such as `01.` or `1)`, does not start an item. */
function parseListItem(line: string, values: PlaceholderValues): ListItem | undefined {
  const [, bullet, number, text] = /^(?:([-*])|(0|[1-9]\d{0,2})\.) +(\S.*)$/.exec(line) ?? [];
  if (text === undefined) return undefined;
  const inlines = parseInlines(text, values);
  return bullet === undefined ? { number: Number(number), line: inlines } : { line: inlines };
}

/**
 * A number at the start of a line in a paragraph is usually a date or an amount. Only `1.` starts a list there (CommonMark, section 5.3),
 * or the number that continues the list above the paragraph.
 */
function isMidSentence({ after }: OpenParagraph, { number }: ListItem): boolean {
  return number !== undefined && number !== 1 && (after === undefined || number !== after + 1);
}

/** A blank line ends a bullet list, and an ordered list when the next number is not higher. */
function continuesList({ items, blank }: OpenList, { number }: ListItem): boolean {
  const last = items.at(-1)?.number;
  if (number === undefined || last === undefined) return number === last && !blank;
  return !blank || number > last;
}

/** Stars next to a space do not mark strong text (CommonMark, section 6.2), such as in `5 ** 3`. */
const inlinePattern = /\*\*(?=\S)([^*\n]{1,500})(?<=\S)\*\*|\[([^[\]\n]{1,300})\]\((?=https:\/\/)|https:\/\//g;

/** A piece of a line: text, strong text, or a link with the written URL (`target`) and the filled one (`href`). */
type Piece =
  | { readonly text: string }
  | { readonly strong: string }
  | { readonly label: string | undefined; readonly target: string; readonly href: string };

function parseInlines(line: string, values: PlaceholderValues): InlineRun[] {
  // A run with an open bidirectional control could reverse the host of the next link.
  const run = (text: string) => closeBidiControls(fillPlaceholders(text, values));
  const runs = parsePieces(line, values).map((piece): InlineRun => {
    if ('text' in piece) return { text: run(piece.text) };
    if ('strong' in piece) return { text: run(piece.strong), strong: true };
    const { label, href } = piece;
    return { text: label === undefined ? href : run(label), href };
  });
  if (!runs.some(({ text }) => hasRightToLeftLetter(text))) return runs;
  return runs.map((one) => (one.text === one.href ? one : { ...one, text: markPhoneNumbers(one.text) }));
}

function parsePieces(line: string, values: PlaceholderValues): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  const add = (piece: Piece, from: number, end: number) => {
    if (from > done) pieces.push({ text: line.slice(done, from) });
    pieces.push(piece);
    done = end;
  };
  const pattern = new RegExp(inlinePattern);
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [opening, strong, label] = match;
    if (strong !== undefined) {
      add({ strong }, match.index, pattern.lastIndex);
      continue;
    }
    const begin = label === undefined ? match.index : match.index + opening.length;
    const url = line.slice(begin, findUrlEnd(line, begin));
    if (label !== undefined && line[begin + url.length] !== ')') {
      // Not a link, but the text in the brackets may contain one.
      pattern.lastIndex = match.index + 1;
      continue;
    }
    const target = label === undefined ? trimTrailingPunctuation(url) : url;
    const href = safeHrefOf(target, (text, write) => fillPlaceholders(text, values, write));
    pattern.lastIndex = begin + target.length + (label === undefined ? 0 : 1);
    if (href !== undefined) add({ label, target, href }, match.index, pattern.lastIndex);
  }
  if (done < line.length) pieces.push({ text: line.slice(done) });
  return pieces;
}

/**
 * Fills the placeholders of a template for plain text. Values in links are encoded, so that a link in a text message leads to the same URL
 * as in the HTML.
 */
export function fillMarkdown(template: string, values: PlaceholderValues): string {
  return template
    .split(/(\r\n?|\n)/)
    .map((line) =>
      parsePieces(line, values)
        .map((piece) => fillPiece(piece, values))
        .join(''),
    )
    .join('');
}

function fillPiece(piece: Piece, values: PlaceholderValues): string {
  if ('text' in piece) return fillPlaceholders(piece.text, values);
  if ('strong' in piece) return `**${fillPlaceholders(piece.strong, values)}**`;
  const url = fillPlaceholders(piece.target, values, encodeUrlValue);
  return piece.label === undefined ? url : `[${fillPlaceholders(piece.label, values)}](${url})`;
}

const placeholderPattern = /\(\(([A-Za-z]\w{0,63})\)\)/g;

/** The names of the placeholders in a text, each once. */
export function placeholderNamesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(placeholderPattern), ([, name = '']) => name));
}

/** Fills the placeholders of a text; `write` encodes each value. A placeholder without a value stays. */
export function fillPlaceholders(text: string, values: PlaceholderValues, write = closeBidiControls): string {
  return text.replaceAll(placeholderPattern, (all, name: string) =>
    Object.hasOwn(values, name) ? write(values[name] ?? '') : all,
  );
}

/** The length in code points of the filled text. It is counted and not built, because a template can repeat a long value. */
export function filledLength(text: string, values: PlaceholderValues): number {
  const lengths = new Map<string, number>();
  let length = countCodePoints(text);
  for (const [all, name = ''] of text.matchAll(placeholderPattern)) {
    let filled = lengths.get(name);
    if (filled === undefined) {
      filled = Object.hasOwn(values, name) ? countCodePoints(values[name] ?? '') : all.length;
      lengths.set(name, filled);
    }
    length += filled - all.length;
  }
  return length;
}

/** The number of code points of a text. */
export function countCodePoints(text: string): number {
  return text.length - (text.match(surrogatePairs)?.length ?? 0);
}

const surrogatePairs = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether the blocks contain more than plain paragraphs. */
export function hasMarkup(blocks: readonly MarkdownBlock[]): boolean {
  return blocks.some(
    (block) =>
      block.kind !== 'paragraph' ||
      block.lines.some((line) => line.some((run) => run.strong || run.href !== undefined)),
  );
}
