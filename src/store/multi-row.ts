import type { Statement, Value } from './db.ts';

/**
 * How many rows one statement takes: few sizes, so that few texts stand for any number of rows. More than 128 cost memory
 * and save no time: SQLite keeps a copy of every page that a statement changes until it ends.
 */
const sizes = [128, 64, 32, 16, 8, 4, 2, 1] as const;
/** The most rows of one statement. */
export const [largestSize] = sizes;

/** Makes the statements that state many rows at once, `columns` values each; their texts are constants of a few sizes. */
export type MultiRow = (rows: readonly (readonly Value[])[]) => Statement[];

/**
 * The statements of `insert into … values <rows> on conflict …`: `before` and `after` are the text around the rows. No
 * two rows of a call may meet in one conflict, which PostgreSQL refuses.
 */
export function createMultiRow(before: string, columns: number, after: string): MultiRow {
  const textOf = textsInSizes((size) => `${before} ${placeholders(size, columns)} ${after}`);
  return (rows) => inSizes(rows).map((part) => ({ sql: textOf(part.length), args: ([] as Value[]).concat(...part) }));
}

/** The text of each of the sizes that `inSizes` cuts rows into. */
export function textsInSizes(textOf: (size: number) => string): (size: number) => string {
  const texts = new Map<number, string>(sizes.map((size) => [size, textOf(size)]));
  return (size) => texts.get(size) ?? '';
}

/** These rows in their order, cut into parts of the sizes that statements have. */
export function inSizes<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  let from = 0;
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size) parts.push(rows.slice(from, from + size));
  }
  return parts;
}

function placeholders(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(', ');
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
}
