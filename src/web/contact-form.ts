import type { ContactPreferences } from '../notifications/contact/contact-preferences.ts';
import { externalChannelNames } from '../notifications/notification/notification.ts';
import { quietHoursFault } from '../notifications/notification/quiet-hours.ts';

/** The ranks of the channels, in the order of the citizen's preference. */
export const preferenceRanks = ['1', '2', '3'] as const;
export const declinedValue = 'never';

/** The contact form as a browser sends it: texts, empty where nothing is chosen. */
export type ContactFields = {
  /** The rank of each channel, or `never`. */
  readonly ranks: Readonly<Record<ExternalChannel, string>>;
  /** The channels that respect the hours. */
  readonly hoursFor: readonly string[];
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
  readonly language: string;
};

type ExternalChannel = (typeof externalChannelNames)[number];

/** A fault of the form. `form` means that the operation refuses an input that this form cannot produce. */
export type ContactFault = 'places' | 'hours' | 'timeZone' | 'form';

/** The form filled with the current preferences. It has a field for each preference, so that saving it loses none. */
export function contactFieldsOf({ channels, declined, hours, language }: ContactPreferences): ContactFields {
  const rankOf = (channel: ExternalChannel) => {
    if (declined.some((one) => one === channel)) return declinedValue;
    return preferenceRanks[channels.indexOf(channel)] ?? '';
  };
  return {
    ranks: { email: rankOf('email'), sms: rankOf('sms'), letter: rankOf('letter') },
    hoursFor: hours?.channels ?? [],
    from: String(hours?.from ?? ''),
    until: String(hours?.until ?? ''),
    timeZone: hours?.timeZone ?? '',
    language: language ?? '',
  };
}

/** Reads the form; undefined if a field is missing, because saving it would lose that preference. */
export function parseContactFields(form: URLSearchParams): ContactFields | undefined {
  const text = (name: string) => form.get(name) ?? '';
  if ([...externalChannelNames, 'from', 'until', 'timeZone', 'language'].some((name) => !form.has(name)))
    return undefined;
  return {
    ranks: { email: text('email'), sms: text('sms'), letter: text('letter') },
    hoursFor: form.getAll('hoursFor'),
    from: text('from'),
    until: text('until'),
    timeZone: text('timeZone'),
    language: text('language'),
  };
}

/** The body of the operation, or all faults of the form. */
export function preferencesFromFields(
  fields: ContactFields,
): { readonly body: object } | { readonly faults: ContactFault[] } {
  const { ranks, hoursFor, language } = fields;
  const placed = externalChannelNames.filter((channel) => ranks[channel] !== '' && ranks[channel] !== declinedValue);
  const taken = placed.map((channel) => ranks[channel]);
  const declined = externalChannelNames.filter((channel) => ranks[channel] === declinedValue);
  const hours = {
    channels: hoursFor,
    from: parseHour(fields.from),
    until: parseHour(fields.until),
    timeZone: fields.timeZone,
  };
  const faults: ContactFault[] = [];
  if (taken.some((rank) => !preferenceRanks.some((one) => one === rank))) faults.push('form');
  else if (new Set(taken).size < taken.length) faults.push('places');
  if (hoursFor.length > 0 && quietHoursFault({ ...hours, timeZone: 'UTC' }) !== undefined) faults.push('hours');
  if (hoursFor.length > 0 && hours.timeZone === '') faults.push('timeZone');
  // A new preference that this form does not know yet does not compile, because saving would lose it. Large print stays as it is stored.
  const body: Readonly<Record<Exclude<keyof ContactPreferences, 'largePrint'>, unknown>> = {
    channels: placed.toSorted((one, other) => Number(ranks[one]) - Number(ranks[other])),
    declined,
    hours: hoursFor.length === 0 ? null : hours,
    language: language === '' ? null : language,
  };
  return faults.length > 0 ? { faults } : { body };
}

function parseHour(text: string): number {
  return text === '' ? Number.NaN : Number(text);
}
