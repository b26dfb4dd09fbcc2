/** `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` if no more is known. */
export const datePattern = '^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$';

/**
 * The canonical form of a date: an unknown day or month, written as 00, is removed. Dates that the calendar does not have stay unchanged:
 * some registers hold such dates, and the documents of the person have the same.
 */
export function dateForm(text: string): string {
  if (text.endsWith('-00-00')) return text.slice(0, 4);
  return text.endsWith('-00') ? text.slice(0, -3) : text;
}

const shortMonths = new Set([4, 6, 9, 11]);

/** Whether the calendar has this date. Expects the form of `dateForm`. */
export function dateExists(form: string): boolean {
  const year = Number(form.slice(0, 4));
  const month = form.length > 4 ? Number(form.slice(5, 7)) : 1;
  const day = form.length > 7 ? Number(form.slice(8, 10)) : 1;
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : shortMonths.has(month) ? 30 : 31;
  return day <= days;
}

/** Whether the dates are equal, or one is a less precise form of the other: `1980` and `1980-02-07`. */
export function agreesToPrecision(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || long.startsWith(`${short}-`);
}
