import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { defaultSubject } from '../rendering/mail-text.ts';
import type { InlineRun, ListItem, MarkdownBlock } from '../text/markdown.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';

const maxAddressLines = 6;
/** A line wraps at the width of the window; a longer one could never fit. */
const maxAddressLineLength = 160;
/** How many of the widest letters fit into a line: of the address, and of a title, which has the largest text. */
const maxWordLengths = { address: 20, text: 35 };
/** A longer word may break after this many characters. */
const wordPieceLength = 20;

/** The layout settings of letters. */
export type LetterLayout = {
  readonly window: AddressWindowName;
  /** Return address of undeliverable letters, line by line, for services without one of their own. */
  readonly returnAddress?: readonly string[];
  /** The time zone of the date; without it UTC. */
  readonly timeZone?: string;
};

/** The parts of a message that a letter shows. */
export type LetterInput = Pick<
  OutgoingMessage,
  'address' | 'sender' | 'returnAddress' | 'subject' | 'content' | 'reminder' | 'language' | 'at'
> & { readonly notification: string };

/** Characters without a visible glyph or meaning: byte order mark, annotation marks, hieroglyph format controls. */
const invisibleCharacters = /[\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** The data of the template as JSON; undefined if the address cannot fit into a window. */
export function letterTemplateData(message: LetterInput, layout: LetterLayout): string | undefined {
  const address = message.address
    .split('\n')
    .map(cleanLine)
    .filter((line) => line !== '');
  if (address.length < 2 || address.length > maxAddressLines) return undefined;
  if (address.some((line) => line.length > maxAddressLineLength)) return undefined;
  const { language, message: texts } = localeFor(message.language);
  const returnAddress = message.returnAddress ?? layout.returnAddress ?? [];
  // PDF/UA-1 requires a title.
  const title = cleanLine(message.subject ?? '') || defaultSubject(message.language, message.sender);
  const shownTitle = message.reminder ? formatMessage(language, texts.reminderSubject, { subject: title }) : title;
  const data = {
    title: wrapLongWords(cleanLine(shownTitle)),
    sender: wrapLongWords(cleanLine(message.sender)),
    lang: /^[a-z]{2,3}(?=-|$)/i.exec(message.language ?? '')?.[0].toLowerCase() ?? 'en',
    rtl: isRightToLeft(message.content.message),
    reference: formatMessage(language, texts.reference, { id: message.notification }),
    date: formatDay(message.language, message.at, layout.timeZone),
    head: { sender: headerLine(message.sender), lines: returnAddress.map(headerLine) },
    address: address.map((line) => breakLongWords(line, maxWordLengths.address)),
    blocks: withValidHeadingLevels(blocksOf(message.content)).map(printedBlock),
    ours: language,
    attached: texts.attachments,
    attachments: (message.content.attachments ?? []).map(({ title: name }) => wrapLongWords(cleanLine(name))),
    window: addressWindows[layout.window],
  };
  return JSON.stringify(data).replaceAll(invisibleCharacters, '');
}

/** True if the first letter of the text belongs to a right-to-left script (UAX #9, rule P2). */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** The title is level 1. No level may be skipped (PDF/UA-1, 7.4.2). */
function withValidHeadingLevels(blocks: readonly MarkdownBlock[]): readonly LevelledBlock[] {
  let deepest = 1;
  return blocks.map((block) => {
    if (block.kind !== 'heading') return block;
    const level = Math.min(block.level + 1, deepest + 1);
    deepest = level;
    return { ...block, level };
  });
}

type LevelledBlock =
  | Exclude<MarkdownBlock, { kind: 'heading' }>
  | { kind: 'heading'; level: number; line: readonly InlineRun[] };

function printedBlock(block: LevelledBlock): unknown {
  switch (block.kind) {
    case 'heading':
      return { ...block, line: block.line.map(printedInline) };
    case 'paragraph':
      return { ...block, lines: block.lines.map((line) => line.map(printedInline)) };
    case 'list':
      return { ...block, items: block.items.map(printedItem) };
  }
}

function printedItem({ line, ...item }: ListItem): unknown {
  return { ...item, line: line.map(printedInline) };
}

/** Prints the address of a link, because nobody can follow a link on paper. */
function printedInline(run: InlineRun): unknown {
  const text = wrapLongWords(run.text);
  if (run.href === undefined) return { ...run, text };
  const url = isolated(wrapLongWords(run.href));
  return run.href === run.text ? { ...run, text: url } : { ...run, text, to: url };
}

/** Isolates a URL as left to right (UAX #9, 2.4). After Arabic words its last slash would otherwise move to its start. */
function isolated(url: string): string {
  return `\u2066${url}\u2069`;
}

/** A line of the head, which is about as wide as an address. */
function headerLine(text: string): string {
  return breakLongWords(cleanLine(text), maxWordLengths.address);
}

function wrapLongWords(text: string): string {
  return breakLongWords(text, maxWordLengths.text);
}

function cleanLine(text: string): string {
  return text
    .replaceAll(invisibleCharacters, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Words in which Typst finds no line break. In scripts without spaces it finds the breaks itself. */
const unbreakableWords =
  /(?:[^\s\u200b\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[\u00a0\u2007\u202f])+/gu;

/**
 * Lets words wrap that are too long for a line; otherwise their ends would be cut off. It adds a zero width space (U+200B)
 * after each no-break space and after every `wordPieceLength` graphemes, never inside a grapheme.
 */
function breakLongWords(line: string, longest: number): string {
  return line.replaceAll(unbreakableWords, (word) => {
    if (word.length <= longest) return word;
    let previous = '';
    let sinceBreak = 0;
    let wrapped = '';
    for (const { segment } of graphemes.segment(word)) {
      if (sinceBreak === wordPieceLength || /[\u00a0\u2007\u202f]/.test(previous)) {
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
