/** Events are stored within this time after they got their ids; a full scan finds any other. */
const windowMs = 30_000;
/** How often the whole inbox is scanned. */
const fullScanEveryMs = 5_000;
/** The largest share of time for full scans. */
const fullScanShare = 1 / 20;

/**
 * Chooses the id from which the sequencer scans the inbox. Numbered events leave the inbox, but PostgreSQL still passes over each of them
 * while a snapshot may see it: during a backup, each full scan would cost more than the one before. Most scans therefore start at the
 * lowest id that was numbered in the last 30 to 60 s. Ids rise with time, but by clocks that may be slow or set back. `stopwatch` counts
 * monotonic milliseconds.
 */
export function createScanCursor(stopwatch: () => number) {
  // The current scan.
  let [startedAt, isFullScan] = [0, true];
  let nextFullScanAt = Number.NEGATIVE_INFINITY;
  // The lowest id of the last complete window that had one, and of the current window.
  let previousLeast = '';
  let currentLeast: string | undefined;
  let movedAt = stopwatch();

  return {
    /** The id after which the next scan starts; empty for a full scan. */
    nextAfterId: () => {
      startedAt = stopwatch();
      isFullScan = startedAt >= nextFullScanAt;
      if (isFullScan) return '';
      return currentLeast !== undefined && currentLeast < previousLeast ? currentLeast : previousLeast;
    },
    /** Records the lowest id that a scan has numbered; undefined if it found none. */
    recordScan: (least: string | undefined) => {
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
