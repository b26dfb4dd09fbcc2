import { memoize } from '../../kernel/lru-cache.ts';
import type { ChannelName } from './notification.ts';

/**
 * When these channels speak: from `from` to `until` (full hours of the day in that time zone), over midnight where
 * `until` is the smaller one. Outside of that they stay silent.
 */
export type QuietHours = {
  readonly channels: readonly ChannelName[];
  readonly from: number;
  readonly until: number;
  /** A name of the IANA time zone database, as `Europe/Lisbon`. */
  readonly timeZone: string;
};

const quarterMs = 900_000;
/** A day has 96 quarters; two days are enough for any change of the clocks. */
const maxQuarters = 192;
/** Citizens name their time zones, and a format is about 30 kB: so many are kept, at most twice. */
const maxCachedZones = 32;

/**
 * The same instant, or the first one after it that is quiet for nobody in the list. Time zones differ by quarters of an
 * hour. Where two leave no common hour, the first in the list decides alone.
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

/** What is wrong about hours that a person stated; undefined where nothing is. */
export function quietHoursFault({ from, until, timeZone }: Omit<QuietHours, 'channels'>): string | undefined {
  const isHour = (hour: number) => Number.isInteger(hour) && hour >= 0 && hour <= 24;
  // From 24 until 0 is no hour at all.
  if (!isHour(from) || !isHour(until) || from === until || from - until === 24)
    return 'from and until are two different hours from 0 to 24';
  try {
    createFormat(timeZone);
    return undefined;
  } catch {
    return 'timeZone is a name of the IANA database, as Europe/Lisbon';
  }
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
}

const formatOfZone = memoize(maxCachedZones, (timeZone) => {
  try {
    return createFormat(timeZone);
  } catch {
    return undefined;
  }
});

/** Letter case makes no other zone of it, and so no other format. Undefined where the time zone data are older than the name. */
function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  return formatOfZone(timeZone.toLowerCase());
}

/** Hours of which nobody here can tell when they are hold nothing back: else this citizen could be sent nothing. */
function isAllowedHour({ from, until, timeZone }: QuietHours, at: number): boolean {
  const format = formatOf(timeZone);
  if (format === undefined) return true;
  const hour = Number(format.format(at));
  return from < until ? hour >= from && hour < until : hour >= from || hour < until;
}
