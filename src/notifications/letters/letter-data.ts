import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { defaultSubject } from '../rendering/default-subject.ts';
import type { InlineRun, ListItem, MarkdownBlock } from '../text/markdown.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';

const maxAddressLines = 6;
/** A line is wrapped at the width of the window; one that is longer than this could never fit. */
const maxAddressLineLength = 160;
/** A word of so many of the widest letters fits into a line: of the address, and of a title, the largest in the letter. */
const maxWordLengths = { address: 20, text: 35 };
/** Where it is longer, it may be broken after so many. */
const wordPieceLength = 20;

/** How letters look. */
export type LetterLayout = {
  readonly window: AddressWindowName;
  /** Where letters come back to that cannot be delivered, line by line, but those of a service with an address of its own. */
  readonly returnAddress?: readonly string[];
  /** Whose days letters are dated by; without it UTC's. */
  readonly timeZone?: string;
};

/** What a letter is made of. */
export type LetterInput = Pick<
  OutgoingMessage,
  'address' | 'sender' | 'returnAddress' | 'subject' | 'content' | 'reminder' | 'language' | 'at'
> & { readonly notification: string };

/** Characters that no font shows and that nothing is said by: a byte order mark, and marks of annotations and hieroglyphs. */
const invisibleCharacters = /[\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** What the template is given, as JSON; undefined where the address has no form that a window takes. */
export function letterTemplateData(message: LetterInput, layout: LetterLayout): string | undefined {
  const address = message.address
    .split('\n')
    .map(cleanLine)
    .filter((line) => line !== '');
  if (address.length < 2 || address.length > maxAddressLines) return undefined;
  if (address.some((line) => line.length > maxAddressLineLength)) return undefined;
  const { language, message: texts } = localeFor(message.language);
  const returnAddress = message.returnAddress ?? layout.returnAddress ?? [];
  // Without a title no letter is PDF/UA-1.
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

/** The first letter with a direction decides, as in Unicode's bidirectional algorithm (UAX #9, P2). */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** The title is level 1, and no level may be left out (PDF/UA-1, 7.4.2). */
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

/** Nobody can follow a link on paper, so it is printed where it leads. */
function printedInline(run: InlineRun): unknown {
  const text = wrapLongWords(run.text);
  if (run.href === undefined) return { ...run, text };
  const url = isolated(wrapLongWords(run.href));
  return run.href === run.text ? { ...run, text: url } : { ...run, text, to: url };
}

/** From left to right by itself (UAX #9, 2.4): after Arabic words the slash at its end would stand at its begin. */
function isolated(url: string): string {
  return `\u2066${url}\u2069`;
}

/** The head of a letter is about as wide as an address. */
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

/** What has no place to break in it by itself; of the scripts without blanks the typesetter knows the places. */
const unbreakableWords =
  /(?:[^\s\u200b\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[\u00a0\u2007\u202f])+/gu;

/**
 * Lets words that are too long for a line wrap, or their ends would be cut off: a zero width space (U+200B) after each
 * blank that glues, or else after so many characters, and none within one.
 */
function breakLongWords(line: string, longest: number): string {
  return line.replaceAll(unbreakableWords, (word) => {
    if (word.length <= longest) return word;
    let [before, since, written] = ['', 0, ''];
    for (const { segment } of graphemes.segment(word)) {
      if (since === wordPieceLength || /[\u00a0\u2007\u202f]/.test(before)) [since, written] = [0, `${written}\u200b`];
      [before, since, written] = [segment, since + 1, written + segment];
    }
    return written;
  });
}
