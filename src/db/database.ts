import type { MessagePort } from 'node:worker_threads';

/** A parameter of a statement. Numbers are integers (instants, counts, sizes); every engine rejects `undefined`. */
export type SqlValue = string | number | boolean | null | Uint8Array;

/** One row, by column name. Integers arrive as numbers, `bytea` as bytes, booleans as booleans. */
export type Row = { readonly [column: string]: SqlValue };

/**
 * One SQL statement of a write. `sql` is a constant text, because both engines cache prepared statements by it. Both engines
 * run the same text (docs/contribute/decisions/0004-one-sql-text-without-orm.md), except where `postgresSql` is set.
 */
export type Statement = {
  readonly sql: string;
  readonly args?: readonly SqlValue[];
  /** The number of rows that `returning` must give. With any other number the whole unit is refused (`rows`). */
  readonly rows?: number;
  /** The text for PostgreSQL. It takes the same arguments as `sql`. */
  readonly postgresSql?: string;
  /**
   * The statement erases content. SQLite acknowledges the unit after a checkpoint, so that its files no longer hold what was
   * deleted. On PostgreSQL the next vacuum removes it.
   */
  readonly erase?: true;
  /** SQLite keeps temporary data of this unit in files: it may be as large as a table. */
  readonly tempFiles?: true;
  /** How PostgreSQL executes this statement together with those of other units. */
  readonly batch?: Batch;
};

/**
 * Group commit on PostgreSQL merges statements of several units that have the same `sql` and a batch.
 *
 * An `insert` batch gives the text for any number of rows, with the values of one row after those of the other. An `update`
 * batch changes one row per statement, found by its column `id`. Its text takes one array for each argument of the statement,
 * which it joins with `unnest`, and returns the `id` of each changed row. `idIndex` is the argument that holds the id.
 */
export type Batch =
  | { readonly kind: 'insert'; readonly textFor: (rows: number) => string }
  | { readonly kind: 'update'; readonly sql: string; readonly idIndex: number };

/** A read by a text key that PostgreSQL can execute for many keys at once; made by `lookupByKey`. */
export type Lookup = {
  /** The text for many keys. Its one parameter is the array of the keys. */
  readonly manySql: string;
  /** The column of the result that holds the key. */
  readonly key: string;
};

/** How PostgreSQL executes a read. SQLite needs none of it. */
export type ReadOptions = {
  /**
   * `custom`: plans the statement for its arguments each time. By default PostgreSQL caches one plan for all arguments, which
   * is wrong where the best index depends on them.
   */
  readonly plan?: 'custom';
  readonly lookup?: Lookup;
};

/** Reads committed rows with one statement. Rejects with `ReadUnavailable` while the database does not answer. */
export type Read = (sql: string, args?: readonly SqlValue[], options?: ReadOptions) => Promise<Row[]>;

/**
 * The interface that both engines implement.
 *
 * `write` takes a unit: statements that do not depend on each other's results. It resolves with the rows of each
 * statement when the unit is synced to disk. It rejects with `WriteRefused` (nothing of the unit is stored, other units are
 * not affected), `WriteUnknown` (the outcome is unknown, and the unit was not repeated), or, after four tries, `WriteBusy`
 * (nothing is stored, the caller can repeat it later).
 */
export type Database = {
  readonly engine: 'sqlite' | 'postgres';
  read: Read;
  write(unit: readonly Statement[]): Promise<Row[][]>;
  /** A port for `openDatabaseInThread` in another thread. Absent where each thread opens its own connections. */
  share?(): MessagePort;
  close(): Promise<void>;
};

/** Why a unit was refused. Both engines report the same kinds. */
export type RefusalKind = 'unique' | 'not_null' | 'foreign_key' | 'check' | 'rows' | 'other';

/** Nothing of this unit is stored. `statement` is its index within the unit. */
export class WriteRefused extends Error {
  override name = 'WriteRefused';
  readonly kind: RefusalKind;
  readonly statement: number;

  constructor(kind: RefusalKind, statement: number, message: string) {
    super(message);
    this.kind = kind;
    this.statement = statement;
  }
}

/** It is unknown whether the unit is stored: the connection, the disk or the writer was lost before the acknowledgement. */
export class WriteUnknown extends Error {
  override name = 'WriteUnknown';
}

/** Nothing of this unit is stored, because the engine was busy. The caller can repeat it later. */
export class WriteBusy extends Error {
  override name = 'WriteBusy';
}

/** Nothing of this unit is stored, because too many units wait to be stored. */
export class WriteQueueFull extends WriteBusy {
  override readonly name = 'WriteQueueFull';
}

/** A read failed with an error that a repetition would meet again. */
export class ReadFailed extends Error {
  override name = 'ReadFailed';
  constructor(message: string) {
    super(`read failed: ${message}`);
  }
}

/** The database cannot be opened or copied. The message names the cause and the fix. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable';
}

/** The database did not answer. The same read can succeed later. */
export class ReadUnavailable extends Error {
  override name = 'ReadUnavailable';
}
