import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { MessageContent } from '../notification/message-content.ts';
import { closeBidiControls } from '../text/close-bidi-controls.ts';
import { renderPlainText } from './plain-text.ts';

/** A text message as it is sent, and what it costs: gateways charge each segment. */
type SmsText = { readonly text: string; readonly segments: number };

/** The alphabet of 3GPP TS 23.038, section 6.2.1, without the escape; the second list takes two places each. */
const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const gsmExtended = new Set('^{}\\[~]|€\f');

/** A message may take so many segments; a longer one is announced, and lies whole in the inbox. */
const maxSegments = 6;

/**
 * How many segments a text takes: 160 places of the GSM alphabet or 70 of UCS-2 in one, 153 or 67 in each of several. No
 * character is cut in two (3GPP TS 23.040, section 9.2.3.24.1): one of two places begins the next segment where it does not fit.
 */
export function countSegments(text: string): number {
  const characters = Array.from(text);
  const gsm = characters.every((character) => gsmBasic.has(character) || gsmExtended.has(character));
  const sizeOf = (character: string) => (gsm ? (gsmExtended.has(character) ? 2 : 1) : character.length);
  return segmentCountOf(characters.map(sizeOf), gsm ? { single: 160, each: 153 } : { single: 70, each: 67 });
}

function segmentCountOf(
  sizes: readonly number[],
  { single, each }: { readonly single: number; readonly each: number },
): number {
  if (sizes.reduce((sum, size) => sum + size, 0) <= single) return 1;
  let count = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > each) {
      count += 1;
      used = 0;
    }
    used += size;
  }
  return count;
}

/**
 * The text for a message: all of it where it is short enough, else who sent it, about what, and where it lies. A subject
 * with which that would be too long itself is left out. One to an address of its own is never announced: it may lie nowhere
 * else. Letters are composed (NFC): the GSM alphabet has no marks to put on one.
 */
export function renderSmsText(message: {
  readonly sender: string;
  readonly subject: string | undefined;
  readonly content: MessageContent;
  readonly language: string | undefined;
  /** The link to the message in the inbox, where that is known: it follows an announcement. */
  readonly inbox?: string | undefined;
}): SmsText {
  const { sender, subject } = message;
  const fullText = toSmsText(`${sender}: ${renderPlainText(message.content).trim()}`);
  if (fullText.segments <= maxSegments || message.content.address !== undefined) return fullText;
  const { language, message: texts } = localeFor(message.language);
  const link = message.inbox === undefined ? '' : `\n${message.inbox}`;
  const announcement = toSmsText(formatMessage(language, texts.announcement, { sender }) + link);
  if (subject === undefined) return announcement;
  const values = { sender, subject: closeBidiControls(subject) };
  const withSubject = toSmsText(formatMessage(language, texts.announcementWithSubject, values) + link);
  return withSubject.segments <= maxSegments ? withSubject : announcement;
}

function toSmsText(text: string): SmsText {
  const composed = text.normalize('NFC');
  return { text: composed, segments: countSegments(composed) };
}
