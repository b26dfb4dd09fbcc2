import type { SqlValue, Statement } from './database.ts';

/**
 * How many rows one statement takes: few sizes, so that few texts stand for any number of rows. More than 128 cost memory
 * and save no time: SQLite keeps a copy of every page that a statement changes until it ends.
 */
const rowCounts = [128, 64, 32, 16, 8, 4, 2, 1] as const;
/** The most rows of one statement. */
export const [maxRowsPerStatement] = rowCounts;

/** Makes the statements that state many rows at once, `columns` values each; their texts are constants of a few sizes. */
export type MultiRowBuilder = (rows: readonly (readonly SqlValue[])[]) => Statement[];

/**
 * The statements of `insert into … values <rows> on conflict …`: `before` and `after` are the text around the rows. No
 * two rows of a call may meet in one conflict, which PostgreSQL refuses.
 */
export function createMultiRowBuilder(before: string, columns: number, after: string): MultiRowBuilder {
  const textOf = textByRowCount((size) => `${before} ${placeholders(size, columns)} ${after}`);
  return (rows) =>
    splitByRowCounts(rows).map((part) => ({ sql: textOf(part.length), args: ([] as SqlValue[]).concat(...part) }));
}

/** The text of each of the sizes that `inSizes` cuts rows into. */
export function textByRowCount(textOf: (size: number) => string): (size: number) => string {
  const texts = new Map<number, string>(rowCounts.map((size) => [size, textOf(size)]));
  return (size) => texts.get(size) ?? '';
}

/** These rows in their order, cut into parts of the sizes that statements have. */
export function splitByRowCounts<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  let from = 0;
  for (const size of rowCounts) {
    for (; rows.length - from >= size; from += size) parts.push(rows.slice(from, from + size));
  }
  return parts;
}

function placeholders(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(', ');
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
}
