import { type MessagesUpdate, messagesTextRequirements, parseMessagesText } from '../auth/client-messages.ts';
import { categories } from '../notifications/notification/notification.ts';
import { wrongOption } from './command.ts';
import type { CommandOption } from './command-help.ts';

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
export const messageOptions: readonly CommandOption[] = [
  { form: '--reply-to ADDRESS', meaning: 'The address for answers to its mails.', defaultValue: 'none' },
  { form: '--contact-phone NUMBER', meaning: 'Shown to citizens below its messages.', defaultValue: 'none' },
  { form: '--contact-email ADDRESS', meaning: 'Shown to citizens below its messages.', defaultValue: 'none' },
  { form: '--contact-url URL', meaning: 'Shown to citizens below its messages.', defaultValue: 'none' },
  {
    form: '--sms-sender TEXT',
    meaning: 'The sender of its text messages: up to 11 letters, digits and spaces. "none": words of its name.',
    defaultValue: 'none',
  },
  {
    form: '--notice-only a,b|none|default',
    meaning:
      'The categories whose mails and text messages only say that there is a message: information, decision, reminder or urgent. "default": decision, if citizens have an inbox page.',
    defaultValue: 'default',
  },
];

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
  if (parsed === undefined) throw wrongOption(`--${flag}`, `${messagesTextRequirements[member]}, or none`, text);
  return parsed;
}

function parseNoticeOnly(text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  const chosen = categories.filter((category) => names.includes(category));
  if (chosen.length !== new Set(names).size)
    throw wrongOption('--notice-only', `a comma-separated list of ${categories.join(', ')}, or none, or default`, text);
  return chosen;
}
