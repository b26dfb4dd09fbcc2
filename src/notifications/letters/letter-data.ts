import { toInstant } from '../../kernel/clock.ts';
import type { Message } from '../channels/channel.ts';
import type { Block } from '../markdown.ts';
import { blocksOf } from '../sealed-content.ts';
import { type AddressWindowName, addressWindows } from './letter-template.ts';

const mostAddressLines = 6;

/** What the template is given, as JSON; undefined where the address has no form that a window takes. */
export function letterData(message: Message, window: AddressWindowName): string | undefined {
  const address = message.address
    .split('\n')
    .map(clean)
    .filter((line) => line !== '');
  if (address.length < 2 || address.length > mostAddressLines) return undefined;
  const title = message.subject ?? `Message from ${message.sender}`;
  return JSON.stringify({
    title: clean(message.reminder ? `Reminder: ${title}` : title),
    sender: clean(message.sender),
    lang: /^[a-z]{2,3}(?=-|$)/i.exec(message.language ?? '')?.[0].toLowerCase() ?? 'en',
    rtl: isRightToLeft(message.text),
    id: message.notification,
    date: toInstant(message.at).slice(0, 10),
    address,
    blocks: levelled(blocksOf(message.content)),
    attachments: (message.content.attachments ?? []).map(({ title: name }) => clean(name)),
    window: addressWindows[window],
  });
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
