import { timingSafeEqual } from 'node:crypto';
import { parseEmailAddress } from '../../kernel/email-address.ts';
import type { NotificationId } from '../../kernel/id.ts';
import { removeInvisible } from '../../kernel/invisible-characters.ts';
import { createPhoneParser } from '../../kernel/phone-number.ts';
import type { CitizenContact } from '../notification/contact.ts';
import type { declinableChannelNames } from '../notification/notification.ts';

/** A channel whose addresses citizens verify by a code. */
export type CodeChannel = (typeof declinableChannelNames)[number];

/** A code that was sent to an address. Entering it proves access to the address. */
export type ContactCode = {
  readonly channel: CodeChannel;
  readonly address: string;
  readonly code: string;
  /** The message with the code. */
  readonly notification: NotificationId;
  readonly endsAt: number;
  /** The number of wrong entries. */
  readonly tries: number;
};

/** The validity in minutes, the wrong entries per code, and the codes per UTC day. */
export const contactCodeLimits = { minutes: 15, tries: 5, perDay: { citizen: 10, address: 5 } } as const;

/** The pattern of a code, for schemas. */
export const contactCodePattern = '^[0-9]{6}$';

/** Whether a code can be entered now: it is not expired and was not tried too often. */
export function isCodeValid({ endsAt, tries }: ContactCode, now: number): boolean {
  return now < endsAt && tries < contactCodeLimits.tries;
}

/** Whether the entered text is the code. The comparison takes constant time, so timing does not show how many digits match. */
export function matchesCode({ code }: ContactCode, entered: string): boolean {
  const [expected, received] = [Buffer.from(code), Buffer.from(entered)];
  return expected.length === received.length && timingSafeEqual(expected, received);
}

/**
 * Parses an address of a channel into the form that messages use; undefined when it is invalid. `phoneCountry` is the country of phone
 * numbers without a country code.
 */
export async function parseContactAddress(
  channel: CodeChannel,
  text: string,
  phoneCountry: string | undefined,
): Promise<string | undefined> {
  if (channel === 'email') return parseEmailAddress(removeInvisible(text).trim());
  return await createPhoneParser(phoneCountry)(text);
}

/**
 * The mailbox of an address, for the limit of codes per address. One mailbox has many addresses (`them+1@example.org`), so counting
 * addresses would allow an attacker to flood it with codes. Two mailboxes that differ only in letter case or after a `+` share the limit.
 */
export function normalizedMailboxOf(address: string): string {
  const at = address.indexOf('@');
  if (at < 0) return address;
  const local = address.slice(0, at).replace(/(?<=.)\+.*$/s, '');
  return `${local}${address.slice(at).replace(/\.+$/, '')}`.toLowerCase();
}

/** The address that messages of the channel use now. */
export function contactAddressOf(contact: CitizenContact | undefined, channel: CodeChannel): string | undefined {
  return channel === 'email' ? contact?.email : contact?.phone;
}
