import type { Timer } from '../jobs/timer.ts';

/** A timer counts whole milliseconds of a coarse clock: what is due within so many is waited for turn by turn. */
const coarseMs = 1.5;
/** A turn of the event loop in which nothing else was done takes less. */
const emptyTurnMs = 0.03;
/** So long the thread sleeps behind an empty turn: others may have the processor, and nobody waits longer for it. */
const longestNapMs = 0.1;

/** What tells the time, wakes, and sleeps: `stopwatch` is monotonic, in milliseconds; `nap` stops the thread for so many. */
export type PaceParts = { readonly stopwatch: () => number; readonly timer: Timer; readonly nap: (ms: number) => void };

/**
 * Answers leave at whole quanta of time after their question came, so that how long the work took does not show. What takes
 * longer than one quantum leaves with the next. A quantum of 0 waits for nothing.
 */
export function createPace(quantumMs: number, parts: PaceParts): () => () => Promise<void> {
  const until = createExactWait(parts);
  const { stopwatch } = parts;
  return () => {
    const startedAt = stopwatch();
    return async () => {
      if (quantumMs <= 0) return;
      const quanta = Math.floor((stopwatch() - startedAt) / quantumMs) + 1;
      await until(startedAt + quanta * quantumMs);
    };
  };
}

/** Waits for an instant of the stopwatch to the turn of the event loop; all who are near share one look a turn. */
function createExactWait({ stopwatch, timer, nap }: PaceParts): (instant: number) => Promise<void> {
  let near: Waiting[] = [];
  // Questions that came together are due together: they share a timer, by the millisecond at which it is to fire.
  const far = new Map<number, Waiting[]>();
  let lookedAt = 0;

  function look(): void {
    const now = stopwatch();
    const due = near.filter(({ instant }) => instant <= now);
    if (due.length > 0) near = near.filter(({ instant }) => instant > now);
    if (near.length > 0) setImmediate(look);
    // By the first instant, not by what was done before: the nap ends no later for anybody, whatever the work took.
    if (due.length === 0 && now - lookedAt < emptyTurnMs) nap(Math.min(longestNapMs, firstOf(near) - now));
    lookedAt = stopwatch();
    for (const { leave } of due) leave();
  }

  function enter(waiting: readonly Waiting[]): void {
    if (near.length === 0) setImmediate(look);
    near.push(...waiting);
  }

  return (instant) =>
    new Promise((leave) => {
      const now = stopwatch();
      const farMs = instant - now - coarseMs;
      if (farMs < 1) return enter([{ instant, leave }]);
      const at = Math.floor(now + farMs);
      const others = far.get(at);
      if (others !== undefined) return void others.push({ instant, leave });
      far.set(at, [{ instant, leave }]);
      timer(Math.round(at - now), () => {
        enter(far.get(at) ?? []);
        far.delete(at);
      });
    });
}

type Waiting = { readonly instant: number; readonly leave: () => void };

function firstOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((first, { instant }) => Math.min(first, instant), Number.POSITIVE_INFINITY);
}
