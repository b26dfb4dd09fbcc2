import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { closeBidiControls } from '../text/close-bidi-controls.ts';
import { legalSmsText } from './legal-text.ts';
import { renderPlainText } from './plain-text.ts';

/** The text of a text message and the number of its segments, each of which a gateway charges. */
type SmsText = { readonly text: string; readonly segments: number };

/** The GSM alphabet of 3GPP TS 23.038, section 6.2.1, without the escape. Extended characters take two places each. */
const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const gsmExtended = new Set('^{}\\[~]|€\f');

/**
 * Characters outside the GSM alphabet that look like characters in it, or like nothing: word processors insert them, and a single one
 * makes a text message twice as expensive.
 */
const gsmSubstitutes: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\t\p{Zs}]/gu, ' '],
  [/[\u2028\u2029]/g, '\n'],
  // Soft hyphen, zero width space, word joiner, byte order mark.
  [/[\u00ad\u200b\u2060\ufeff]/g, ''],
  [/[\u2018-\u201b\u2039\u203a\u2032]/g, "'"],
  [/[\u201c-\u201f\u00ab\u00bb\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
];

/** The limit of segments. A longer message is announced, and its full text is in the inbox. */
const maxSegments = 6;

/**
 * Counts the segments of a text: 160 places of the GSM alphabet or 70 of UCS-2 in a single segment, 153 or 67 in each of several. A
 * character of two places is never split (3GPP TS 23.040, section 9.2.3.24.1).
 */
export function countSegments(text: string): number {
  const characters = Array.from(text);
  const gsm = isGsmText(text);
  const sizeOf = (character: string) => (gsm ? (gsmExtended.has(character) ? 2 : 1) : character.length);
  return segmentCountOf(characters.map(sizeOf), gsm ? { single: 160, each: 153 } : { single: 70, each: 67 });
}

function isGsmText(text: string): boolean {
  return Array.from(text).every((character) => gsmBasic.has(character) || gsmExtended.has(character));
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

type SmsDraft = Pick<OutgoingMessage, 'sender' | 'subject' | 'content' | 'language' | 'noticeOnly' | 'legalNotice'> & {
  /** The link to the message in the inbox, which follows an announcement. */
  readonly inbox?: string | undefined;
};

/**
 * Renders a text message: the full text if it is short enough, else an announcement with the subject, or without it if that is still too
 * long. Both say when the message counts as served. A message with an address of its own is never announced, because it may not be in
 * the inbox. A notice has nothing of the message.
 */
export function renderSmsText(message: SmsDraft): SmsText {
  const { sender, subject, noticeOnly = false } = message;
  const { language, message: texts } = localeFor(message.language);
  const { inbox: link, legalNotice } = message;
  const legalText = legalNotice === undefined ? [] : [legalSmsText(message.language, legalNotice)];
  const readText = link === undefined ? texts.readInYourInbox : formatMessage(language, texts.readAt, { link });
  const announce = (text: string, values: Readonly<Record<string, string>>) =>
    toSmsText([formatMessage(language, text, values), ...legalText, readText].join(' '));
  if (noticeOnly) return announce(texts.announcement, { sender });
  const fullText = toSmsText([`${sender}: ${renderPlainText(message.content).trim()}`, ...legalText].join('\n'));
  if (fullText.segments <= maxSegments || message.content.address !== undefined) return fullText;
  const announcement = announce(texts.announcement, { sender });
  if (subject === undefined) return announcement;
  const withSubject = announce(texts.announcementWithSubject, { sender, subject: closeBidiControls(subject) });
  return withSubject.segments <= maxSegments ? withSubject : announcement;
}

/**
 * Normalizes a text to NFC, because the GSM alphabet has no combining characters, and replaces the characters of `gsmSubstitutes` if the
 * whole text then fits that alphabet. Otherwise the replacement would save nothing.
 */
function toSmsText(text: string): SmsText {
  const composed = text.normalize('NFC');
  const replaced = gsmSubstitutes.reduce((sum, [pattern, substitute]) => sum.replace(pattern, substitute), composed);
  const sent = isGsmText(replaced) ? replaced : composed;
  return { text: sent, segments: countSegments(sent) };
}
