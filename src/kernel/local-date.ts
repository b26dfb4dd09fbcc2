import { formatInstant } from './clock.ts';
import { memoize } from './lru-cache.ts';

const dayMs = 86_400_000;
const quarterMs = 900_000;
/** No time zone is further from UTC. */
const maxOffsetMs = 15 * 3_600_000;

/** The zone of an installation, and others for a short time. */
const maxCachedZones = 4;

const formatOf = memoize(
  maxCachedZones,
  (timeZone) => new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
);

/** The local date (YYYY-MM-DD) of an instant (epoch ms) in an IANA time zone. */
export function localDateAt(timeZone: string, at: number): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return ['year', 'month', 'day'].map((part) => parts.get(part as Intl.DateTimeFormatPartTypes)).join('-');
}

/** Whether a text is a date of the calendar (YYYY-MM-DD) in the years 1000 to 2999. */
export function isCalendarDate(text: string): boolean {
  const at = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && formatInstant(at).startsWith(text);
}

/** The date after `day`; both as YYYY-MM-DD. */
export function nextDate(day: string): string {
  return formatInstant(Date.parse(day) + dayMs).slice(0, 10);
}

/** The instant (epoch ms) at which `day` starts in a time zone. Offsets are multiples of 15 minutes. */
export function startOfLocalDate(timeZone: string, day: string): number {
  let at = Date.parse(day) - maxOffsetMs;
  while (localDateAt(timeZone, at) < day) at += quarterMs;
  return at;
}

/** The instant (epoch ms) at which `day` ends in a time zone. */
export function endOfLocalDate(timeZone: string, day: string): number {
  return startOfLocalDate(timeZone, nextDate(day));
}
