/** A row takes a fraction of a millisecond. */
const rowsPerTurn = 8;

/**
 * Maps the rows of a piece, and begins with a few at a time. It waits for `nextTurn` after each of these steps. Otherwise an urgent
 * message would wait for the whole piece. The lookups of one tick share a statement on PostgreSQL, and those of all ticks overlap.
 */
export async function mapInTurns<T, R>(
  rows: readonly T[],
  call: (row: T) => Promise<R>,
  nextTurn: () => Promise<void>,
): Promise<R[]> {
  const results: Promise<R>[] = [];
  for (let at = 0; at < rows.length; at += rowsPerTurn) {
    const begun = rows.slice(at, at + rowsPerTurn).map(call);
    // All are awaited at the end. Until then a rejection must not count as unhandled.
    for (const result of begun) result.catch(() => undefined);
    results.push(...begun);
    await nextTurn();
  }
  return await Promise.all(results);
}
