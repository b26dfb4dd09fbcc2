import { formatDay } from '../../locales/date-format.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { contactLines } from '../rendering/contact-lines.ts';
import { legalLetterSentences } from '../rendering/legal-text.ts';
import { defaultSubject, messageNumberText } from '../rendering/mail-text.ts';
import type { InlineRun, MarkdownBlock } from '../text/markdown.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';
import {
  breakLongWords,
  cleanLine,
  invisibleCharacters,
  keptPart,
  type LinePart,
  phraseParts,
  textParts,
  urlParts,
} from './letter-text.ts';

const maxAddressLines = 6;
/** A line wraps at the width of the window; a longer one could never fit. */
const maxAddressLineLength = 160;
/**
 * How many of the widest letters fit into a line: of the address, of the head, and of a title, which has the largest text. A letter in large print has
 * fewer.
 */
const lineWidths = {
  normal: { address: 20, head: 20, text: 35 },
  large: { address: 20, head: 10, text: 20 },
} as const;

/** A private-use character that no text contains at this point: the place of a value in a fixed phrase. */
const valueMark = '\ue000';

/** The layout settings of letters. */
export type LetterLayout = {
  readonly window: AddressWindowName;
  /** The lines of the return address for undeliverable letters, for services without their own. */
  readonly returnAddress?: readonly string[];
  /** The time zone of the date; without it UTC. */
  readonly timeZone?: string;
  /** The names of the files in the folder of logos. */
  readonly logos?: readonly string[];
};

/** The parts of a message that a letter shows. A letter always has the whole text. */
export type LetterInput = Omit<
  OutgoingMessage,
  'notification' | 'delivery' | 'attempt' | 'originalAttempt' | 'category' | 'noticeOnly'
> & { readonly notification: string };

/** The data of the template as JSON; undefined if the address cannot fit into a window. */
export function letterTemplateData(message: LetterInput, layout: LetterLayout): string | undefined {
  const address = message.address.split('\n').map(cleanLine).filter(Boolean);
  if (address.length < 2 || address.length > maxAddressLines) return undefined;
  if (address.some((line) => line.length > maxAddressLineLength)) return undefined;
  const { language, message: texts } = localeFor(message.language);
  const large = message.largePrint === true;
  const widths = large ? lineWidths.large : lineWidths.normal;
  // PDF/UA-1 requires a title.
  const title = cleanLine(message.subject ?? '') || defaultSubject(message.language, message.sender);
  const shownTitle = message.reminder ? formatMessage(language, texts.reminderSubject, { subject: title }) : title;
  const data = {
    large,
    title: cleanLine(shownTitle),
    heading: textParts(cleanLine(shownTitle), widths.text),
    sender: breakLongWords(cleanLine(message.sender), widths.text),
    lang: /^[a-z]{2,3}(?=-|$)/i.exec(message.language ?? '')?.[0].toLowerCase() ?? 'en',
    rtl: isRightToLeft(message.content.message),
    reference: referenceParts(message, widths.text),
    number: isolated(
      message,
      phraseParts(messageNumberText(message.language, valueMark), valueMark, [
        keptPart(message.notification, widths.text),
      ]),
    ),
    date: textParts(formatDay(message.language, message.at, layout.timeZone), widths.text),
    head: headOf(message, layout, widths.head),
    contact: contactParts(message, large ? widths.text : widths.head),
    address: address.map((line) => breakLongWords(line, widths.address)),
    blocks: printedBlocks(blocksOf(message.content), widths.text),
    legal: legalParts(message, widths.text),
    ours: language,
    attached: isolated(message, [texts.attachments]),
    attachments: (message.content.attachments ?? []).map(({ title: name }) => textParts(cleanLine(name), widths.text)),
    window: addressWindows[layout.window],
  };
  return JSON.stringify(data).replaceAll(invisibleCharacters, '');
}

/** The logo, name and return address of the sender. */
function headOf(message: LetterInput, layout: LetterLayout, width: number) {
  const narrowLine = (text: string) => breakLongWords(cleanLine(text), width);
  const returnAddress = message.returnAddress ?? layout.returnAddress ?? [];
  const logo = logoFileOf(layout.logos ?? [], message.clientId);
  return {
    sender: textParts(cleanLine(message.sender), width),
    back: [message.sender, ...returnAddress].map(narrowLine),
    rtl: isRightToLeft(message.sender),
    lines: returnAddress.map(narrowLine),
    ...(logo === undefined ? {} : { logo }),
  };
}

/** The file of the client, or of all clients. */
function logoFileOf(files: readonly string[], clientId: string | undefined): string | undefined {
  return [clientId, 'default'].flatMap((name) => [`${name}.svg`, `${name}.png`]).find((name) => files.includes(name));
}

/** How citizens contact the sender, line by line. */
function contactParts(message: LetterInput, width: number): LinePart[][] {
  return contactLines(message.language, message.senderSettings).map(({ text, value }) => {
    const parts = isolated(message, urlParts(value, width));
    return isolated(message, phraseParts(text.replace(value, valueMark), valueMark, parts));
  });
}

/** When the message counts as served; empty if its sender named no rule. */
function legalParts(message: LetterInput, width: number): LinePart[] {
  const { language, legalNotice } = message;
  if (legalNotice === undefined) return [];
  return isolated(message, textParts(legalLetterSentences(language, legalNotice).join(' '), width));
}

/** The reference of the sender; empty if it gave none. */
function referenceParts(message: LetterInput, width: number): LinePart[] {
  const id = cleanLine(message.reference ?? '');
  if (id === '') return [];
  const { language, message: texts } = localeFor(message.language);
  const phrase = formatMessage(language, texts.reference, { id: valueMark });
  return isolated(message, phraseParts(phrase, valueMark, [keptPart(id, width)]));
}

/** In a right-to-left letter, a fixed phrase and a URL have their own direction (UAX #9, first strong isolate). */
function isolated({ content }: LetterInput, phrase: readonly LinePart[]): LinePart[] {
  return isRightToLeft(content.message) ? ['\u2068', ...phrase, '\u2069'] : [...phrase];
}

/** True if the first letter of the text belongs to a right-to-left script (UAX #9, rule P2). */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** The title is level 1. No level may be skipped (PDF/UA-1, 7.4.2). */
function printedBlocks(blocks: readonly MarkdownBlock[], width: number): unknown[] {
  let deepest = 1;
  const printedLine = (line: readonly InlineRun[]) => line.map((run) => printedInline(run, width));
  return blocks.map((block) => {
    if (block.kind === 'heading') {
      deepest = Math.min(block.level + 1, deepest + 1);
      return { ...block, level: deepest, line: printedLine(block.line) };
    }
    if (block.kind === 'paragraph') return { ...block, lines: block.lines.map(printedLine) };
    return { ...block, items: block.items.map((item) => ({ ...item, line: printedLine(item.line) })) };
  });
}

/**
 * Prints the address of a link, because nobody can follow a link on paper. The address is isolated as left to right (UAX #9, 2.4): after
 * Arabic words its last slash would otherwise move to its start.
 */
function printedInline(run: InlineRun, width: number): unknown {
  const text = textParts(run.text, width);
  if (run.href === undefined) return { ...run, text };
  const url = ['\u2066', ...urlParts(run.href, width), '\u2069'];
  return run.href === run.text ? { ...run, text: url } : { ...run, text, to: url };
}
