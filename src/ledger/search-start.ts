/** From which id on a sequencer looks for events. */
export type SearchStart = {
  /** The id above which the step that begins now looks; '' for all of the inbox. */
  next(): string;
  /** Tells the least id that this step has numbered; undefined where it found none. */
  done(least: string | undefined): void;
};

/** Events are stored within this time after they got their ids; one that was not is met by a look at all of the inbox. */
const spanMs = 30_000;
/** All of the inbox is looked at this often, */
const allEveryMs = 5_000;
/** and for no more than this share of the time. */
const allShare = 1 / 20;

/**
 * Numbered events leave the inbox, but PostgreSQL goes past each of them again as long as a snapshot may still see it: while a
 * backup lasts, each look at all of the inbox would cost more than the one before. So most looks begin at the least id that
 * was numbered in the last 30 to 60 s: ids rise with time, by clocks that may be behind, or be set back. `stopwatch` counts
 * milliseconds and never goes back.
 */
export function createSearchStart(stopwatch: () => number): SearchStart {
  // The step at work.
  let [startedAt, isOfAll] = [0, true];
  let allAgainAt = Number.NEGATIVE_INFINITY;
  // The least of the last whole span in which there was one, and of the span that runs.
  let old = '';
  let young: string | undefined;
  let movedAt = stopwatch();

  return {
    next: () => {
      startedAt = stopwatch();
      isOfAll = startedAt >= allAgainAt;
      if (isOfAll) return '';
      return young !== undefined && young < old ? young : old;
    },
    done: (least) => {
      const now = stopwatch();
      if (isOfAll) allAgainAt = now + Math.max(allEveryMs, (now - startedAt) / allShare);
      if (least !== undefined && (young === undefined || least < young)) young = least;
      if (now - movedAt < spanMs) return;
      old = young ?? old;
      young = undefined;
      movedAt = now;
    },
  };
}
