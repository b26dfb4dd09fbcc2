import type { OutgoingMessage } from '../notification/channel.ts';

/** Gateways reject a longer alphanumeric sender (3GPP TS 23.040, section 9.1.2.5). */
const maxLength = 11;

/** The sender of a text message: that of the client, else as many whole words of its name as fit. */
export function smsSenderOf({ sender, senderSettings }: Pick<OutgoingMessage, 'sender' | 'senderSettings'>): string {
  if (senderSettings?.smsSender !== undefined) return senderSettings.smsSender;
  const plain = sender.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const words = plain.split(/[^A-Za-z\d]+/).filter(Boolean);
  let fitting = '';
  for (const word of words) {
    const longer = fitting === '' ? word : `${fitting} ${word}`;
    if (longer.length > maxLength) break;
    fitting = longer;
  }
  // A name in another script has no such form, and a gateway may accept it.
  return fitting || words[0]?.slice(0, maxLength) || sender;
}
