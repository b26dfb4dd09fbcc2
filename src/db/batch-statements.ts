import type { Lookup, Read, Row, SqlValue, Statement } from './database.ts';
import { multiRowValues, textByRowCount } from './multi-row-statement.ts';

/**
 * Declares an insert of one row into these columns. The function that it returns makes the statement from the values of the
 * row, in the order of the columns. On PostgreSQL, group commit inserts the rows of many units with one statement.
 */
export function batchInsert(table: string, columns: string): (row: readonly SqlValue[]) => Statement {
  const before = `insert into ${table} (${columns}) values`;
  const columnCount = columns.split(',').length;
  const textFor = textByRowCount((rows) => `${before} ${multiRowValues(rows, columnCount)}`);
  const sql = textFor(1);
  const batch = { kind: 'insert', textFor } as const;
  return (args) => ({ sql, args, batch });
}

/**
 * Declares a lookup of rows by a text key, which must be among the columns. The function that it returns reads the rows with
 * that key, in no defined order. On PostgreSQL, the lookups of one tick of the event loop share a statement.
 */
export function lookupByKey(
  table: string,
  key: string,
  columns: string,
): (read: Read, value: string) => Promise<Row[]> {
  if (!columns.split(/,\s*/).includes(key))
    throw new TypeError(`expected the key ${key} among the columns: ${columns}`);
  const select = `select ${columns} from ${table} where ${key} =`;
  const sql = `${select} $1`;
  const lookup: Lookup = { key, manySql: `${select} any(cast($1 as text[]))` };
  return (read, value) => read(sql, [value], { lookup });
}
