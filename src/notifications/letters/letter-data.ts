import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { defaultSubject } from '../rendering/mail-text.ts';
import type { InlineRun, MarkdownBlock } from '../text/markdown.ts';
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
  /** The lines of the return address for undeliverable letters, for services without their own. */
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
  const address = message.address.split('\n').map(cleanLine).filter(Boolean);
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
    head: { sender: narrowLine(message.sender), lines: returnAddress.map(narrowLine) },
    address: address.map(narrowLine),
    blocks: printedBlocks(blocksOf(message.content)),
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
function printedBlocks(blocks: readonly MarkdownBlock[]): unknown[] {
  let deepest = 1;
  return blocks.map((block) => {
    if (block.kind === 'heading') {
      deepest = Math.min(block.level + 1, deepest + 1);
      return { ...block, level: deepest, line: block.line.map(printedInline) };
    }
    if (block.kind === 'paragraph') return { ...block, lines: block.lines.map((line) => line.map(printedInline)) };
    return { ...block, items: block.items.map((item) => ({ ...item, line: item.line.map(printedInline) })) };
  });
}

/**
 * Prints the address of a link, because nobody can follow a link on paper. The address is isolated as left to right (UAX #9, 2.4): after
 * Arabic words its last slash would otherwise move to its start.
 */
function printedInline(run: InlineRun): unknown {
  const text = wrapLongWords(run.text);
  if (run.href === undefined) return { ...run, text };
  const url = `\u2066${wrapLongWords(run.href)}\u2069`;
  return run.href === run.text ? { ...run, text: url } : { ...run, text, to: url };
}

/** A line of the address, or of the head, which is about as wide. */
function narrowLine(text: string): string {
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
