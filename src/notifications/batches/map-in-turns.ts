import { setImmediate as nextTick } from 'node:timers/promises';

/** A row takes a fraction of a millisecond. */
const rowsPerTick = 8;

/**
 * Maps the rows of a piece, and begins with a few in each tick of the event loop. Otherwise an urgent message would wait for the whole
 * piece. The lookups of one tick share a statement on PostgreSQL, and those of all ticks overlap.
 */
export async function mapInTurns<T, R>(rows: readonly T[], call: (row: T) => Promise<R>): Promise<R[]> {
  const results: Promise<R>[] = [];
  for (let at = 0; at < rows.length; at += rowsPerTick) {
    const begun = rows.slice(at, at + rowsPerTick).map(call);
    // All are awaited at the end. Until then a rejection must not count as unhandled.
    for (const result of begun) result.catch(() => undefined);
    results.push(...begun);
    await nextTick();
  }
  return await Promise.all(results);
}
