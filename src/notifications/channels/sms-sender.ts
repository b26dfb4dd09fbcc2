import type { OutgoingMessage } from '../notification/channel.ts';

/** Gateways reject a longer alphanumeric sender (3GPP TS 23.040, section 9.1.2.5). */
const maxLength = 11;

/** Latin letters that have no decomposition. */
const latinForms: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  þ: 'th',
};

/** The sender of a text message: that of the client, else as many whole words of its name as fit. */
export function smsSenderOf({ sender, senderSettings }: Pick<OutgoingMessage, 'sender' | 'senderSettings'>): string {
  if (senderSettings?.smsSender !== undefined) return senderSettings.smsSender;
  const latinFormOf = (one: string) => latinForms[one] ?? latinForms[one.toLowerCase()]?.toUpperCase() ?? one;
  const latin = sender
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđıþ]/giu, latinFormOf);
  // A name in another script has no form in Latin letters, and a gateway may accept it.
  return wholeWords(latin.split(/[^a-z\d]+/i)) || wholeWords(sender.split(/\s+/)) || sender;
}

/** The first words that fit together, or the start of the first one. */
function wholeWords(all: readonly string[]): string {
  const words = all.filter(Boolean);
  const counts = words.map((_word, index) => words.slice(0, index + 1).join(' '));
  return counts.findLast((some) => some.length <= maxLength) ?? words[0]?.slice(0, maxLength) ?? '';
}
