import { DatabaseSync } from 'node:sqlite';
import { createRun, type Run } from './sqlite-statements.ts';

/** The connection that reads. What one turn of the event loop reads shares a transaction: one look at the file. */
export type Reader = {
  readonly run: Run;
  close(): void;
};

/**
 * Opens the file to read. A transaction of its own for each statement would cost two locks each, and one that lasts over
 * many turns would keep the log of the writer from being taken back. The file is not mapped into memory (`mmap_size`): SQLite
 * gives such a mapping up with every commit of the writer, which costs three times what it saves.
 */
export function openReader(path: string | URL): Reader {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  db.exec('pragma cache_size = -8192; pragma temp_store = memory');
  // Not by `commit`: behind a read that met a damaged page it throws as well, and nobody waits for it.
  const [begin, end] = [db.prepare('begin'), db.prepare('rollback')];
  const run = createRun(db);
  let reading = false;

  function refresh(): void {
    if (!reading) return;
    reading = false;
    end.run();
  }

  return {
    run: (sql, args) => {
      if (!reading) {
        begin.run();
        reading = true;
        setImmediate(refresh);
      }
      return run(sql, args);
    },
    close: () => {
      refresh();
      db.close();
    },
  };
}
