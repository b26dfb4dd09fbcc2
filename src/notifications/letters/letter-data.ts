import { toInstant } from '../../kernel/clock.ts';
import type { Message } from '../channels/channel.ts';
import type { Block } from '../markdown.ts';
import { phrasesOf } from '../phrases.ts';
import { blocksOf } from '../sealed-content.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';

const mostAddressLines = 6;
/** A line is wrapped at the width of the window; one that is longer than this could never fit. */
const longestAddressLine = 160;
const longestWord = 20;

/** What a letter is made of. */
export type LetterText = Pick<
  Message,
  'address' | 'sender' | 'subject' | 'text' | 'content' | 'reminder' | 'language' | 'at'
> & { readonly notification: string };

/** Characters that no font shows and that nothing is said by: a byte order mark, and marks of annotations and hieroglyphs. */
const unseen = /[\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** What the template is given, as JSON; undefined where the address has no form that a window takes. */
export function letterData(message: LetterText, window: AddressWindowName): string | undefined {
  const address = message.address
    .split('\n')
    .map(clean)
    .filter((line) => line !== '');
  if (address.length < 2 || address.length > mostAddressLines) return undefined;
  if (address.some((line) => line.length > longestAddressLine)) return undefined;
  const phrases = phrasesOf(message.language);
  const title = message.subject ?? phrases.messageFrom(message.sender);
  const data = {
    title: clean(message.reminder ? phrases.reminder(title) : title),
    sender: clean(message.sender),
    lang: /^[a-z]{2,3}(?=-|$)/i.exec(message.language ?? '')?.[0].toLowerCase() ?? 'en',
    rtl: isRightToLeft(message.text),
    id: message.notification,
    date: toInstant(message.at).slice(0, 10),
    address: address.map(breakable),
    blocks: levelled(blocksOf(message.content)),
    attachments: (message.content.attachments ?? []).map(({ title: name }) => clean(name)),
    window: addressWindows[window],
  };
  return JSON.stringify(data).replaceAll(unseen, '');
}

/** The first letter with a direction decides, as in Unicode's bidirectional algorithm (UAX #9, P2). */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** The title is level 1, and no level may be left out (PDF/UA-1, 7.4.2). */
function levelled(blocks: readonly Block[]): readonly unknown[] {
  let deepest = 1;
  return blocks.map((block) => {
    if (block.kind !== 'heading') return block;
    const level = Math.min(block.level + 1, deepest + 1);
    deepest = level;
    return { ...block, level };
  });
}

function clean(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Lets long words wrap: a zero width space (U+200B) after each so many characters, and none within one. */
function breakable(line: string): string {
  return line.replaceAll(/\S{21,}/gu, (word) => {
    const letters = Array.from(graphemes.segment(word), ({ segment }) => segment);
    return letters
      .map((letter, index) => (index > 0 && index % longestWord === 0 ? `\u200b${letter}` : letter))
      .join('');
  });
}
