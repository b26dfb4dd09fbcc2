import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row, SqlValue } from '../database.ts';

/** Runs one SQL text with its values and gives its rows. */
export type RunStatement = (sql: string, args: readonly SqlValue[] | undefined) => Row[];

type Prepared = {
  readonly statement: StatementSync;
  /** For each placeholder in the order of the text, the index of its value. */
  readonly order: readonly number[];
  names: readonly string[];
  flags: readonly boolean[];
};

/** The prepared statements of one connection, kept by text. */
export function createStatementRunner(db: DatabaseSync): RunStatement {
  const cache = new Map<string, Prepared>();
  return (sql, args) => {
    let prepared = cache.get(sql);
    if (prepared === undefined) {
      prepared = prepare(db, sql);
      cache.set(sql, prepared);
    }
    const lines = prepared.statement.all(...bind(prepared.order, args ?? []));
    return lines.length === 0 ? [] : toRows(prepared, lines);
  };
}

// Parameters written as $1 would have names for SQLite, and it looks each name up among all of them: the time of a
// statement would grow with the square of its parameters. As question marks they are bound by place, five times as fast.
function prepare(db: DatabaseSync, sql: string): Prepared {
  const parameterOrder = Array.from(sql.matchAll(parameter), ([, digits]) => Number(digits) - 1);
  const statement = db.prepare(sql.replaceAll(parameter, '?'), { returnArrays: true });
  return { statement, order: parameterOrder, names: [], flags: [] };
}

const parameter = /\$(\d+)/g;

// A JavaScript number would bind as REAL, so whole numbers go as BigInt.
function bind(order: readonly number[], args: readonly SqlValue[]): SQLInputValue[] {
  return order.map((index) => {
    const value = args[index] ?? null;
    return typeof value === 'number' || typeof value === 'boolean' ? BigInt(value) : value;
  });
}

function toRows(prepared: Prepared, lines: readonly unknown[]): Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    // With `returnArrays` a row is a list, which the types of node do not know.
    const values = line as readonly Exclude<SqlValue, boolean>[];
    // The columns of `select *` may change under a prepared statement.
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

// SQLite stores a boolean as 0 or 1; the declared type of the column says which is which.
function describe(prepared: Prepared): void {
  const columns = prepared.statement.columns();
  prepared.names = columns.map((column) => column.name);
  prepared.flags = columns.map((column) => column.type?.toLowerCase() === 'boolean');
}
