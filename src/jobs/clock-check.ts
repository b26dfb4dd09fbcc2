import type { Read, Statement } from '../db/database.ts';
import { integerField, integerOrNull } from '../db/row-fields.ts';
import type { Clock } from '../kernel/clock.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

/** By how many milliseconds the clock may differ from the last stored time without a pause of deletion. */
export const maxClockJumpMs = 86_400_000;

/** The last stored time of the clock, and the time from which it jumped ahead while deletion is paused; both in epoch ms. */
export type ClockState = { readonly seenAt: number; readonly jumpedFrom: number | undefined };

/**
 * The state after the clock showed `now`. A jump ahead by more than a day pauses deletion. The pause ends when the clock goes
 * back by more than a day, or when the operator confirms the clock (`clock confirm`).
 */
export function nextClockState(before: ClockState | undefined, now: number): ClockState {
  const byMs = now - (before?.seenAt ?? now);
  if (byMs > maxClockJumpMs) return { seenAt: now, jumpedFrom: before?.jumpedFrom ?? before?.seenAt };
  return { seenAt: now, jumpedFrom: byMs < -maxClockJumpMs ? undefined : before?.jumpedFrom };
}

/** The stored state; undefined before the first start of a server. */
export async function readClockState(read: Read): Promise<ClockState | undefined> {
  const [row] = await read("select seen_at, jumped_from from clock_seen where name = 'main'");
  if (row === undefined) return undefined;
  return { seenAt: integerField(row, 'seen_at'), jumpedFrom: integerOrNull(row, 'jumped_from') ?? undefined };
}

/** Stores a state. `clock confirm` stores one without `jumpedFrom`. */
export function storeClockState({ seenAt, jumpedFrom }: ClockState): Statement {
  return {
    sql: `insert into clock_seen (name, seen_at, jumped_from) values ('main', $1, $2)
      on conflict (name) do update set seen_at = excluded.seen_at, jumped_from = excluded.jumped_from`,
    args: [seenAt, jumpedFrom ?? null],
  };
}

type ClockCheckDeps = { readonly clock: Clock; readonly read: Read; readonly claim: WriteWithoutEvent };

/**
 * Whether data may be deleted because of its age. Each call stores the time; servers call it each minute and before each
 * deletion. Without it a clock that is a year ahead would erase a year of documents within the hour. It cannot distinguish a
 * wrong clock from a server that was off for more than a day: both wait for the operator.
 */
export function createClockCheck({ clock, read, claim }: ClockCheckDeps): () => Promise<boolean> {
  return async () => {
    const state = nextClockState(await readClockState(read), clock.now());
    await claim(storeClockState(state));
    return state.jumpedFrom === undefined;
  };
}
