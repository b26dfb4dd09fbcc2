import { timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../kernel/clock.ts';
import { parseEmailAddress } from '../../kernel/email-address.ts';
import type { NotificationId } from '../../kernel/id.ts';
import type { CitizenContact } from '../notification/contact.ts';
import type { declinableChannelNames } from '../notification/notification.ts';
import { parsePhone } from './phone-number.ts';

/** The channels whose addresses citizens verify by a code. */
export type CodeChannel = (typeof declinableChannelNames)[number];

/** A code that was sent to an address; whoever enters it reads what comes there. */
export type ContactCode = {
  readonly channel: CodeChannel;
  readonly address: string;
  readonly code: string;
  /** The message that brought it. */
  readonly notification: NotificationId;
  readonly endsAt: number;
  /** How often something else was entered. */
  readonly tries: number;
};

const codeDigits = 6;

/** What holds for codes. A day is one of UTC. */
export const contactCodeLimits = { minutes: 15, tries: 5, perDay: { citizen: 10, address: 5 } } as const;

/** The form of a code, for schemas. */
export const contactCodePattern = `^[0-9]{${codeDigits}}$`;

/** A code that nobody can guess: each is as likely as any other, to one part in two hundred million. */
export function generateContactCode(random: RandomBytes): string {
  const drawn = Buffer.from(random(6)).readUIntBE(0, 6);
  return String(drawn % 10 ** codeDigits).padStart(codeDigits, '0');
}

/** Whether a code is good now; one that was tried too often is not any more. */
export function isCodeValid({ endsAt, tries }: ContactCode, now: number): boolean {
  return now < endsAt && tries < contactCodeLimits.tries;
}

/** Whether that is the code; what was entered has its form. The time that it takes tells nothing of where they part. */
export function matchesCode({ code }: ContactCode, entered: string): boolean {
  const [expected, given] = [Buffer.from(code), Buffer.from(entered)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** An address of a channel as messages go to it; undefined for anything else. */
export function parseContactAddress(channel: CodeChannel, text: string): string | undefined {
  return channel === 'email' ? parseEmailAddress(text.trim()) : parsePhone(text);
}

/**
 * Whom a code to that address reaches, as they are counted: mailboxes have many addresses (`them+1@example.org`), and whoever
 * has none of its own would be sent as many codes. Those that part by letter case or by what follows a `+` alone are rare, and
 * their owners get codes all the same on another day.
 */
export function normalizedMailboxOf(address: string): string {
  const at = address.indexOf('@');
  if (at < 0) return address;
  const local = address.slice(0, at).replace(/(?<=.)\+.*$/s, '');
  return `${local}${address.slice(at).replace(/\.+$/, '')}`.toLowerCase();
}

/** Where messages by that channel go now. */
export function contactAddressOf({ email, phone }: CitizenContact, channel: CodeChannel): string | undefined {
  return channel === 'email' ? email : phone;
}
