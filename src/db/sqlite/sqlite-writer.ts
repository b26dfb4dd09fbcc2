import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { DatabaseUnusable, type RefusalKind, type Row, type Statement } from '../database.ts';
import { createStatementRunner, type RunStatement } from './prepared-statements.ts';
import { isCheckedAtStart, quickCheckSql } from './quick-check.ts';
import { explainSqliteError, type SqliteErrorInfo, sqliteErrorInfo } from './sqlite-error.ts';

type WriterUnit = readonly Pick<Statement, 'sql' | 'args' | 'rows'>[];

/** The message of a thread on its port. */
export type WriterBatch = {
  readonly units: readonly WriterUnit[];
  /** A statement has the option `erase`. */
  readonly erases: boolean;
  /** A statement has the option `tempFiles`. */
  readonly needsTempFiles: boolean;
};

/** The message of the main thread: the port of a thread that writes, or the command to close. */
export type WriterCommand = { readonly join: MessagePort } | { readonly close: true };

/** The result of one unit of a committed batch: its rows, or why it was refused. */
export type UnitResult =
  | { readonly rows: Row[][] }
  | { readonly kind: RefusalKind; readonly statement: number; readonly message: string };

/** The message of the writer to the main thread. An error would lose its code between threads, therefore it is a plain object. */
export type WriterStatus = { readonly state: 'open' } | { readonly state: 'failed' | 'lost'; readonly message: string };

/** The outcome of a batch, posted on the port that the batch came from. */
export type BatchResult =
  | { readonly state: 'busy' }
  | { readonly state: 'lost'; readonly message: string }
  | { readonly state: 'committed'; readonly results: readonly UnitResult[] };

// How long each try waits for another program that has locked the file.
const busyTimeoutMs = 250;
const checkpointPages = { usual: 1_000, large: 16_000 } as const;
const largeUnitStatements = 16;
const busyCodes = new Set([5, 6]);
// Out of memory, read-only, I/O error, corruption, disk full, file missing, not a database: the writer takes no more writes.
const lostCodes = new Set([7, 8, 10, 11, 13, 14, 26]);
const kinds = new Map<number, RefusalKind>([
  [1555, 'unique'],
  [2067, 'unique'],
  [1299, 'not_null'],
  [787, 'foreign_key'],
  [275, 'check'],
]);

class SqliteLost extends Error {
  readonly errcode: number | undefined;
  constructor(message: string, errcode?: number) {
    super(message);
    this.errcode = errcode;
  }
}

function startWriterThread(
  path: string,
  reportStatus: (message: WriterStatus) => void,
): (message: WriterCommand) => void {
  const db = open(path);
  const commit = createBatchCommit(path, db, createStatementRunner(db));
  const ports = new Set<MessagePort>();
  // Set after a fault of the disk or the file: all later batches are lost.
  let lost: BatchResult | undefined;

  // The waiting batches of other threads join the same commit: one sync for all.
  function commitReceived(port: MessagePort, batch: WriterBatch): void {
    const sent = new Map([[port, batch]]);
    for (const other of ports) {
      // Only sqlite-committer.ts posts here, one batch at a time.
      const waiting = receiveMessageOnPort(other) as { readonly message: WriterBatch } | undefined;
      if (waiting !== undefined) sent.set(other, waiting.message);
    }
    const results = lost === undefined ? commit([...sent.values()]) : [];
    for (const [index, sender] of [...sent.keys()].entries()) {
      const result = lost ?? results[index] ?? { state: 'lost', message: 'the batch has no result' };
      if (result.state === 'lost' && lost === undefined) {
        lost = result;
        reportStatus(result);
      }
      sender.postMessage(result);
    }
  }

  function addPort(port: MessagePort): void {
    ports.add(port);
    port.on('message', (batch: WriterBatch) => commitReceived(port, batch));
    port.on('close', () => ports.delete(port));
  }

  return (message) => {
    if ('join' in message) {
      addPort(message.join);
      return;
    }
    db.close();
    for (const port of ports) port.close();
    parentPort?.close();
  };
}

function open(path: string): DatabaseSync {
  const wantsCheck = needsCheck(path);
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true, defensive: true });
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory;
    pragma cache_size = -2048; pragma journal_size_limit = 67108864; pragma secure_delete = on;
    pragma trusted_schema = off`);
  const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1 };
  for (const [pragma, value] of Object.entries(expected)) {
    const found = db.prepare(`pragma ${pragma}`).get()?.[pragma];
    if (found !== value) throw new DatabaseUnusable(`${pragma} of ${path} is ${String(found)}, and must be ${value}`);
  }
  if (wantsCheck) {
    const { quick_check: found } = db.prepare(quickCheckSql).get() ?? {};
    if (found !== 'ok')
      throw new DatabaseUnusable(`quick_check of ${path}: ${String(found)}; restore the newest backup`);
  }
  // After the check, which reads the whole file and would fill a larger cache.
  db.exec('pragma cache_size = -16384');
  return db;
}

// A large file without a write-ahead log was closed properly. It is checked by each backup, and here only after a crash.
function needsCheck(path: string): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return isCheckedAtStart(path) || (log !== undefined && log.size > 0);
}

// One transaction and one sync for all batches. A savepoint around each unit would cost a copy of each page that the unit
// changes, and few units are refused. Therefore all run without savepoints first, and again with them after a refusal.
function createBatchCommit(
  path: string,
  db: DatabaseSync,
  run: RunStatement,
): (sent: readonly WriterBatch[]) => BatchResult[] {
  const setCheckpointInterval = createCheckpointIntervalSetter(db);
  const setTempStore = createTempStoreSetter(path, db);

  function runInSavepoint(unit: WriterUnit): UnitResult {
    db.exec('savepoint unit');
    try {
      const rows = runUnit(unit, run);
      db.exec('release unit');
      return { rows };
    } catch (error) {
      if (!(error instanceof UnitRefused)) throw error;
      if (!db.isTransaction) throw new SqliteLost(`SQLite dropped the whole batch: ${error.message}`);
      db.exec('rollback to unit; release unit');
      return error.result;
    }
  }

  const runWithoutSavepoint = (unit: WriterUnit): UnitResult => ({ rows: runUnit(unit, run) });

  function runInTransaction(sent: readonly WriterBatch[], runOne: typeof runWithoutSavepoint): BatchResult[] {
    db.exec('begin immediate');
    const results = sent.map(({ units }) => units.map(runOne));
    db.exec('commit');
    return results.map((own) => ({ state: 'committed', results: own }));
  }

  function runWithRetry(sent: readonly WriterBatch[]): BatchResult[] {
    try {
      return runInTransaction(sent, runWithoutSavepoint);
    } catch (error) {
      if (!(error instanceof UnitRefused)) throw error;
      if (!db.isTransaction) throw new SqliteLost(`SQLite dropped the whole batch: ${error.message}`);
      db.exec('rollback');
      return runInTransaction(sent, runInSavepoint);
    }
  }

  const truncateWal = createWalTruncation(db);
  return (sent) => {
    try {
      setCheckpointInterval(sent);
      setTempStore(sent);
      const results = runWithRetry(sent);
      truncateWal(sent);
      return results;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      return sent.map(() => toFailedResult(path, error));
    }
  };
}

// A busy engine has stored nothing. Any other error is a fault of the disk or the file.
function toFailedResult(path: string, error: unknown): BatchResult {
  const fault = sqliteErrorInfo(error);
  const isBusy = busyCodes.has((fault.errcode ?? 0) & 0xff);
  return isBusy ? { state: 'busy' } : { state: 'lost', message: explainSqliteError(path, fault) };
}

// A unit of an import changes up to 5,000 pages, many of them again in the next unit. With a long interval, a checkpoint writes
// each page once for several units. After small units the interval is short, so that no unit waits long for a checkpoint.
function createCheckpointIntervalSetter(db: DatabaseSync): (sent: readonly WriterBatch[]) => void {
  let planned = 0;
  return (sent) => {
    const isLarge = sent.some(({ units }) => units.some((unit) => unit.length >= largeUnitStatements));
    const pages = isLarge ? checkpointPages.large : checkpointPages.usual;
    if (pages === planned) return;
    db.exec(`pragma wal_autocheckpoint = ${pages}`);
    planned = pages;
  };
}

// SQLite keeps the changed pages and the sorted rows of a statement until it ends: usually in memory, and for the option
// `tempFiles` in unnamed files in the folder of the database.
function createTempStoreSetter(path: string, db: DatabaseSync): (sent: readonly WriterBatch[]) => void {
  let current: 'memory' | 'file' = 'memory';
  return (sent) => {
    const wanted = sent.some(({ needsTempFiles }) => needsTempFiles) ? 'file' : 'memory';
    if (wanted === current) return;
    if (wanted === 'file') db.exec(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    db.exec(`pragma temp_store = ${wanted}`);
    current = wanted;
  };
}

// Deleted content stays in the database file and in the write-ahead log until a checkpoint. After a statement with the option
// `erase`, the unit is acknowledged after a checkpoint that truncates the log. If a reader blocks the checkpoint, it is tried
// again after each later commit. Only the first try waits for readers, because a backup reads for minutes.
function createWalTruncation(db: DatabaseSync): (sent: readonly WriterBatch[]) => void {
  const checkpoint = db.prepare('pragma wal_checkpoint(truncate)');
  // True at the start, because an earlier process may have been killed before its checkpoint.
  let isPending = true;
  return (sent) => {
    const isRequested = sent.some(({ erases }) => erases);
    if (!isPending && !isRequested) return;
    if (isPending) db.exec('pragma busy_timeout = 0');
    try {
      isPending = checkpoint.get()?.['busy'] !== 0;
    } catch {
      // The unit is stored. The next commit reports a fault of the disk.
      isPending = true;
    }
    db.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  };
}

class UnitRefused extends Error {
  readonly result: Exclude<UnitResult, { rows: Row[][] }>;
  constructor(result: Exclude<UnitResult, { rows: Row[][] }>) {
    super(result.message);
    this.result = result;
  }
}

function runUnit(unit: WriterUnit, run: RunStatement) {
  return unit.map(({ sql, args, rows: expected }, statement) => {
    let rows: Row[];
    try {
      rows = run(sql, args);
    } catch (error) {
      const fault = sqliteErrorInfo(error);
      const primary = (fault.errcode ?? 0) & 0xff;
      if (lostCodes.has(primary)) throw new SqliteLost(fault.message, fault.errcode);
      if (busyCodes.has(primary)) throw error;
      throw new UnitRefused(toRefusedResult(fault, statement));
    }
    if (expected !== undefined && rows.length !== expected) {
      const message = `expected ${expected} rows, received ${rows.length}`;
      throw new UnitRefused({ kind: 'rows', statement, message });
    }
    return rows;
  });
}

function toRefusedResult(fault: SqliteErrorInfo, statement: number) {
  return { kind: kinds.get(fault.errcode ?? 0) ?? 'other', statement, message: fault.message } as const;
}

if (parentPort !== null) {
  const port = parentPort;
  const report = (message: WriterStatus) => port.postMessage(message);
  const { path } = workerData as { path: string };
  try {
    port.on('message', startWriterThread(path, report));
    report({ state: 'open' });
  } catch (error) {
    report({ state: 'failed', message: explainSqliteError(path, sqliteErrorInfo(error)) });
    port.close();
  }
}
