import type { Read, Statement } from '../db/database.ts';
import { integerField, integerOrNull } from '../db/row-fields.ts';

/** By how much a clock may be ahead of the last look at it without being doubted, and how long it is. */
export const dayMs = 86_400_000;
/** A running process counts no smaller gain as a leap: the looks of several processes may be a minute apart. */
const minJumpMs = 60_000;

/** A leap of the clock from one time to another; `backAt` is when it was first seen between the two again, where it was. */
export type ClockJump = { readonly from: number; readonly to: number; readonly backAt: number | undefined };

/** Where the clock was at the last look of any server, in epoch ms. */
export type ClockObservation = {
  readonly observedAt: number;
  /** From when on it is believed. */
  readonly trustedFrom: number;
  /** The farthest that it was seen, but for what is known to have been wrong. */
  readonly latestAt: number;
  readonly jump: ClockJump | undefined;
};

/** A look: what the clock shows, the latest that it has shown since the last one, and what has passed since as far as it is known. */
type ClockReading = { readonly now: number; readonly latest: number; readonly passedMs: number | undefined };

/**
 * What is known after a look. Only a leap beyond all that was seen counts: a machine that starts with its clock years behind, and
 * has it set right, has not leapt. Of a clock that is back between the ends of its leap it is known that it was wrong.
 */
export function nextObservation(
  before: ClockObservation | undefined,
  { now, latest, passedMs }: ClockReading,
): ClockObservation {
  if (before === undefined) return { observedAt: now, trustedFrom: 0, latestAt: now, jump: undefined };
  const farthest = Math.max(now, latest);
  const gainedMs = farthest - before.latestAt - (passedMs ?? 0);
  const isLeap = gainedMs > (passedMs === undefined ? dayMs : minJumpMs) && !isSmallerThanJump(before.jump, gainedMs);
  const jump = isLeap ? { from: before.latestAt, to: farthest, backAt: undefined } : before.jump;
  const isBack = jump !== undefined && now >= jump.from && now < jump.to;
  return {
    observedAt: now,
    trustedFrom: trustFrom(before, now, passedMs),
    latestAt: isBack ? now : Math.max(before.latestAt, farthest),
    jump: isBack ? { ...jump, backAt: jump.backAt ?? now } : jump,
  };
}

/** A start behind a short pause does not make a leap forgotten from which the clock may still come back. */
function isSmallerThanJump(jump: ClockJump | undefined, gainedMs: number): boolean {
  return jump !== undefined && jump.backAt === undefined && jump.to - jump.from > gainedMs;
}

/** From when on a clock is believed that shows `now`, by what was seen before, and what has certainly passed since. */
export function trustFrom(
  before: Pick<ClockObservation, 'observedAt' | 'trustedFrom'>,
  now: number,
  passedMs = 0,
): number {
  if (now - before.observedAt - passedMs > dayMs) return now + dayMs;
  // Set back by more than a day from where it leapt to. Less is another process that reckons the same time otherwise, or a
  // time zone that was put right.
  const leaptTo = before.trustedFrom - dayMs;
  return now < leaptTo - dayMs ? 0 : before.trustedFrom;
}

/** The last look; undefined before the first. */
export async function readClockObservation(read: Read): Promise<ClockObservation | undefined> {
  const [row] = await read(
    "select seen_at, sure_at, front_at, leapt_from, leapt_to, back_at from clock_seen where name = 'main'",
  );
  if (row === undefined) return undefined;
  const [from, to] = [integerOrNull(row, 'leapt_from'), integerOrNull(row, 'leapt_to')];
  const observedAt = integerField(row, 'seen_at');
  return {
    ...{ observedAt, trustedFrom: integerField(row, 'sure_at') },
    latestAt: integerOrNull(row, 'front_at') ?? observedAt,
    jump: from === null || to === null ? undefined : { from, to, backAt: integerOrNull(row, 'back_at') ?? undefined },
  };
}

/** Stores a look. */
export function storeClockObservation({ observedAt, trustedFrom, latestAt, jump }: ClockObservation): Statement {
  return {
    sql: `insert into clock_seen (name, seen_at, sure_at, front_at, leapt_from, leapt_to, back_at)
      values ('main', $1, $2, $3, $4, $5, $6)
      on conflict (name) do update set seen_at = excluded.seen_at, sure_at = excluded.sure_at, front_at = excluded.front_at,
        leapt_from = excluded.leapt_from, leapt_to = excluded.leapt_to, back_at = excluded.back_at`,
    args: [observedAt, trustedFrom, latestAt, jump?.from ?? null, jump?.to ?? null, jump?.backAt ?? null],
  };
}
