import { DatabaseSync } from 'node:sqlite';
import { createStatementRunner, type RunStatement } from './prepared-statements.ts';

/** The connection that reads. What one turn of the event loop reads shares a transaction: one look at the file. */
export type SqliteReader = {
  readonly run: RunStatement;
  close(): void;
};

/**
 * Opens the file to read. A transaction of its own for each statement would cost two locks each, and one that lasts over
 * many turns would keep the log of the writer from being taken back. The file is not mapped into memory (`mmap_size`): SQLite
 * gives such a mapping up with every commit of the writer, which costs three times what it saves.
 */
export function openSqliteReader(path: string | URL): SqliteReader {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  db.exec('pragma cache_size = -8192; pragma temp_store = memory');
  // Not by `commit`: behind a read that met a damaged page it throws as well, and nobody waits for it.
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
