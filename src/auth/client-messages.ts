import { parseEmailAddress } from '../kernel/email-address.ts';

/** How a client writes to citizens. An undefined member has the default of the server. */
export type ClientMessages = {
  /** The address for answers to its mails (`Reply-To`). */
  readonly replyTo?: string | undefined;
  /** The contact lines that citizens see below its messages. */
  readonly contactPhone?: string | undefined;
  readonly contactEmail?: string | undefined;
  readonly contactUrl?: string | undefined;
  /** The sender of its text messages. */
  readonly smsSender?: string | undefined;
  /** The categories whose mails and text messages have no content of the message. */
  readonly noticeOnly?: readonly string[] | undefined;
};

/** A change of these members. An undefined one stays unchanged; null restores the default of the server. */
export type MessagesUpdate = { readonly [Member in keyof ClientMessages]: ClientMessages[Member] | null };

/** The members after a change. */
export function updatedMessages(present: ClientMessages, wanted: MessagesUpdate = {}): ClientMessages {
  const valueAfter = <T>(next: T | null | undefined, now: T | undefined) =>
    next === undefined ? now : (next ?? undefined);
  return {
    replyTo: valueAfter(wanted.replyTo, present.replyTo),
    contactPhone: valueAfter(wanted.contactPhone, present.contactPhone),
    contactEmail: valueAfter(wanted.contactEmail, present.contactEmail),
    contactUrl: valueAfter(wanted.contactUrl, present.contactUrl),
    smsSender: valueAfter(wanted.smsSender, present.smsSender),
    noticeOnly: valueAfter(wanted.noticeOnly, present.noticeOnly),
  };
}

/** The texts that `parseMessagesText` accepts for each member, for the message of a refusal. */
export const messagesTextRequirements = {
  replyTo: 'one email address without a name, such as permits@example.gov',
  contactPhone: 'a phone number of 3 to 30 digits, spaces and + ( ) - . / characters, such as "+44 20 7946 0000"',
  contactEmail: 'one email address without a name, such as permits@example.gov',
  contactUrl: 'an https URL of at most 200 characters without user and password, such as https://permits.example.gov',
  smsSender: '1 to 11 letters A to Z, digits and spaces, with at least one letter, such as TaxAgency',
} as const;

const maxUrlLength = 200;
const phonePattern = /^(?=(?:\D*\d){3})\+?[\d(][\d ()./-]{1,28}\d$/;
/** The alphanumeric sender of 3GPP TS 23.040, section 9.1.2.5, without the characters that many gateways reject. */
const smsSenderPattern = /^(?=.*[A-Za-z])[A-Za-z\d](?:[A-Za-z\d ]{0,9}[A-Za-z\d])?$/;

/** The stored form of one of these texts; undefined if it is not valid. */
export function parseMessagesText(member: keyof typeof messagesTextRequirements, text: string): string | undefined {
  switch (member) {
    case 'replyTo':
    case 'contactEmail':
      return parseEmailAddress(text);
    case 'contactPhone':
      return phonePattern.test(text) ? text : undefined;
    case 'contactUrl':
      return isContactUrl(text) ? text : undefined;
    case 'smsSender':
      return smsSenderPattern.test(text) ? text : undefined;
  }
}

function isContactUrl(text: string): boolean {
  const url = /^https:\/\/[\x21-\x7e]+$/.test(text) && text.length <= maxUrlLength ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '';
}
