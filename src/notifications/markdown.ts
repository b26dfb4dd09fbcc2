/** A run of text within a line: plain, strong, or a link. */
export type Inline = { readonly text: string; readonly strong?: true; readonly href?: string };

/** A block of restricted Markdown. Everything that is not one of these stays text as it was written. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly line: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] };

/** Values for the placeholders of a template, by name. They are only ever text: no Markdown in them counts. */
export type Values = Readonly<Record<string, string>>;

/**
 * Reads restricted Markdown: headings (`#`, `##`), lists (`-`, `*`, `1.`), `**strong**`, links and bare URLs with https.
 * No HTML, no pictures, no other schemes. Placeholders `((name))` are filled after the structure is known, so that no
 * value can become structure (test/attacks/injection.test.ts).
 */
export function parseMarkdown(source: string, values: Values = {}): Block[] {
  const blocks: Block[] = [];
  let open: Inline[][] = [];
  let list: { readonly ordered: boolean; readonly items: Inline[][] } | undefined;
  const close = () => {
    if (open.length > 0) blocks.push({ kind: 'paragraph', lines: open });
    if (list !== undefined) blocks.push({ kind: 'list', ...list });
    open = [];
    list = undefined;
  };
  for (const line of source.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const heading = /^(#{1,2}) +(\S.*)$/.exec(line);
    const item = /^(?:([-*])|\d{1,3}[.)]) +(\S.*)$/.exec(line);
    if (line.trim() === '') close();
    else if (heading !== null) {
      close();
      const level = heading[1] === '#' ? 1 : 2;
      blocks.push({ kind: 'heading', level, line: inlinesOf(heading[2] ?? '', values) });
    } else if (item !== null) {
      const ordered = item[1] === undefined;
      if (open.length > 0 || list?.ordered !== ordered) close();
      list ??= { ordered, items: [] };
      list.items.push(inlinesOf(item[2] ?? '', values));
    } else {
      if (list !== undefined) close();
      open.push(inlinesOf(line, values));
    }
  }
  close();
  return blocks;
}

const url = String.raw`https:\/\/[^\s<>"'()\[\]]{1,1000}`;
const inline = new RegExp(
  String.raw`\*\*([^*\n]{1,500})\*\*|\[([^\]\n]{1,300})\]\((${url}(?:\(\([A-Za-z]\w{0,63}\)\)[^\s<>"'()]{0,200})*)\)|${url}`,
  'g',
);

function inlinesOf(line: string, values: Values): Inline[] {
  const runs: Inline[] = [];
  let done = 0;
  for (const match of line.matchAll(inline)) {
    if (match.index > done) runs.push({ text: fill(line.slice(done, match.index), values) });
    const [whole, strong, label, target] = match;
    done = match.index + whole.length;
    if (strong !== undefined) runs.push({ text: fill(strong, values), strong: true });
    else {
      const tail = target === undefined ? (/[.,;:!?]+$/.exec(whole)?.[0] ?? '') : '';
      done -= tail.length;
      const href = hrefOf(target ?? whole.slice(0, whole.length - tail.length), values);
      const text = label === undefined ? (href ?? whole) : fill(label, values);
      runs.push(href === undefined ? { text } : { text, href });
    }
  }
  if (done < line.length) runs.push({ text: fill(line.slice(done), values) });
  return runs;
}

function hrefOf(target: string, values: Values): string | undefined {
  const filled = target.replaceAll(placeholder, (all, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : all,
  );
  if (!URL.canParse(filled)) return undefined;
  const parsed = new URL(filled);
  // A name before an @ looks like the host, and is none.
  return parsed.protocol === 'https:' && parsed.username === '' && parsed.password === '' ? parsed.href : undefined;
}

const placeholder = /\(\(([A-Za-z]\w{0,63})\)\)/g;

/** The names of the placeholders in a text, each once. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(placeholder), ([, name = '']) => name));
}

/** The text with its placeholders filled; one without a value stays as it is. */
export function fill(text: string, values: Values): string {
  return text.replaceAll(placeholder, (all, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : all,
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

function charactersOf(text: string): number {
  return Array.from(text).length;
}

/** Whether there is more to show than plain paragraphs. */
export function hasMarkup(blocks: readonly Block[]): boolean {
  return blocks.some(
    (block) =>
      block.kind !== 'paragraph' ||
      block.lines.some((line) => line.some((run) => run.strong || run.href !== undefined)),
  );
}
