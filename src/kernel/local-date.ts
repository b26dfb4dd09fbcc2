import { formatInstant } from './clock.ts';
import { memoize } from './lru-cache.ts';

const dayMs = 86_400_000;
const quarterMs = 900_000;
/** No zone is further from UTC. */
const maxOffsetMs = 15 * 3_600_000;

/** The zone of an installation, and for a moment another. */
const maxCachedZones = 4;

const formatOf = memoize(
  maxCachedZones,
  (timeZone) => new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
);

/** The day (YYYY-MM-DD) of an instant in a time zone of the IANA database. */
export function localDateAt(timeZone: string, at: number): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return ['year', 'month', 'day'].map((part) => parts.get(part as Intl.DateTimeFormatPartTypes)).join('-');
}

/** The day after that day. */
export function nextDate(day: string): string {
  return formatInstant(Date.parse(day) + dayMs).slice(0, 10);
}

/** The instant at which that day is over there, whatever the clocks are set to that night. Zones differ by quarters of an hour. */
export function endOfLocalDate(timeZone: string, day: string): number {
  const next = nextDate(day);
  let at = Date.parse(next) - maxOffsetMs;
  while (localDateAt(timeZone, at) < next) at += quarterMs;
  return at;
}
