import type { ContactPreferences } from '../notifications/contact/contact-preferences.ts';
import { declinableChannelNames, externalChannelNames } from '../notifications/notification/notification.ts';
import { quietHoursFault } from '../notifications/notification/quiet-hours.ts';

/** The ranks of the channels, in the order of the citizen's preference. */
export const preferenceRanks = ['1', '2', '3'] as const;
export const declinedValue = 'never';

/** A channel that leaves the server. */
export type ExternalChannel = (typeof externalChannelNames)[number];

/** The form for the order of the channels as a browser sends it: a rank for each channel, `never`, or an empty text. */
export type ChannelFields = Readonly<Record<ExternalChannel, string>>;

/** The form for the hours: texts, empty where nothing is chosen. */
export type HourFields = {
  /** The channels that respect the hours. */
  readonly hoursFor: readonly string[];
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
};

/** A fault of a form. `form` means that the operation refuses an input that this form cannot produce. */
export type ContactFault = 'places' | 'hours' | 'sameHours' | 'timeZone' | 'form';

/** The part of the preferences that a form changes, or all faults of the form. */
export type FormChange =
  | { readonly change: Partial<ContactPreferences> }
  | { readonly faults: readonly ContactFault[] };

/** The form for the order, filled with the current preferences. */
export function channelFieldsOf({ channels, declined }: ContactPreferences): ChannelFields {
  const rankOf = (channel: ExternalChannel) => {
    if (declined.some((one) => one === channel)) return declinedValue;
    return preferenceRanks[channels.indexOf(channel)] ?? '';
  };
  return { email: rankOf('email'), sms: rankOf('sms'), letter: rankOf('letter') };
}

/** Reads the form; undefined if a field is missing, because saving it would lose that preference. */
export function parseChannelFields(form: URLSearchParams | undefined): ChannelFields | undefined {
  if (form === undefined || externalChannelNames.some((name) => !form.has(name))) return undefined;
  const text = (name: string) => form.get(name) ?? '';
  return { email: text('email'), sms: text('sms'), letter: text('letter') };
}

/** The order that the form states, or its faults. */
export function channelsFromFields(ranks: ChannelFields): FormChange {
  const placed = externalChannelNames.filter((channel) => ranks[channel] !== '' && ranks[channel] !== declinedValue);
  const taken = placed.map((channel) => ranks[channel]);
  if (ranks.letter === declinedValue) return { faults: ['form'] };
  if (taken.some((rank) => !preferenceRanks.some((one) => one === rank))) return { faults: ['form'] };
  if (new Set(taken).size < taken.length) return { faults: ['places'] };
  const channels = placed.toSorted((one, other) => Number(ranks[one]) - Number(ranks[other]));
  return { change: { channels, declined: declinableChannelNames.filter((one) => ranks[one] === declinedValue) } };
}

/** The form for the hours, filled with the current preferences. `defaultZone` is chosen if the citizen has set no hours. */
export function hourFieldsOf({ hours }: ContactPreferences, defaultZone: string): HourFields {
  return {
    hoursFor: hours?.channels ?? [],
    from: String(hours?.from ?? ''),
    until: String(hours?.until ?? ''),
    timeZone: hours?.timeZone ?? defaultZone,
  };
}

/** Reads the form; undefined if a field is missing. */
export function parseHourFields(form: URLSearchParams | undefined): HourFields | undefined {
  if (form === undefined || ['from', 'until', 'timeZone'].some((name) => !form.has(name))) return undefined;
  const text = (name: string) => form.get(name) ?? '';
  return { hoursFor: form.getAll('hoursFor'), from: text('from'), until: text('until'), timeZone: text('timeZone') };
}

/** The hours that the form states, or its faults. */
export function hoursFromFields({ hoursFor, timeZone, ...fields }: HourFields): FormChange {
  const channels = declinableChannelNames.filter((one) => hoursFor.includes(one));
  if (channels.length < hoursFor.length) return { faults: ['form'] };
  if (channels.length === 0) return { change: { hours: null } };
  const hours = { channels, from: parseHour(fields.from), until: parseHour(fields.until), timeZone };
  const faults: ContactFault[] = [];
  if (hours.from === hours.until) faults.push('sameHours');
  else if (quietHoursFault({ ...hours, timeZone: 'UTC' }) !== undefined) faults.push('hours');
  if (timeZone === '') faults.push('timeZone');
  return faults.length > 0 ? { faults } : { change: { hours } };
}

function parseHour(text: string): number {
  return text === '' ? Number.NaN : Number(text);
}
