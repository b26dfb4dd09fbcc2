import type { IssueCode } from '../../kernel/refusal.ts';

/** `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` if no more is known. */
export const datePattern = '^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$';
const dateExpression = new RegExp(datePattern);

/** The canonical form of a date: an unknown day or month, written as 00, is removed. */
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

/**
 * The part of a registered date that exists in the calendar: the date, its month or its year (`1967-02-30` is `1967-02`, `1982-13-01` is
 * `1982`). Some registers have such dates. A request with one is refused, so its owner is verified by the month or year.
 */
export function existingDatePart(form: string): string {
  return [form, form.slice(0, 7)].find(dateExists) ?? form.slice(0, 4);
}

/** A date of a register, reduced to the part that exists. Other texts and null are unchanged. */
export function registeredBirthDate(text: string | null): string | null {
  return text !== null && dateExpression.test(text) ? existingDatePart(dateForm(text)) : text;
}

/** The latest date anywhere on earth (YYYY-MM-DD) at an instant (epoch ms). */
export function latestDateAt(now: number): string {
  return new Date(now + 14 * 3_600_000).toISOString().slice(0, 10);
}

/** Whether a date, or the whole of its month or year, is after `latest`. Both in the form of `dateForm`. */
export function isDateAfter(form: string, latest: string): boolean {
  return form > latest.slice(0, form.length);
}

/** The code and detail of the issue if nobody can be born on this date; otherwise undefined. `now`: epoch ms. */
export function birthDateFault(
  text: string,
  now: number,
): { readonly code: IssueCode; readonly detail: string } | undefined {
  const form = dateForm(text);
  if (form.startsWith('0000') || !dateExists(form)) {
    const detail = 'must be a date of the calendar; send YYYY-MM or YYYY if the day or month is unknown';
    return { code: 'malformed', detail };
  }
  return isDateAfter(form, latestDateAt(now))
    ? { code: 'out-of-range', detail: 'must not be in the future' }
    : undefined;
}

/** Whether the dates are equal, or one is a less precise form of the other: `1980` and `1980-02-07`. */
export function agreesToPrecision(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || long.startsWith(`${short}-`);
}

/** The date with day and month exchanged; undefined if the calendar has no other date with these digits. Expects the form of `dateForm`. */
export function exchangedDate(form: string): string | undefined {
  const [year, month, day] = form.split('-');
  const exchanged = `${year}-${day}-${month}`;
  return day !== undefined && day !== month && dateExists(exchanged) ? exchanged : undefined;
}
