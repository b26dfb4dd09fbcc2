/** Milliseconds since the Unix epoch. Everything that needs the time is given a clock, so that tests set it. */
export type Clock = { now(): number };

/** Random bytes, given like the clock, so that tests can make ids repeatable. */
export type Random = (bytes: number) => Uint8Array;

/**
 * How many milliseconds lie between that instant and now, in either direction: what is kept or left alone for a while
 * would otherwise stay so for as long as the clock was set back.
 */
export function ageOf(at: number, clock: Clock): number {
  return Math.abs(clock.now() - at);
}

/** An instant as callers see it: RFC 3339 in UTC with milliseconds. */
export function toInstant(epochMs: number): string {
  if (epochMs !== lastMs) {
    lastInstant = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastInstant;
}

// One request writes the same instant several times.
let lastMs = Number.NaN;
let lastInstant = '';

/** The instant of an RFC 3339 text in epoch ms; undefined for a day or hour that no calendar has. */
export function parseInstant(given: string): number | undefined {
  const at = Date.parse(given);
  const [year, month, day] = given.slice(0, 10).split('-').map(Number);
  if (Number.isNaN(at) || year === undefined || month === undefined || day === undefined) return undefined;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? at : undefined;
}
