import { closeBidiControls } from './close-bidi-controls.ts';
import { encodeUrlValue, findUrlEnd, safeHrefOf, trimTrailingPunctuation } from './markdown-link.ts';

/** A run of text within a line: plain, strong, or a link. */
export type InlineRun = { readonly text: string; readonly strong?: true; readonly href?: string };

/** An item of a list. In an ordered one it keeps the number that was written: it may be a day or a clause. */
export type ListItem = { readonly number?: number; readonly line: readonly InlineRun[] };

/** A block of restricted Markdown. Everything that is not one of these stays text as it was written. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly line: readonly InlineRun[] }
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly InlineRun[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly ListItem[] };

/** Values for the placeholders of a template, by name. They are only ever text: no Markdown in them counts. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/**
 * Reads restricted Markdown: headings (`#`, `##`), lists (`-`, `*`, `1.`), `**strong**`, links and bare URLs with https.
 * No HTML, no pictures, no other schemes. Placeholders `((name))` are filled after the structure is known, so that no
 * value can become structure (test/attacks/injection.test.ts).
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
/** `after`: the number of the item that it stands right below. */
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

/** A number that a list would show in another way, as `01.` or `1)`, begins no item. */
function parseListItem(line: string, values: PlaceholderValues): ListItem | undefined {
  const [, bullet, number, text] = /^(?:([-*])|(0|[1-9]\d{0,2})\.) +(\S.*)$/.exec(line) ?? [];
  if (text === undefined) return undefined;
  const inlines = parseInlines(text, values);
  return bullet === undefined ? { number: Number(number), line: inlines } : { line: inlines };
}

/**
 * A number at the start of a line is most often a date or an amount in the midst of a sentence: only 1. may begin a list
 * there (CommonMark, section 5.3), and the number after that of the item that the paragraph belongs to.
 */
function isMidSentence({ after }: OpenParagraph, { number }: ListItem): boolean {
  return number !== undefined && number !== 1 && (after === undefined || number !== after + 1);
}

/** A blank line ends a list of bullets, and an ordered one whose numbers do not rise behind it. */
function continuesList({ items, blank }: OpenList, { number }: ListItem): boolean {
  const last = items.at(-1)?.number;
  if (number === undefined || last === undefined) return number === last && !blank;
  return !blank || number > last;
}

/** Stars beside a blank are none of strong text (CommonMark, section 6.2), as in `5 ** 3`. */
const inlinePattern = /\*\*(?=\S)([^*\n]{1,500})(?<=\S)\*\*|\[([^[\]\n]{1,300})\]\((?=https:\/\/)|https:\/\//g;

/** A piece of a line: text, strong text, or a link with the URL that was written and the one that it leads to. */
type Piece =
  | { readonly text: string }
  | { readonly strong: string }
  | { readonly label: string | undefined; readonly target: string; readonly href: string };

function parseInlines(line: string, values: PlaceholderValues): InlineRun[] {
  // A run that turned the next one round would turn the host of a link.
  const run = (text: string) => closeBidiControls(fillPlaceholders(text, values));
  return parsePieces(line, values).map((piece) => {
    if ('text' in piece) return { text: run(piece.text) };
    if ('strong' in piece) return { text: run(piece.strong), strong: true };
    const { label, href } = piece;
    return { text: label === undefined ? href : run(label), href };
  });
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
      // No link, but what stands in it may be one.
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
 * A template as text, for those who read no Markdown: its placeholders filled, those in links as a link needs it, or a
 * text message would lead elsewhere than the page beside a mail.
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

/** The text with its placeholders filled, each value as it is or as `write` has it; one without a value stays. */
export function fillPlaceholders(text: string, values: PlaceholderValues, write = closeBidiControls): string {
  return text.replaceAll(placeholderPattern, (all, name: string) =>
    Object.hasOwn(values, name) ? write(values[name] ?? '') : all,
  );
}

/** How many characters (code points) `fill` would give: counted and not built, since a template can name a value often. */
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

/** How many characters (code points) a text has; counted of each text of a template at each send. */
export function countCodePoints(text: string): number {
  return text.length - (text.match(surrogatePairs)?.length ?? 0);
}

const surrogatePairs = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether there is more to show than plain paragraphs. */
export function hasMarkup(blocks: readonly MarkdownBlock[]): boolean {
  return blocks.some(
    (block) =>
      block.kind !== 'paragraph' ||
      block.lines.some((line) => line.some((run) => run.strong || run.href !== undefined)),
  );
}
