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
  let near: { readonly instant: number; readonly leave: () => void }[] = [];
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

  return (instant) =>
    new Promise((leave) => {
      const enter = () => {
        near.push({ instant, leave });
        if (near.length === 1) setImmediate(look);
      };
      const farMs = instant - stopwatch() - coarseMs;
      if (farMs < 1) enter();
      else timer(Math.floor(farMs), enter);
    });
}

function firstOf(waiting: readonly { readonly instant: number }[]): number {
  return waiting.reduce((first, { instant }) => Math.min(first, instant), Number.POSITIVE_INFINITY);
}
