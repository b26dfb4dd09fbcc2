import type { Read, Statement } from '../store/db.ts';
import { wholeField, wholeOrNull } from '../store/row-fields.ts';

/** By how much a clock may be ahead of the last look at it without being doubted, and how long it is. */
export const dayMs = 86_400_000;
/** A running process counts no smaller gain as a leap: the looks of several processes may be a minute apart. */
const leastLeapMs = 60_000;

/** A leap of the clock from one time to another; `backAt` is when it was first seen between the two again, where it was. */
export type Leap = { readonly from: number; readonly to: number; readonly backAt: number | undefined };

/** Where the clock was at the last look of any server, in epoch ms. */
export type ClockSeen = {
  readonly seenAt: number;
  /** From when on it is believed. */
  readonly sureAt: number;
  /** The farthest that it was seen, but for what is known to have been wrong. */
  readonly frontAt: number;
  readonly leap: Leap | undefined;
};

/** A look: what the clock shows, the latest that it has shown since the last one, and what has passed since as far as it is known. */
type Look = { readonly now: number; readonly latest: number; readonly passedMs: number | undefined };

/**
 * What is known after a look. Only a leap beyond all that was seen counts: a machine that starts with its clock years behind, and
 * has it set right, has not leapt. Of a clock that is back between the ends of its leap it is known that it was wrong.
 */
export function seenAfter(before: ClockSeen | undefined, { now, latest, passedMs }: Look): ClockSeen {
  if (before === undefined) return { seenAt: now, sureAt: 0, frontAt: now, leap: undefined };
  const farthest = Math.max(now, latest);
  const gainedMs = farthest - before.frontAt - (passedMs ?? 0);
  const isLeap = gainedMs > (passedMs === undefined ? dayMs : leastLeapMs) && !isLonger(before.leap, gainedMs);
  const leap = isLeap ? { from: before.frontAt, to: farthest, backAt: undefined } : before.leap;
  const isBack = leap !== undefined && now >= leap.from && now < leap.to;
  return {
    seenAt: now,
    sureAt: sureFrom(before, now, passedMs),
    frontAt: isBack ? now : Math.max(before.frontAt, farthest),
    leap: isBack ? { ...leap, backAt: leap.backAt ?? now } : leap,
  };
}

/** A start behind a short pause does not make a leap forgotten from which the clock may still come back. */
function isLonger(leap: Leap | undefined, gainedMs: number): boolean {
  return leap !== undefined && leap.backAt === undefined && leap.to - leap.from > gainedMs;
}

/** From when on a clock is believed that shows `now`, by what was seen before, and what has certainly passed since. */
export function sureFrom(before: Pick<ClockSeen, 'seenAt' | 'sureAt'>, now: number, passedMs = 0): number {
  if (now - before.seenAt - passedMs > dayMs) return now + dayMs;
  // Set back by more than a day from where it leapt to. Less is another process that reckons the same time otherwise, or a
  // time zone that was put right.
  const leaptTo = before.sureAt - dayMs;
  return now < leaptTo - dayMs ? 0 : before.sureAt;
}

/** The last look; undefined before the first. */
export async function readClockSeen(read: Read): Promise<ClockSeen | undefined> {
  const [row] = await read(
    "select seen_at, sure_at, front_at, leapt_from, leapt_to, back_at from clock_seen where name = 'main'",
  );
  if (row === undefined) return undefined;
  const [from, to] = [wholeOrNull(row, 'leapt_from'), wholeOrNull(row, 'leapt_to')];
  const seenAt = wholeField(row, 'seen_at');
  return {
    ...{ seenAt, sureAt: wholeField(row, 'sure_at') },
    frontAt: wholeOrNull(row, 'front_at') ?? seenAt,
    leap: from === null || to === null ? undefined : { from, to, backAt: wholeOrNull(row, 'back_at') ?? undefined },
  };
}

/** Stores a look. */
export function keepClockSeen({ seenAt, sureAt, frontAt, leap }: ClockSeen): Statement {
  return {
    sql: `insert into clock_seen (name, seen_at, sure_at, front_at, leapt_from, leapt_to, back_at)
      values ('main', $1, $2, $3, $4, $5, $6)
      on conflict (name) do update set seen_at = excluded.seen_at, sure_at = excluded.sure_at, front_at = excluded.front_at,
        leapt_from = excluded.leapt_from, leapt_to = excluded.leapt_to, back_at = excluded.back_at`,
    args: [seenAt, sureAt, frontAt, leap?.from ?? null, leap?.to ?? null, leap?.backAt ?? null],
  };
}
