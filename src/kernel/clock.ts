/** The time in milliseconds since the Unix epoch. Code that needs the time receives a clock, so that tests set it. */
export type Clock = { now(): number };

/** Returns that many random bytes. Injected like the clock, so that tests can repeat ids. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** The absolute difference of an instant and now in ms, so that a cached value also expires if the clock is set back. */
export function elapsedMs(at: number, clock: Clock): number {
  return Math.abs(clock.now() - at);
}

/** An instant (epoch ms) on the wire: RFC 3339 in UTC with milliseconds. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The first and the last instant of RFC 3339 in epoch ms: its years have four digits. */
const minInstantMs = Date.parse('0000-01-01T00:00:00.000Z');
/** The last instant of RFC 3339 in epoch ms; see `parseInstant`. */
export const maxInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** A `date-time` of RFC 3339, section 5.6. */
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The pattern of instants in headers. It is fixed in the register of endpoints, where a pattern cannot become a format. */
export const instantPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$';

/** Describes the texts that `parseInstant` accepts, for the message of a refusal. */
export const instantRequirement = 'must be an instant with its offset, such as 2026-01-31T12:00:00Z';

/** The instant of an RFC 3339 text in epoch ms; undefined for any other text, and for a leap second. */
export function parseInstant(text: string): number | undefined {
  if (!dateTimePattern.test(text)) return undefined;
  const at = Date.parse(text);
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || !(at >= minInstantMs && at <= maxInstantMs)) return undefined;
  // `Date` reads June 31 as July 1, and accepts the hour 24.
  return formatInstant(midnight).startsWith(day) && text.slice(11, 13) !== '24' ? at : undefined;
}
