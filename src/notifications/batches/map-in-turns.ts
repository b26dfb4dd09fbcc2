import { setImmediate as nextTick } from 'node:timers/promises';

/** A row takes a fraction of a millisecond. */
const rowsPerTick = 8;

/**
 * Maps the rows of a piece, a few in each tick of the event loop. Otherwise an urgent message would wait for the whole piece. The lookups
 * of one tick still share a statement on PostgreSQL.
 */
export async function mapInTurns<T, R>(rows: readonly T[], call: (row: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < rows.length; at += rowsPerTick) {
    results.push(...(await Promise.all(rows.slice(at, at + rowsPerTick).map(call))));
    await nextTick();
  }
  return results;
}
