import { latinSpelling } from '../../kernel/latin-spelling.ts';
import type { OutgoingMessage } from '../notification/channel.ts';

/** Gateways reject a longer alphanumeric sender, and one with other letters (3GPP TS 23.040, section 9.1.2.5, and TS 23.038). */
const maxLength = 11;
/** The sender for a name without letters that have a Latin spelling. */
const unnamedSender = 'Message';

/** The sender of a text message: that of the client, else as many whole words of its name, in Latin letters, as fit. */
export function smsSenderOf({ sender, senderSettings }: Pick<OutgoingMessage, 'sender' | 'senderSettings'>): string {
  if (senderSettings?.smsSender !== undefined) return senderSettings.smsSender;
  return wholeWords(latinSpelling(sender).split(/[^a-z\d]+/i)) || unnamedSender;
}

/** The first words that fit together, or the start of the first one. */
function wholeWords(all: readonly string[]): string {
  const words = all.filter(Boolean);
  const counts = words.map((_word, index) => words.slice(0, index + 1).join(' '));
  return counts.findLast((some) => some.length <= maxLength) ?? words[0]?.slice(0, maxLength) ?? '';
}
