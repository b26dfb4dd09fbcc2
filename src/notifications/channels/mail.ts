import { parseEmailAddress } from '../../kernel/email-address.ts';
import type { DeliveryId } from '../../kernel/id.ts';
import type { InboxLink } from '../inbox/inbox-link.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { type MailText, renderMailText, toSingleLine } from '../rendering/mail-text.ts';

/** Who mail comes from: an address of the operator, and the host that Message-IDs are made under. */
export type MailSender = {
  readonly address: string;
  readonly messageIdHost: string;
  /** The envelope sender of an attempt, where bounces are read; without it the address. */
  readonly returnPath?: ((attempt: Pick<OutgoingMessage, 'delivery' | 'attempt'>) => string) | undefined;
  /** Where the citizen confirms the receipt of a delivery; without it mail has no such link. */
  readonly confirmLink?: ((delivery: DeliveryId) => string) | undefined;
  /** Where the citizen reads a message in the inbox; without it mail does not say. */
  readonly inboxLink?: InboxLink | undefined;
  /** More headers, by which its provider knows a mail: `{id}` is the Message-ID without its brackets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** A mail as it is handed over; header values are single lines. */
export type Mail = MailText & {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
};

/** The Message-ID of an attempt: by it a relay's log can be asked what became of an attempt without an answer. */
function messageIdOf(message: Pick<OutgoingMessage, 'delivery' | 'attempt'>, host: string): string {
  return `<${message.delivery}.${message.attempt}@${host}>`;
}

/** The mail for a message, the whole text in it; undefined when its address is not one that mail can go to. */
export function mailFor(message: OutgoingMessage, sender: MailSender): Mail | undefined {
  const to = parseEmailAddress(message.address);
  if (to === undefined) return undefined;
  const language = message.language === undefined ? undefined : toSingleLine(message.language);
  const first = message.originalAttempt;
  // Who reads what goes to an address of its own may be somebody else.
  const links = message.content.address === undefined ? sender : undefined;
  return {
    from: { name: toSingleLine(message.sender), address: sender.address },
    to,
    messageId: messageIdOf(message, sender.messageIdHost),
    date: new Date(message.at),
    ...renderMailText({
      ...message,
      confirm: links?.confirmLink?.(message.delivery),
      inbox: links?.inboxLink?.(message.notification),
    }),
    headers: {
      // RFC 3834, and what Exchange asks for in its place (MS-OXCMAIL, 2.1.3.2.20); reports of failures are wanted.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'OOF, AutoReply',
      'Notification-Id': message.notification,
      // Mailboxes show both as one conversation; a reminder is no reply, so there is no In-Reply-To (RFC 5322, section 3.6.4).
      ...(first === undefined ? {} : { References: messageIdOf(first, sender.messageIdHost) }),
      ...(language === undefined ? {} : { 'Content-Language': language }),
      ...providerHeaders(message, sender),
    },
  };
}

function providerHeaders(
  message: OutgoingMessage,
  { headers = {}, messageIdHost }: MailSender,
): Readonly<Record<string, string>> {
  const id = messageIdOf(message, messageIdHost).slice(1, -1);
  return Object.fromEntries(Object.entries(headers).map(([name, line]) => [name, line.replaceAll('{id}', id)]));
}
