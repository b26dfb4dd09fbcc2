/** From which id on a sequencer looks for events. */
export type SearchStart = {
  /** The id above which the step that begins now looks; '' for all of the inbox. */
  next(): string;
  /** Tells up to which id that step has numbered. */
  done(upTo: string): void;
};

/** Events are stored within this time after they got their ids; one that was not is met by a look at all of the inbox. */
const marginMs = 30_000;
/** All of the inbox is looked at this often, */
const allEveryMs = 5_000;
/** and for no more than this share of the time. */
const allShare = 1 / 20;

/**
 * Numbered events leave the inbox, but PostgreSQL goes past each of them again as long as a snapshot may still see it: while a
 * backup lasts, each look at all of the inbox would cost more than the one before. So most looks begin at what was numbered
 * 30 to 60 s ago. `stopwatch` counts milliseconds and never goes back.
 */
export function createSearchStart(stopwatch: () => number): SearchStart {
  // The step at work.
  let [startedAt, from] = [0, ''];
  let allAgainAt = Number.NEGATIVE_INFINITY;
  // What was numbered by now, by the last time that the marks moved, and by the time before.
  let newest = '';
  let [young, old] = ['', ''];
  let movedAt = stopwatch();

  return {
    next: () => {
      startedAt = stopwatch();
      from = startedAt >= allAgainAt ? '' : old;
      return from;
    },
    done: (upTo) => {
      const now = stopwatch();
      if (from === '') allAgainAt = now + Math.max(allEveryMs, (now - startedAt) / allShare);
      if (upTo > newest) newest = upTo;
      if (now - movedAt < marginMs) return;
      [young, old] = [newest, young];
      movedAt = now;
    },
  };
}
