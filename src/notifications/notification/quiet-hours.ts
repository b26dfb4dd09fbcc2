import { memoize } from '../../kernel/lru-cache.ts';
import type { ChannelName } from './notification.ts';

/**
 * The hours in which these channels may send: from `from` to `until` (full hours of the day in the time zone), over midnight when
 * `until` is smaller.
 */
export type QuietHours = {
  readonly channels: readonly ChannelName[];
  readonly from: number;
  readonly until: number;
  /** A name of the IANA time zone database, such as `Europe/Lisbon`. */
  readonly timeZone: string;
};

const quarterMs = 900_000;
/** Two days of 96 quarters, which is enough for any change of the clocks. */
const maxQuarters = 192;
/** The limit of cached formats: citizens choose the time zones, and a format takes about 30 kB. */
const maxCachedZones = 32;

/**
 * The instant `at`, or the first quarter of an hour after it that all hours in the list allow (epoch ms). Time zones differ by quarters
 * of an hour. If they have no common hour, the first in the list decides.
 */
export function nextAllowedTime(all: readonly (QuietHours | undefined)[], channel: ChannelName, at: number): number {
  const limits = all.filter((one) => one?.channels.includes(channel)).filter((one) => one !== undefined);
  if (limits.every((one) => isAllowedHour(one, at))) return at;
  let next = Math.ceil(at / quarterMs) * quarterMs;
  for (let tries = 0; tries < maxQuarters; tries += 1, next += quarterMs) {
    if (limits.every((one) => isAllowedHour(one, next))) return next;
  }
  return limits.length > 1 ? nextAllowedTime(limits.slice(0, 1), channel, at) : at;
}

/** Why the hours of a citizen are invalid; undefined when they are valid. */
export function quietHoursFault({ from, until, timeZone }: Omit<QuietHours, 'channels'>): string | undefined {
  const isHour = (hour: number) => Number.isInteger(hour) && hour >= 0 && hour <= 24;
  // From 24 until 0 contains no hour.
  if (!isHour(from) || !isHour(until) || from === until || from - until === 24)
    return 'from and until are two different hours from 0 to 24';
  try {
    createFormat(timeZone);
    return undefined;
  } catch {
    return 'timeZone is a name of the IANA database, such as Europe/Lisbon';
  }
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
}

/** Undefined when the time zone data of Node.js do not have the name. */
const formatOfZone = memoize(maxCachedZones, (timeZone) => {
  try {
    return createFormat(timeZone);
  } catch {
    return undefined;
  }
});

/** Hours in an unknown time zone allow every instant. Otherwise nothing could be sent to the citizen. */
function isAllowedHour({ from, until, timeZone }: QuietHours, at: number): boolean {
  // Names of time zones ignore letter case.
  const format = formatOfZone(timeZone.toLowerCase());
  if (format === undefined) return true;
  const hour = Number(format.format(at));
  return from < until ? hour >= from && hour < until : hour >= from || hour < until;
}
