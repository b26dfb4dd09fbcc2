import type { ChannelName } from './notification.ts';

/** When these channels stay silent: outside of `from` to `until` (full hours of the day in that time zone). */
export type QuietHours = {
  readonly channels: readonly ChannelName[];
  readonly from: number;
  readonly until: number;
  /** A name of the IANA time zone database, as `Europe/Lisbon`. */
  readonly timeZone: string;
};

const quarterMs = 900_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The same instant, or, in a quiet hour, the first one after it. Time zones differ by quarters of an hour. */
export function afterQuiet(quiet: QuietHours | undefined, channel: ChannelName, at: number): number {
  if (quiet === undefined || !quiet.channels.includes(channel) || isOpen(quiet, at)) return at;
  let next = Math.ceil(at / quarterMs) * quarterMs;
  // A day has 96 quarters; two days are enough for any change of the clocks.
  for (let tries = 0; tries < 192 && !isOpen(quiet, next); tries += 1) next += quarterMs;
  return next;
}

function isOpen({ from, until, timeZone }: QuietHours, at: number): boolean {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
    formats.set(timeZone, format);
  }
  const hour = Number(format.format(at));
  return hour >= from && hour < until;
}
