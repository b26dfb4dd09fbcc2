import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row, SqlValue } from '../database.ts';

/** Runs one SQL text with its arguments and returns its rows. */
export type RunStatement = (sql: string, args: readonly SqlValue[] | undefined) => Row[];

type Prepared = {
  readonly statement: StatementSync;
  /** For each placeholder in the order of the text, the index of its argument. */
  readonly order: readonly number[];
  names: readonly string[];
  flags: readonly boolean[];
};

/** The prepared statements of one connection, cached by text. */
export function createStatementRunner(db: DatabaseSync): RunStatement {
  const cache = new Map<string, Prepared>();
  return (sql, args) => {
    let prepared = cache.get(sql);
    if (prepared === undefined) {
      prepared = prepare(db, sql);
      cache.set(sql, prepared);
    }
    const tuples = prepared.statement.all(...bind(prepared.order, args ?? []));
    return tuples.length === 0 ? [] : toRows(prepared, tuples);
  };
}

// SQLite treats `$1` as a name and searches all names for it: the time would grow with the square of the number of parameters.
// Question marks are bound by position.
function prepare(db: DatabaseSync, sql: string): Prepared {
  const parameterOrder = Array.from(sql.matchAll(parameter), ([, digits]) => Number(digits) - 1);
  const statement = db.prepare(sql.replaceAll(parameter, '?'), { returnArrays: true });
  return { statement, order: parameterOrder, names: [], flags: [] };
}

const parameter = /\$(\d+)/g;

// A JavaScript number would bind as REAL, therefore integers are bound as BigInt.
function bind(order: readonly number[], args: readonly SqlValue[]): SQLInputValue[] {
  return order.map((index) => {
    const value = args[index] ?? null;
    return typeof value === 'number' || typeof value === 'boolean' ? BigInt(value) : value;
  });
}

function toRows(prepared: Prepared, tuples: readonly unknown[]): Row[] {
  const rows: Row[] = [];
  for (const tuple of tuples) {
    // With `returnArrays` a row is an array, which the types of Node.js do not declare.
    const values = tuple as readonly Exclude<SqlValue, boolean>[];
    // The columns of `select *` can change after the statement was prepared.
    if (values.length !== prepared.names.length) describe(prepared);
    const row: Record<string, SqlValue> = {};
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] ?? null;
      row[prepared.names[at] ?? ''] = prepared.flags[at] && value !== null ? value === 1 : value;
    }
    rows.push(row);
  }
  return rows;
}

// SQLite stores a boolean as 0 or 1. The declared type of the column distinguishes it from an integer.
function describe(prepared: Prepared): void {
  const columns = prepared.statement.columns();
  prepared.names = columns.map((column) => column.name);
  prepared.flags = columns.map((column) => column.type?.toLowerCase() === 'boolean');
}
