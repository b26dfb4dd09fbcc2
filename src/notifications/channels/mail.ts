import { parseEmailAddress } from '../../kernel/email-address.ts';
import type { DeliveryId } from '../../kernel/id.ts';
import type { InboxLink } from '../inbox/inbox-link.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { type MailText, renderMailText, toSingleLine } from '../rendering/mail-text.ts';

/** The operator's sender address, the host in Message-IDs, and the links that mails carry. */
export type MailSender = {
  readonly address: string;
  readonly messageIdHost: string;
  /** The envelope sender of an attempt, if bounces are processed; otherwise it is the address. */
  readonly returnPath?: ((attempt: Pick<OutgoingMessage, 'delivery' | 'attempt'>) => string) | undefined;
  /** The page on which the citizen confirms the receipt; without it, mails have no such link. */
  readonly confirmLink?: ((delivery: DeliveryId) => string) | undefined;
  /** The page of a message in the inbox; without it, mails have no such link. */
  readonly inboxLink?: InboxLink | undefined;
  /** Extra headers by which the mail provider identifies a mail; `{id}` is the Message-ID without its brackets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** A mail before it is encoded; header values are single lines. */
export type Mail = MailText & {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
};

/** The Message-ID of an attempt. An operator finds an attempt with unknown outcome by it in the log of the relay. */
function messageIdOf(message: Pick<OutgoingMessage, 'delivery' | 'attempt'>, host: string): string {
  return `<${message.delivery}.${message.attempt}@${host}>`;
}

/** The mail for a message, with its whole text unless it is only a notice; undefined when the address is no valid email address. */
export function mailFor(message: OutgoingMessage, sender: MailSender): Mail | undefined {
  const to = parseEmailAddress(message.address);
  if (to === undefined) return undefined;
  const language = message.language === undefined ? undefined : toSingleLine(message.language);
  const first = message.originalAttempt;
  const replyTo = message.senderSettings?.replyTo;
  // Another person may read a message to a different address, so it has no links of the citizen.
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
      ...(replyTo === undefined ? {} : { 'Reply-To': replyTo }),
      // RFC 3834 and its counterpart for Exchange (MS-OXCMAIL, 2.1.3.2.20) suppress automatic replies, but no bounces.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'OOF, AutoReply',
      'Notification-Id': message.notification,
      // Mailboxes show the reminder and the first mail as one conversation. It is no reply, so it has no In-Reply-To.
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
