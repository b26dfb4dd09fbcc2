/** From which id on a sequencer looks for events. */
export type ScanCursor = {
  /** The id above which the step that begins now looks; '' for all of the inbox. */
  nextAfterId(): string;
  /** Tells the least id that this step has numbered; undefined where it found none. */
  recordScan(least: string | undefined): void;
};

/** Events are stored within this time after they got their ids; one that was not is met by a look at all of the inbox. */
const windowMs = 30_000;
/** All of the inbox is looked at this often, */
const fullScanEveryMs = 5_000;
/** and for no more than this share of the time. */
const fullScanShare = 1 / 20;

/**
 * Numbered events leave the inbox, but PostgreSQL goes past each of them again as long as a snapshot may still see it: while a
 * backup lasts, each look at all of the inbox would cost more than the one before. So most looks begin at the least id that
 * was numbered in the last 30 to 60 s: ids rise with time, by clocks that may be behind, or be set back. `stopwatch` counts
 * milliseconds and never goes back.
 */
export function createScanCursor(stopwatch: () => number): ScanCursor {
  // The step at work.
  let [startedAt, isFullScan] = [0, true];
  let nextFullScanAt = Number.NEGATIVE_INFINITY;
  // The least of the last whole span in which there was one, and of the span that runs.
  let previousLeast = '';
  let currentLeast: string | undefined;
  let movedAt = stopwatch();

  return {
    nextAfterId: () => {
      startedAt = stopwatch();
      isFullScan = startedAt >= nextFullScanAt;
      if (isFullScan) return '';
      return currentLeast !== undefined && currentLeast < previousLeast ? currentLeast : previousLeast;
    },
    recordScan: (least) => {
      const now = stopwatch();
      if (isFullScan) nextFullScanAt = now + Math.max(fullScanEveryMs, (now - startedAt) / fullScanShare);
      if (least !== undefined && (currentLeast === undefined || least < currentLeast)) currentLeast = least;
      if (now - movedAt < windowMs) return;
      previousLeast = currentLeast ?? previousLeast;
      currentLeast = undefined;
      movedAt = now;
    },
  };
}
