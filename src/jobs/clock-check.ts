import type { Read, Statement } from '../db/database.ts';
import { integerField, integerOrNull } from '../db/row-fields.ts';
import type { Clock } from '../kernel/clock.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

/** By how many milliseconds the clock may differ from the last stored time without a pause of deletion. */
const maxClockJumpMs = 86_400_000;

/** The time that was stored last, and the jump ahead for which deletion is paused; all in epoch ms. */
type ClockState = {
  readonly seenAt: number;
  readonly jump: { readonly from: number; readonly to: number } | undefined;
};

/**
 * The state after the clock showed `now`. A jump ahead by more than a day pauses deletion. The pause ends when the clock has
 * run on for a day without another jump, when it goes back by more than a day, or when the operator confirms it (`clock confirm`).
 */
export function nextClockState(before: ClockState | undefined, now: number): ClockState {
  if (before === undefined) return { seenAt: now, jump: undefined };
  const { seenAt, jump } = before;
  if (now - seenAt > maxClockJumpMs) return { seenAt: now, jump: { from: jump?.from ?? seenAt, to: now } };
  const isOver = now - seenAt < -maxClockJumpMs || (jump !== undefined && now - jump.to > maxClockJumpMs);
  return { seenAt: now, jump: isOver ? undefined : jump };
}

/** The stored state; undefined before the first start of a server. */
export async function readClockState(read: Read): Promise<ClockState | undefined> {
  const [row] = await read("select seen_at, jumped_from, jumped_to from clock_seen where name = 'main'");
  if (row === undefined) return undefined;
  const [from, to] = [integerOrNull(row, 'jumped_from'), integerOrNull(row, 'jumped_to')];
  return { seenAt: integerField(row, 'seen_at'), jump: from === null || to === null ? undefined : { from, to } };
}

/** Stores a state. `clock confirm` stores one without a jump. */
export function storeClockState({ seenAt, jump }: ClockState): Statement {
  return {
    sql: `insert into clock_seen (name, seen_at, jumped_from, jumped_to) values ('main', $1, $2, $3)
      on conflict (name) do update set seen_at = excluded.seen_at, jumped_from = excluded.jumped_from,
        jumped_to = excluded.jumped_to`,
    args: [seenAt, jump?.from ?? null, jump?.to ?? null],
  };
}

type ClockCheckDeps = { readonly clock: Clock; readonly read: Read; readonly claim: WriteWithoutEvent };

/**
 * Whether data may be deleted because of its age. Each call stores the time; servers call it each minute and before each
 * deletion. Without it a clock that is a year ahead would erase a year of documents within the hour: the pause gives the operator
 * a day to notice the report. A server that was off for more than a day looks the same, and waits for a day too.
 */
export function createClockCheck({ clock, read, claim }: ClockCheckDeps): () => Promise<boolean> {
  return async () => {
    const state = nextClockState(await readClockState(read), clock.now());
    await claim(storeClockState(state));
    return state.jump === undefined;
  };
}
