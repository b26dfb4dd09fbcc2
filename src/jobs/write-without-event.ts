import type { Row, Statement } from '../db/database.ts';

/**
 * Writes one statement without an event: for claims, leases and marks of work, which move no citizen's data. Given by
 * `compose.ts`; resolves with the rows of `returning` when they are synced, and rejects like `Db.write`.
 */
export type WriteWithoutEvent = (statement: Statement) => Promise<Row[]>;
