import type { Row, Statement } from '../store/db.ts';
import type { LedgerEvent } from './event.ts';

/**
 * What an operation changes, with the ledger events of it. An effect without an event does not compile: that is what
 * keeps "no effect without its event" (test/compile-errors.ts).
 */
export type Effect = {
  readonly events: readonly [LedgerEvent, ...LedgerEvent[]];
  readonly statements: readonly Statement[];
};

/**
 * Writes an effect and its events as one unit; resolves, with the rows of the effect's statements, when both are synced.
 * Rejects like `Db.write`; the index of a refused statement counts the effect's statements from 0.
 */
export type Commit = (effect: Effect) => Promise<Row[][]>;
