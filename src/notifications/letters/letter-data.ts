import type { Message } from '../channels/channel.ts';
import { dayIn, phrasesOf } from '../phrases-by-language.ts';
import { blocksOf } from '../sealed-content.ts';
import type { Block, Inline, Item } from '../text/markdown.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';

const mostAddressLines = 6;
/** A line is wrapped at the width of the window; one that is longer than this could never fit. */
const longestAddressLine = 160;
/** A word of so many of the widest letters fits into a line: of the address, and of a title, the largest in the letter. */
const longestWords = { address: 20, text: 35 };
/** Where it is longer, it may be broken after so many. */
const pieceOfWord = 20;

/** How letters look. */
export type LetterLayout = {
  readonly window: AddressWindowName;
  /** Where letters come back to that cannot be delivered, line by line, but those of a service with an address of its own. */
  readonly returnAddress?: readonly string[];
  /** Whose days letters are dated by; without it UTC's. */
  readonly timeZone?: string;
};

/** What a letter is made of. */
export type LetterText = Pick<
  Message,
  'address' | 'sender' | 'returnAddress' | 'subject' | 'content' | 'reminder' | 'language' | 'at'
> & { readonly notification: string };

/** Characters that no font shows and that nothing is said by: a byte order mark, and marks of annotations and hieroglyphs. */
const unseen = /[\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** What the template is given, as JSON; undefined where the address has no form that a window takes. */
export function letterData(message: LetterText, layout: LetterLayout): string | undefined {
  const address = message.address
    .split('\n')
    .map(clean)
    .filter((line) => line !== '');
  if (address.length < 2 || address.length > mostAddressLines) return undefined;
  if (address.some((line) => line.length > longestAddressLine)) return undefined;
  const phrases = phrasesOf(message.language);
  const returnAddress = message.returnAddress ?? layout.returnAddress ?? [];
  // Without a title no letter is PDF/UA-1.
  const title = clean(message.subject ?? '') || phrases.messageFrom(message.sender);
  const data = {
    title: wrapping(clean(message.reminder ? phrases.reminder(title) : title)),
    sender: wrapping(clean(message.sender)),
    lang: /^[a-z]{2,3}(?=-|$)/i.exec(message.language ?? '')?.[0].toLowerCase() ?? 'en',
    rtl: isRightToLeft(message.content.message),
    reference: phrases.reference(message.notification),
    date: dayIn(message.language, message.at, layout.timeZone),
    head: { sender: inHead(message.sender), lines: returnAddress.map(inHead) },
    address: address.map((line) => breakable(line, longestWords.address)),
    blocks: levelled(blocksOf(message.content)).map(printed),
    ...{ ours: phrases.language, attached: phrases.attached },
    attachments: (message.content.attachments ?? []).map(({ title: name }) => wrapping(clean(name))),
    window: addressWindows[layout.window],
  };
  return JSON.stringify(data).replaceAll(unseen, '');
}

/** The first letter with a direction decides, as in Unicode's bidirectional algorithm (UAX #9, P2). */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** The title is level 1, and no level may be left out (PDF/UA-1, 7.4.2). */
function levelled(blocks: readonly Block[]): readonly Levelled[] {
  let deepest = 1;
  return blocks.map((block) => {
    if (block.kind !== 'heading') return block;
    const level = Math.min(block.level + 1, deepest + 1);
    deepest = level;
    return { ...block, level };
  });
}

type Levelled = Exclude<Block, { kind: 'heading' }> | { kind: 'heading'; level: number; line: readonly Inline[] };

function printed(block: Levelled): unknown {
  switch (block.kind) {
    case 'heading':
      return { ...block, line: block.line.map(printedRun) };
    case 'paragraph':
      return { ...block, lines: block.lines.map((line) => line.map(printedRun)) };
    case 'list':
      return { ...block, items: block.items.map(printedItem) };
  }
}

function printedItem({ line, ...item }: Item): unknown {
  return { ...item, line: line.map(printedRun) };
}

/** Nobody can follow a link on paper, so it is printed where it leads. */
function printedRun(run: Inline): unknown {
  const text = wrapping(run.text);
  if (run.href === undefined) return { ...run, text };
  const url = isolated(wrapping(run.href));
  return run.href === run.text ? { ...run, text: url } : { ...run, text, to: url };
}

/** From left to right by itself (UAX #9, 2.4): after Arabic words the slash at its end would stand at its begin. */
function isolated(url: string): string {
  return `\u2066${url}\u2069`;
}

/** The head of a letter is about as wide as an address. */
function inHead(text: string): string {
  return breakable(clean(text), longestWords.address);
}

function wrapping(text: string): string {
  return breakable(text, longestWords.text);
}

function clean(text: string): string {
  return text
    .replaceAll(unseen, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** What has no place to break in it by itself; of the scripts without blanks the typesetter knows the places. */
const words =
  /(?:[^\s\u200b\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[\u00a0\u2007\u202f])+/gu;

/**
 * Lets words that are too long for a line wrap, or their ends would be cut off: a zero width space (U+200B) after each
 * blank that glues, or else after so many characters, and none within one.
 */
function breakable(line: string, longest: number): string {
  return line.replaceAll(words, (word) => {
    if (word.length <= longest) return word;
    let [before, since, written] = ['', 0, ''];
    for (const { segment } of graphemes.segment(word)) {
      if (since === pieceOfWord || /[\u00a0\u2007\u202f]/.test(before)) [since, written] = [0, `${written}\u200b`];
      [before, since, written] = [segment, since + 1, written + segment];
    }
    return written;
  });
}
