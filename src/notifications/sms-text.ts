import { phrasesOf } from './phrases.ts';

/** A text message as it is sent, and what it costs: gateways charge each segment. */
export type SmsText = { readonly text: string; readonly segments: number };

/** The alphabet of 3GPP TS 23.038, section 6.2.1, without the escape; the second list takes two places each. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extended = new Set('^{}\\[~]|€\f');

/** A message may take so many segments; a longer one is announced, and lies whole in the inbox. */
const longestSegments = 6;

/** How many segments a text takes: 160 places of the GSM alphabet or 70 of UCS-2 in one, 153 or 67 in each of several. */
export function segmentsOf(text: string): number {
  let places = 0;
  for (const character of text) {
    if (!basic.has(character) && !extended.has(character)) return parts(text.length, 70, 67);
    places += extended.has(character) ? 2 : 1;
  }
  return parts(places, 160, 153);
}

function parts(places: number, single: number, each: number): number {
  return places <= single ? 1 : Math.ceil(places / each);
}

/** The text for a message: all of it where it is short enough, else who sent it, about what, and where it lies. */
export function textOfSms(message: {
  readonly sender: string;
  readonly subject: string | undefined;
  readonly text: string;
  readonly language: string | undefined;
}): SmsText {
  const whole = `${message.sender}: ${message.text.trim()}`;
  if (segmentsOf(whole) <= longestSegments) return { text: whole, segments: segmentsOf(whole) };
  const about = message.subject === undefined ? '' : ` "${message.subject}"`;
  const short = phrasesOf(message.language).announce(message.sender, about);
  return { text: short, segments: segmentsOf(short) };
}
