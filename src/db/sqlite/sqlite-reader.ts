import { DatabaseSync } from 'node:sqlite';
import { createStatementRunner, type RunStatement } from './prepared-statements.ts';

/** A connection for reads. The reads of one tick of the event loop share a transaction. */
export type SqliteReader = {
  readonly run: RunStatement;
  close(): void;
};

/**
 * Opens the file for reads. A transaction for each statement would cost two locks each, and one that lasts for many ticks
 * would block checkpoints of the write-ahead log. The file is not mapped into memory (`mmap_size`): SQLite drops the mapping at
 * every commit of the writer, which costs more than it saves.
 */
export function openSqliteReader(path: string | URL): SqliteReader {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  db.exec('pragma cache_size = -8192; pragma temp_store = memory');
  // `commit` would throw after a read of a damaged page, and no caller would receive the error.
  const [begin, end] = [db.prepare('begin'), db.prepare('rollback')];
  const run = createStatementRunner(db);
  let inTransaction = false;

  function endTransaction(): void {
    if (!inTransaction) return;
    inTransaction = false;
    end.run();
  }

  return {
    run: (sql, args) => {
      if (!inTransaction) {
        begin.run();
        inTransaction = true;
        setImmediate(endTransaction);
      }
      return run(sql, args);
    },
    close: () => {
      endTransaction();
      db.close();
    },
  };
}
