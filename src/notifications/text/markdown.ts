import { closeDirections } from './close-directions.ts';
import { encoded, endOfUrl, hrefOf, urlInText } from './markdown-link.ts';

/** A run of text within a line: plain, strong, or a link. */
export type Inline = { readonly text: string; readonly strong?: true; readonly href?: string };

/** An item of a list. In an ordered one it keeps the number that was written: it may be a day or a clause. */
export type Item = { readonly number?: number; readonly line: readonly Inline[] };

/** A block of restricted Markdown. Everything that is not one of these stays text as it was written. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly line: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly Item[] };

/** Values for the placeholders of a template, by name. They are only ever text: no Markdown in them counts. */
export type Values = Readonly<Record<string, string>>;

/**
 * Reads restricted Markdown: headings (`#`, `##`), lists (`-`, `*`, `1.`), `**strong**`, links and bare URLs with https.
 * No HTML, no pictures, no other schemes. Placeholders `((name))` are filled after the structure is known, so that no
 * value can become structure (test/attacks/injection.test.ts).
 */
export function parseMarkdown(source: string, values: Values = {}): Block[] {
  const blocks: Block[] = [];
  let open: Open | undefined;
  const close = () => {
    if (open !== undefined) blocks.push(blockOf(open));
    open = undefined;
  };
  for (const line of source.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const heading = /^(#{1,2}) +(\S.*)$/.exec(line);
    const item = itemOf(line, values);
    if (line.trim() === '') {
      if (open?.kind === 'list') open.blank = true;
      else close();
    } else if (heading !== null) {
      close();
      const level = heading[1] === '#' ? 1 : 2;
      blocks.push({ kind: 'heading', level, line: inlinesOf(heading[2] ?? '', values) });
    } else if (item !== undefined && !(open?.kind === 'paragraph' && goesOn(open, item))) {
      if (open?.kind !== 'list' || !continues(open, item)) close();
      if (open?.kind === 'list') {
        open.items.push(item);
        open.blank = false;
      } else open = { kind: 'list', items: [item], blank: false };
    } else {
      const paragraph = open?.kind === 'paragraph' ? open : paragraphAfter(open);
      if (open?.kind === 'list') close();
      open = paragraph;
      paragraph.lines.push(inlinesOf(line, values));
    }
  }
  close();
  return blocks;
}

type OpenList = { readonly kind: 'list'; readonly items: Item[]; blank: boolean };
/** `after`: the number of the item that it stands right below. */
type OpenParagraph = {
  readonly kind: 'paragraph';
  readonly lines: Inline[][];
  readonly after: number | undefined;
};
type Open = OpenList | OpenParagraph;

function paragraphAfter(list: OpenList | undefined): OpenParagraph {
  return { kind: 'paragraph', lines: [], after: list?.blank === false ? list.items.at(-1)?.number : undefined };
}

function blockOf(open: Open): Block {
  return open.kind === 'paragraph'
    ? { kind: 'paragraph', lines: open.lines }
    : { kind: 'list', ordered: open.items[0]?.number !== undefined, items: open.items };
}

/** A number that a list would show in another way, as `01.` or `1)`, begins no item. */
function itemOf(line: string, values: Values): Item | undefined {
  const [, bullet, number, text] = /^(?:([-*])|(0|[1-9]\d{0,2})\.) +(\S.*)$/.exec(line) ?? [];
  if (text === undefined) return undefined;
  const inlines = inlinesOf(text, values);
  return bullet === undefined ? { number: Number(number), line: inlines } : { line: inlines };
}

/**
 * A number at the start of a line is most often a date or an amount in the midst of a sentence: only 1. may begin a list
 * there (CommonMark, section 5.3), and the number after that of the item that the paragraph belongs to.
 */
function goesOn({ after }: OpenParagraph, { number }: Item): boolean {
  return number !== undefined && number !== 1 && (after === undefined || number !== after + 1);
}

/** A blank line ends a list of bullets, and an ordered one whose numbers do not rise behind it. */
function continues({ items, blank }: OpenList, { number }: Item): boolean {
  const last = items.at(-1)?.number;
  if (number === undefined || last === undefined) return number === last && !blank;
  return !blank || number > last;
}

/** Stars beside a blank are none of strong text (CommonMark, section 6.2), as in `5 ** 3`. */
const inline = /\*\*(?=\S)([^*\n]{1,500})(?<=\S)\*\*|\[([^[\]\n]{1,300})\]\((?=https:\/\/)|https:\/\//g;

/** A piece of a line: text, strong text, or a link with the URL that was written and the one that it leads to. */
type Piece =
  | { readonly text: string }
  | { readonly strong: string }
  | { readonly label: string | undefined; readonly target: string; readonly href: string };

function inlinesOf(line: string, values: Values): Inline[] {
  // A run that turned the next one round would turn the host of a link.
  const run = (text: string) => closeDirections(fill(text, values));
  return piecesOf(line, values).map((piece) => {
    if ('text' in piece) return { text: run(piece.text) };
    if ('strong' in piece) return { text: run(piece.strong), strong: true };
    const { label, href } = piece;
    return { text: label === undefined ? href : run(label), href };
  });
}

function piecesOf(line: string, values: Values): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  const add = (piece: Piece, from: number, end: number) => {
    if (from > done) pieces.push({ text: line.slice(done, from) });
    pieces.push(piece);
    done = end;
  };
  const pattern = new RegExp(inline);
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [opening, strong, label] = match;
    if (strong !== undefined) {
      add({ strong }, match.index, pattern.lastIndex);
      continue;
    }
    const begin = label === undefined ? match.index : match.index + opening.length;
    const url = line.slice(begin, endOfUrl(line, begin));
    if (label !== undefined && line[begin + url.length] !== ')') {
      // No link, but what stands in it may be one.
      pattern.lastIndex = match.index + 1;
      continue;
    }
    const target = label === undefined ? urlInText(url) : url;
    const href = hrefOf(target, (text, write) => fill(text, values, write));
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
export function filledText(template: string, values: Values): string {
  return template
    .split(/(\r\n?|\n)/)
    .map((line) =>
      piecesOf(line, values)
        .map((piece) => writtenPiece(piece, values))
        .join(''),
    )
    .join('');
}

function writtenPiece(piece: Piece, values: Values): string {
  if ('text' in piece) return fill(piece.text, values);
  if ('strong' in piece) return `**${fill(piece.strong, values)}**`;
  const url = fill(piece.target, values, encoded);
  return piece.label === undefined ? url : `[${fill(piece.label, values)}](${url})`;
}

const placeholder = /\(\(([A-Za-z]\w{0,63})\)\)/g;

/** The names of the placeholders in a text, each once. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(placeholder), ([, name = '']) => name));
}

/** The text with its placeholders filled, each value as it is or as `write` has it; one without a value stays. */
export function fill(text: string, values: Values, write = closeDirections): string {
  return text.replaceAll(placeholder, (all, name: string) =>
    Object.hasOwn(values, name) ? write(values[name] ?? '') : all,
  );
}

/** How many characters (code points) `fill` would give: counted and not built, since a template can name a value often. */
export function filledLength(text: string, values: Values): number {
  const lengths = new Map<string, number>();
  let length = charactersOf(text);
  for (const [all, name = ''] of text.matchAll(placeholder)) {
    let filled = lengths.get(name);
    if (filled === undefined) {
      filled = Object.hasOwn(values, name) ? charactersOf(values[name] ?? '') : all.length;
      lengths.set(name, filled);
    }
    length += filled - all.length;
  }
  return length;
}

/** How many characters (code points) a text has; counted of each text of a template at each send. */
export function charactersOf(text: string): number {
  return text.length - (text.match(pairs)?.length ?? 0);
}

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether there is more to show than plain paragraphs. */
export function hasMarkup(blocks: readonly Block[]): boolean {
  return blocks.some(
    (block) =>
      block.kind !== 'paragraph' ||
      block.lines.some((line) => line.some((run) => run.strong || run.href !== undefined)),
  );
}
