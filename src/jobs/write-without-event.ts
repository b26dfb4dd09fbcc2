import type { Row, Statement } from '../db/database.ts';

/**
 * Writes one statement without a ledger event: only for claims, leases and progress of work, which change no citizen's data.
 * Resolves with the rows of `returning` after they are synced to disk, and rejects like `Database.write`.
 */
export type WriteWithoutEvent = (statement: Statement) => Promise<Row[]>;
