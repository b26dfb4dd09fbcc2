import { dateForm } from '../register/birth-date.ts';

/** Databases export a date as the midnight of its day. The offset belongs to that midnight, so it does not change the day. */
const midnight = /[T ]00:00(?::00(?:\.0+)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/;
const timeOfDay = /[T ]\d{1,2}:\d{2}/;
const wholeDate = /^\d{4}-\d{2}-\d{2}$/;
const yearFirst = /^(\d{4})(?:[-/.]?(\d{2})(?:[-/.]?(\d{2}))?)?$/;

/**
 * Reads dates in `format`. Without a format, only dates that start with the year: they are unambiguous. A time after the date is allowed at
 * midnight only: the program that wrote `1980-02-06T23:00:00.000Z` may have converted the midnight of 7 February into another time zone.
 */
export function createDateReader(format: string | undefined): (text: string) => string | undefined {
  if (format === undefined) {
    return (text) => {
      if (wholeDate.test(text)) return dateForm(text);
      const [, year, month, day] = yearFirst.exec(text.replace(midnight, '')) ?? [];
      return year === undefined
        ? undefined
        : dateForm([year, month, day].filter((part) => part !== undefined).join('-'));
    };
  }
  const source = format
    .replace(/[.+?^${}()|[\]\\*]/g, '\\$&')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('MM', '(?<month>\\d{2})')
    .replace('DD', '(?<day>\\d{2})');
  const expression = new RegExp(`^${source}$`);
  return (text) => {
    const parts = expression.exec(text.replace(midnight, ''))?.groups;
    return parts === undefined ? undefined : dateForm(`${parts['year']}-${parts['month']}-${parts['day']}`);
  };
}

/** The reason for refusing a row whose birth date cannot be read. Without a text, the reason names the expected form only. */
export function dateReason(format: string | undefined, text = ''): string {
  return timeOfDay.test(text)
    ? 'birthDate has a time other than midnight, so a time zone may have changed its day; export the date without the time'
    : `birthDate is not a date of the form ${format ?? 'YYYY-MM-DD, YYYYMMDD, YYYY-MM or YYYY'}`;
}
