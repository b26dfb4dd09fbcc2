/** `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` if no more is known. */
export const datePattern = '^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$';

/**
 * The canonical form of a date: an unknown day or month, written as 00, is removed. Dates that do not exist in the calendar are
 * unchanged: some registers contain such dates, and so do the documents of the person.
 */
export function dateForm(text: string): string {
  if (text.endsWith('-00-00')) return text.slice(0, 4);
  return text.endsWith('-00') ? text.slice(0, -3) : text;
}

/** Whether the calendar has this date. Expects the form of `dateForm`. */
export function dateExists(form: string): boolean {
  const date = `${form}-01-01`.slice(0, 10);
  const instant = new Date(`${date}T00:00:00Z`);
  // JavaScript reads 30 February as 1 or 2 March.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date);
}

/** Whether the dates are equal, or one is a less precise form of the other: `1980` and `1980-02-07`. */
export function agreesToPrecision(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || long.startsWith(`${short}-`);
}
