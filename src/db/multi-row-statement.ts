import type { SqlValue, Statement } from './database.ts';

/**
 * The numbers of rows of one statement. They are few, because each is a text of its own. More than 128 rows cost memory and
 * save no time: SQLite keeps a copy of every page that a statement changes until it ends.
 */
const rowCounts = [128, 64, 32, 16, 8, 4, 2, 1] as const;
/** The most rows of one statement. */
export const [maxRowsPerStatement] = rowCounts;

/**
 * The statements of `insert into … values <rows> on conflict …`: `before` and `after` are the text around the rows. No two
 * rows of one call may conflict with each other, because PostgreSQL rejects that.
 */
export function createMultiRowBuilder(before: string, columns: number, after: string) {
  const textOf = textByRowCount((size) => `${before} ${multiRowValues(size, columns)} ${after}`);
  return (rows: readonly (readonly SqlValue[])[]): Statement[] =>
    splitByRowCounts(rows).map((part) => ({ sql: textOf(part.length), args: part.flat() }));
}

/** The text for each number of rows that `splitByRowCounts` gives. */
export function textByRowCount(textOf: (size: number) => string): (size: number) => string {
  const texts = new Map<number, string>(rowCounts.map((size) => [size, textOf(size)]));
  return (size) => texts.get(size) ?? '';
}

/** These rows in their order, split into the numbers of rows that statements have. */
export function splitByRowCounts<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  let from = 0;
  for (const size of rowCounts) {
    for (; rows.length - from >= size; from += size) parts.push(rows.slice(from, from + size));
  }
  return parts;
}

/** The placeholders of several rows, such as `($1, $2), ($3, $4)`. */
export function multiRowValues(rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(', ');
  return Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
}
