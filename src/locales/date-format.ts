import { findLocale } from './locale.ts';

/** By language, style and time zone: creating a format takes as long as formatting 100 dates with it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant (ms) in a time zone, such as `1 March 2028`; as YYYY-MM-DD for a language without a catalogue. */
export function formatDay(tag: string | undefined, at: number, timeZone = 'UTC'): string {
  return dateTimeFormat(tag, { timeZone }).format(at);
}

/** The minute of an instant (ms) in a time zone, such as `1 March 2028 at 10:05 am`. */
export function formatMinute(tag: string, at: number, timeZone = 'UTC'): string {
  return dateTimeFormat(tag, { timeZone, timeStyle: 'short' }).format(at);
}

/**
 * A date of a register in words: `1981-04-25` as `25 April 1981`, and `1981-04` as `April 1981`. A date that does not exist, a year
 * and any other text stay as they are.
 */
export function formatDateText(tag: string, text: string): string {
  const at = Date.parse(`${text.padEnd(10, '-01')}T00:00:00Z`);
  if (!/^\d{4}-\d{2}(-\d{2})?$/.test(text) || Number.isNaN(at) || !new Date(at).toISOString().startsWith(text))
    return text;
  if (text.length === 10) return formatDay(tag, at);
  return new Intl.DateTimeFormat(tag, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(at);
}

function dateTimeFormat(
  tag: string | undefined,
  options: { readonly timeZone: string; readonly timeStyle?: 'short' },
): Intl.DateTimeFormat {
  const language = findLocale(tag)?.language;
  const key = `${language} ${options.timeZone} ${options.timeStyle}`;
  const existing = formats.get(key);
  if (existing !== undefined) return existing;
  // Swedish writes its short dates as ISO 8601 does. English means the international form: the day before the month.
  const created =
    language === undefined
      ? new Intl.DateTimeFormat('sv', { ...options, dateStyle: 'short' })
      : new Intl.DateTimeFormat(language === 'en' ? 'en-001' : language, { ...options, dateStyle: 'long' });
  formats.set(key, created);
  return created;
}
