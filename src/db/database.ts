import type { MessagePort } from 'node:worker_threads';

/** What a parameter may be. Numbers are whole (instants, counts, sizes); `undefined` is refused by every engine. */
export type SqlValue = string | number | boolean | null | Uint8Array;

/** One row, by column name. Whole numbers arrive as numbers, `bytea` as bytes, booleans as booleans. */
export type Row = { readonly [column: string]: SqlValue };

/**
 * One SQL statement in the subset that both engines share (docs/adr, `one-sql-text`). `sql` is a constant text: both
 * engines cache by it. `rows` states how many rows `returning` must give; otherwise the whole unit is refused. Behind a
 * statement with the comment `wipe` SQLite's files are brought up to date: what it took away is in them no more
 * when the unit is acknowledged. On PostgreSQL it goes with the next vacuum. A statement with the comment `planned anew`
 * PostgreSQL plans for its values each time: of several indexes that could serve, which one does depends on them, and the plan
 * that it keeps of any other is made for all values alike, by the size that the table had then.
 */
export type Statement = { readonly sql: string; readonly args?: readonly SqlValue[]; readonly rows?: number };

/**
 * Reads rows that were committed; one statement, no transaction around it. Rejects with `ReadUnavailable` when the
 * database cannot be asked at present.
 */
export type Read = (sql: string, args?: readonly SqlValue[]) => Promise<Row[]>;

/**
 * The database behind both engines.
 *
 * `write` takes a unit: statements that do not depend on each other's results. It resolves with the rows of each
 * statement when the unit is synced to disk. It rejects with `WriteRefused` (nothing of the unit is stored, its
 * neighbours are untouched), `WriteUnknown` (the outcome cannot be known; it was not repeated), or, after four tries,
 * `WriteBusy` (nothing is stored, repeat it later).
 */
export type Database = {
  readonly engine: 'sqlite' | 'postgres';
  read: Read;
  write(unit: readonly Statement[]): Promise<Row[][]>;
  /** For another thread of this process, to be given to `joinDatabase`; absent where a thread opens its own connections. */
  share?(): MessagePort;
  close(): Promise<void>;
};

/** Why a unit was refused, in words that both engines share. */
export type RefusalKind = 'unique' | 'not_null' | 'foreign_key' | 'check' | 'rows' | 'other';

/** Nothing of this unit is stored. `statement` is its index within the unit. */
export class WriteRefused extends Error {
  readonly kind: RefusalKind;
  readonly statement: number;

  constructor(kind: RefusalKind, statement: number, message: string) {
    super(message);
    this.name = 'WriteRefused';
    this.kind = kind;
    this.statement = statement;
  }
}

/** Whether the unit is stored cannot be known: the connection, the disk or the writer was lost on the way. */
export class WriteUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WriteUnknown';
  }
}

/** Nothing of this unit is stored, because the engine was busy with others four times; repeat it later. */
export class WriteBusy extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WriteBusy';
  }
}

/** The database could not be asked; the same read can succeed later. */
export class ReadUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReadUnavailable';
  }
}
