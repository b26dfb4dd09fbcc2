import type { Timer } from '../jobs/timer.ts';

/** A timer counts whole milliseconds of a coarse clock: what is due within so many is waited for turn by turn. */
const coarseMs = 1.5;

/**
 * Answers leave at whole quanta of time after their question came, so that how long the work took does not show. What takes
 * longer than one quantum leaves with the next. `stopwatch` is monotonic, in milliseconds; a quantum of 0 waits for nothing.
 */
export function createPace(quantumMs: number, stopwatch: () => number, timer: Timer): () => () => Promise<void> {
  const until = createExactWait(stopwatch, timer);
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
function createExactWait(stopwatch: () => number, timer: Timer): (instant: number) => Promise<void> {
  let near: { readonly instant: number; readonly leave: () => void }[] = [];

  function look(): void {
    const now = stopwatch();
    const due = near.filter(({ instant }) => instant <= now);
    near = near.filter(({ instant }) => instant > now);
    if (near.length > 0) setImmediate(look);
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
