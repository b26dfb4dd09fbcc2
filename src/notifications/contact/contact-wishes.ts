import { type Static, Type } from 'typebox';
import { quietFault } from '../delivery/quiet-hours.ts';
import { leavingChannelNames, timedChannelNames } from '../notification.ts';
import { languageTag, oneOf } from '../notification-shape.ts';
import type { Contact } from '../ports.ts';

const channelList = <const C extends readonly string[]>(channels: C, description: string) =>
  Type.Optional(
    Type.Array(oneOf(channels), {
      maxItems: channels.length,
      uniqueItems: true,
      description,
    }),
  );

/** What a citizen wishes; what is left out is left to the policy of the server. */
export const wishesShape = Type.Object(
  {
    channels: channelList(
      leavingChannelNames,
      'The channels in the order wished; the others follow in the order of the policy.',
    ),
    declined: channelList(timedChannelNames, 'Never by these. The inbox and letters cannot be declined.'),
    hours: Type.Optional(
      Type.Object(
        {
          channels: Type.Array(oneOf(timedChannelNames), {
            minItems: 1,
            maxItems: timedChannelNames.length,
            uniqueItems: true,
            description: 'Which channels keep to them.',
          }),
          from: Type.Integer({ minimum: 0, maximum: 24, description: 'The first full hour of the day.' }),
          until: Type.Integer({
            minimum: 0,
            maximum: 24,
            description: 'The hour at which they end; over midnight too.',
          }),
          timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'As Europe/Lisbon.' }),
        },
        { additionalProperties: false, description: 'Only in these hours, but for urgent messages.' },
      ),
    ),
    language: Type.Optional(languageTag('In this language (BCP 47), where the sender has it.')),
  },
  { additionalProperties: false },
);

export type ContactWishes = Static<typeof wishesShape>;

/** Addresses that somebody has verified to be the citizen's, each with the instant of that. They go before the register's. */
export type VerifiedContacts = {
  readonly email?: { readonly address: string; readonly verifiedAt: string } | undefined;
  readonly phone?: { readonly address: string; readonly verifiedAt: string } | undefined;
};

/** What is wrong about wishes that fit the schema; undefined where nothing is. */
export function wishesFault({ channels = [], declined = [], hours }: ContactWishes): string | undefined {
  if (channels.some((channel) => declined.some((one) => one === channel)))
    return 'a channel is both wished and declined';
  return hours === undefined ? undefined : quietFault(hours);
}

/** How a citizen is reached: as the register has it, but by what was verified, and as the citizen wishes. */
export function wishedContact(contact: Contact, wishes: ContactWishes, verified: VerifiedContacts): Contact {
  const { channels, declined, hours, language } = wishes;
  return {
    ...contact,
    email: verified.email?.address ?? contact.email,
    phone: verified.phone?.address ?? contact.phone,
    language: language ?? contact.language,
    declined: declined ?? contact.declined,
    order: channels ?? contact.order,
    hours: hours ?? contact.hours,
    verified: [
      ...(verified.email === undefined ? [] : (['email'] as const)),
      ...(verified.phone === undefined ? [] : (['sms'] as const)),
    ],
  };
}
