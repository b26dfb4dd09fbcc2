/** Milliseconds since the Unix epoch. Everything that needs the time is given a clock, so that tests set it. */
export type Clock = { now(): number };

/** Random bytes, given like the clock, so that tests can make ids repeatable. */
export type RandomBytes = (bytes: number) => Uint8Array;

/**
 * How many milliseconds lie between that instant and now, in either direction: what is kept or left alone for a while
 * would otherwise stay so for as long as the clock was set back.
 */
export function elapsedMs(at: number, clock: Clock): number {
  return Math.abs(clock.now() - at);
}

/** An instant as callers see it: RFC 3339 in UTC with milliseconds. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The first and the last instant that RFC 3339 can state, in epoch ms: its years have four digits. */
const minInstantMs = Date.parse('0000-01-01T00:00:00.000Z');
export const maxInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** A `date-time` of RFC 3339, section 5.6. */
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Instants in headers as the register of endpoints has them, which never takes a format in place of a pattern. */
export const instantPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$';

/** What a caller is told whose text is none that `parseInstant` reads. */
export const instantRequirement = 'must be an instant with its offset, as 2026-01-31T12:00:00Z';

/**
 * The instant of an RFC 3339 text in epoch ms; undefined for every other text, for a day or hour that no calendar has, a leap
 * second, and a year of five digits in UTC.
 */
export function parseInstant(given: string): number | undefined {
  if (!dateTimePattern.test(given)) return undefined;
  const at = Date.parse(given);
  const day = given.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || !(at >= minInstantMs && at <= maxInstantMs)) return undefined;
  // `Date` counts a 31st of June on into July, and knows an hour 24.
  return formatInstant(midnight).startsWith(day) && given.slice(11, 13) !== '24' ? at : undefined;
}
