import { type MessagesUpdate, messagesTextRequirements, parseMessagesText } from '../auth/client-messages.ts';
import { categories } from '../notifications/notification/notification.ts';
import { UsageError } from './command.ts';

const string = { type: 'string' } as const;

/** The flags of `clients create` and `clients update` for how a client writes to citizens. */
export const messageFlags = {
  'reply-to': string,
  'contact-phone': string,
  'contact-email': string,
  'contact-url': string,
  'sms-sender': string,
  'notice-only': string,
};

/** The usage of these flags. */
export const messageFlagsUsage =
  '[--reply-to ADDRESS] [--contact-phone NUMBER] [--contact-email ADDRESS] [--contact-url URL] [--sms-sender TEXT] [--notice-only a,b]';

/** The help of these flags. */
export const messageFlagsHelp = `  --reply-to ADDRESS|none
                      The address for answers to its mails.
  --contact-phone NUMBER|none
  --contact-email ADDRESS|none
  --contact-url URL|none
                      Shown to citizens below its messages.
  --sms-sender TEXT|none
                      The sender of its text messages: up to 11 letters, digits and spaces. none: from its name.
  --notice-only a,b|none|default
                      Categories whose mails and text messages only say that there is a message: information,
                      decision, reminder, urgent. default: decision, if citizens have an inbox on the web.`;

type MessageFlagValues = { readonly [Flag in keyof typeof messageFlags]?: string | undefined };

/** Parses these flags; throws a `UsageError` for a value that is not valid. */
export function parseMessageFlags(values: MessageFlagValues): MessagesUpdate {
  return {
    replyTo: parseText('reply-to', 'replyTo', values),
    contactPhone: parseText('contact-phone', 'contactPhone', values),
    contactEmail: parseText('contact-email', 'contactEmail', values),
    contactUrl: parseText('contact-url', 'contactUrl', values),
    smsSender: parseText('sms-sender', 'smsSender', values),
    noticeOnly: parseNoticeOnly(values['notice-only']),
  };
}

function parseText(
  flag: keyof typeof messageFlags,
  member: keyof typeof messagesTextRequirements,
  values: MessageFlagValues,
): string | null | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const parsed = parseMessagesText(member, text);
  if (parsed === undefined)
    throw new UsageError(`--${flag} must be ${messagesTextRequirements[member]}, or none; not '${text}'`);
  return parsed;
}

function parseNoticeOnly(text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  const chosen = categories.filter((category) => names.includes(category));
  if (chosen.length !== new Set(names).size)
    throw new UsageError(
      `--notice-only must be a comma-separated list of ${categories.join(', ')}, or none, or default; not '${text}'`,
    );
  return chosen;
}
