import type { Timer } from '../../jobs/timer.ts';

/** A timer counts whole milliseconds of a coarse clock: what is due within so many is waited for turn by turn. */
const timerGranularityMs = 1.5;
/** A turn of the event loop in which nothing else was done takes less. */
const idleTurnMs = 0.03;
/** So long the thread sleeps behind an empty turn: others may have the processor, and nobody waits longer for it. */
const maxSleepMs = 0.1;

/** What tells the time, wakes, and sleeps: `stopwatch` is monotonic, in milliseconds; `nap` stops the thread for so many. */
export type ResponsePaddingDeps = {
  readonly stopwatch: () => number;
  readonly timer: Timer;
  readonly blockingSleep: (ms: number) => void;
};

/**
 * Answers leave at whole quanta of time after their question came, so that how long the work took does not show. What takes
 * longer than one quantum leaves with the next. A quantum of 0 waits for nothing.
 */
export function createResponsePadding(intervalMs: number, deps: ResponsePaddingDeps): () => () => Promise<void> {
  const waitUntil = createPreciseWait(deps);
  const { stopwatch } = deps;
  return () => {
    const startedAt = stopwatch();
    return async () => {
      if (intervalMs <= 0) return;
      const intervals = Math.floor((stopwatch() - startedAt) / intervalMs) + 1;
      await waitUntil(startedAt + intervals * intervalMs);
    };
  };
}

/** Waits for an instant of the stopwatch to the turn of the event loop; all who are near share one look a turn. */
function createPreciseWait({ stopwatch, timer, blockingSleep }: ResponsePaddingDeps): (dueAt: number) => Promise<void> {
  let nearWaits: PendingWait[] = [];
  // Questions that came together are due together: they share a timer, by the millisecond at which it is to fire.
  const farWaits = new Map<number, PendingWait[]>();
  let checkedAt = 0;

  function checkDue(): void {
    const now = stopwatch();
    const due = nearWaits.filter(({ dueAt }) => dueAt <= now);
    if (due.length > 0) nearWaits = nearWaits.filter(({ dueAt }) => dueAt > now);
    if (nearWaits.length > 0) setImmediate(checkDue);
    // By the first instant, not by what was done before: the nap ends no later for anybody, whatever the work took.
    if (due.length === 0 && now - checkedAt < idleTurnMs)
      blockingSleep(Math.min(maxSleepMs, firstDueAt(nearWaits) - now));
    checkedAt = stopwatch();
    for (const { resolve } of due) resolve();
  }

  function addNearWaits(waiting: readonly PendingWait[]): void {
    if (nearWaits.length === 0) setImmediate(checkDue);
    nearWaits.push(...waiting);
  }

  return (dueAt) =>
    new Promise((resolve) => {
      const now = stopwatch();
      const farMs = dueAt - now - timerGranularityMs;
      if (farMs < 1) return addNearWaits([{ dueAt, resolve }]);
      const at = Math.floor(now + farMs);
      const others = farWaits.get(at);
      if (others !== undefined) return void others.push({ dueAt, resolve });
      farWaits.set(at, [{ dueAt, resolve }]);
      timer(Math.round(at - now), () => {
        addNearWaits(farWaits.get(at) ?? []);
        farWaits.delete(at);
      });
    });
}

type PendingWait = { readonly dueAt: number; readonly resolve: () => void };

function firstDueAt(waiting: readonly PendingWait[]): number {
  return waiting.reduce((first, { dueAt }) => Math.min(first, dueAt), Number.POSITIVE_INFINITY);
}
