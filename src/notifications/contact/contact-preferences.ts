import { type Static, type TSchema, Type } from 'typebox';
import type { CitizenContact } from '../notification/contact.ts';
import { declinableChannelNames, externalChannelNames } from '../notification/notification.ts';
import { languageTagSchema, literalUnion } from '../notification/notification-shape.ts';
import { quietHoursFault } from '../notification/quiet-hours.ts';

const channelList = <const C extends readonly string[]>(channels: C, description: string) =>
  Type.Array(literalUnion(channels), { maxItems: channels.length, uniqueItems: true, description });
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const hoursShape = Type.Object(
  {
    channels: Type.Array(literalUnion(declinableChannelNames), {
      minItems: 1,
      maxItems: declinableChannelNames.length,
      uniqueItems: true,
      description: 'The channels to which these hours apply: email, sms.',
    }),
    from: Type.Integer({
      minimum: 0,
      maximum: 24,
      description: 'The hour of the day at which the hours start, 0 to 24.',
    }),
    until: Type.Integer({
      minimum: 0,
      maximum: 24,
      description: 'The hour of the day at which the hours end, 0 to 24. It can be on the next day.',
    }),
    timeZone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The time zone of these hours, as an IANA name such as Europe/Lisbon.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'The hours in which the server sends messages, except urgent ones. null: at any hour that the server allows.',
  },
);

/**
 * The schema of a citizen's preferences. All members of version 1.0 are required: a member that a program left out by mistake would
 * delete that preference. A later member that is left out stays as it is stored.
 */
export const contactPreferencesShape = Type.Object(
  {
    channels: channelList(
      externalChannelNames,
      'The channels in the order that you prefer: email, sms, letter. The others follow in the order of the server.',
    ),
    declined: channelList(
      declinableChannelNames,
      'The channels that the server never uses: email, sms. You cannot decline the inbox and letters.',
    ),
    hours: orNull(hoursShape),
    language: orNull(
      languageTagSchema(
        'The language of messages (BCP 47), if the sender has a text in it. null: the language in the register.',
      ),
    ),
    largePrint: Type.Optional(
      Type.Boolean({ description: 'Whether letters are in large print (18 points). Left out: it does not change.' }),
    ),
  },
  { additionalProperties: false },
);

/** The preferences of a citizen. */
export type ContactPreferences = Static<typeof contactPreferencesShape>;

/** The preferences of a citizen who has stated none. */
export const noPreferences: ContactPreferences = { channels: [], declined: [], hours: null, language: null };

/** The verified addresses of a citizen, each with the instant of its verification. They take precedence over the register. */
export type VerifiedContacts = {
  readonly [K in 'email' | 'phone']?: { readonly address: string; readonly verifiedAt: string } | undefined;
};

/** The preferences to store: a member that was left out stays as it was `before`. */
export function mergedPreferences(stated: ContactPreferences, before: ContactPreferences): ContactPreferences {
  const { largePrint = before.largePrint } = stated;
  return largePrint === undefined ? stated : { ...stated, largePrint };
}

/** Why preferences that match the schema are invalid; undefined when they are valid. */
export function preferencesFault({ channels, declined, hours }: ContactPreferences): string | undefined {
  if (channels.some((channel) => declined.some((one) => one === channel)))
    return 'the same channel is in channels and in declined';
  return hours === null ? undefined : quietHoursFault(hours);
}

/** The contact of the register with verified addresses and preferences applied. */
export function applyPreferences(
  contact: CitizenContact,
  preferences: ContactPreferences,
  verified: VerifiedContacts,
): CitizenContact {
  const { channels, declined, hours, language, largePrint } = preferences;
  return {
    ...contact,
    email: verified.email?.address ?? contact.email,
    phone: verified.phone?.address ?? contact.phone,
    language: language ?? contact.language,
    declined,
    largePrint,
    order: channels,
    hours: hours ?? undefined,
    verified: [
      ...(verified.email === undefined ? [] : (['email'] as const)),
      ...(verified.phone === undefined ? [] : (['sms'] as const)),
    ],
  };
}
