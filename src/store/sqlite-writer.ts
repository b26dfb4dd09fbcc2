import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { RefusalKind, Row, Value } from './db.ts';
import { createRun } from './sqlite-statements.ts';

/** A statement on its way to the writer: the index of its text, its values, the rows it expects. */
export type SentStatement = readonly [text: number, args: readonly Value[] | undefined, rows: number | undefined];
export type SentUnit = readonly SentStatement[];

/** What the main thread posts: the texts that are new to the writer, and the units of a batch. Or the order to close. */
export type ToWriter =
  | { readonly texts: readonly string[]; readonly units: readonly SentUnit[] }
  | { readonly close: true };

export type UnitResult =
  | { readonly rows: Row[][] }
  | { readonly kind: RefusalKind; readonly statement: number; readonly message: string };

/** What the writer posts. Errors lose their codes between threads, so they travel as plain objects. */
export type FromWriter =
  | { readonly state: 'open' | 'busy' }
  | { readonly state: 'failed' | 'lost'; readonly message: string }
  | { readonly state: 'committed'; readonly results: readonly UnitResult[] };

type SqliteFault = { readonly code: string; readonly errcode: number | undefined; readonly message: string };

// Each try of the main thread waits so long for another program that holds the file.
const busyTimeoutMs = 250;
const checkpointPages = { usual: 1_000, large: 4_000 } as const;
const largeUnitStatements = 16;
const checkedAlwaysBytes = 64 * 2 ** 20;
const busyCodes = new Set([5, 6]);
// Out of memory, read-only, I/O error, corruption, disk full, file gone, not a database: nothing more can be promised.
const lostCodes = new Set([7, 8, 10, 11, 13, 14, 26]);
const kinds = new Map<number, RefusalKind>([
  [1555, 'unique'],
  [2067, 'unique'],
  [1299, 'not_null'],
  [787, 'foreign_key'],
  [275, 'check'],
]);

class Lost extends Error {}

function start(path: string, post: (message: FromWriter) => void): (message: ToWriter) => void {
  const db = open(path);
  const run = createRun(db);
  const texts: string[] = [];
  const commit = createCommit(db, (unit) => runUnit(unit, texts, run));
  return (message) => {
    if ('close' in message) {
      db.close();
      parentPort?.close();
      return;
    }
    texts.push(...message.texts);
    post(commit(message.units));
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
    if (found !== value) throw new Error(`${pragma} of ${path} is ${String(found)}, and must be ${value}`);
  }
  if (wantsCheck) {
    const { quick_check: found } = db.prepare('pragma quick_check(1)').get() ?? {};
    if (found !== 'ok') throw new Error(`quick_check of ${path}: ${String(found)}; restore the newest backup`);
  }
  // Only now: the check reads the whole file, and what it left in the cache would stay in the memory of the process.
  db.exec('pragma cache_size = -16384');
  return db;
}

// The check reads the whole file, about 5 ms a MiB. A large one that was closed well, and so has no log beside it, is
// left to `doctor` and to the check of each backup; after a crash it is always checked.
function needsCheck(path: string): boolean {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return size <= checkedAlwaysBytes || (log !== undefined && log.size > 0);
}

// One transaction and one sync for all units; a savepoint around each, so that a bad one leaves alone. A unit that comes
// alone needs none, and saves the copy that a savepoint keeps of every page it changes: thousands in an import.
function createCommit(
  db: DatabaseSync,
  runUnit: (unit: SentUnit) => Row[][],
): (units: readonly SentUnit[]) => FromWriter {
  const step = (sql: string) => {
    const statement = db.prepare(sql);
    return () => void statement.run();
  };
  const [begin, commit, rollback] = [step('begin immediate'), step('commit'), step('rollback')];
  const [savepoint, release, back] = [step('savepoint unit'), step('release unit'), step('rollback to unit')];
  const plan = createCheckpointPlan(db);

  function attempt(unit: SentUnit, keep: () => void, undo: () => void): UnitResult {
    try {
      const rows = runUnit(unit);
      keep();
      return { rows };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!db.isTransaction) throw new Lost(`SQLite dropped the whole batch: ${error.message}`);
      undo();
      return error.result;
    }
  }

  function inSavepoint(unit: SentUnit): UnitResult {
    savepoint();
    return attempt(unit, release, () => {
      back();
      release();
    });
  }

  function alone(unit: SentUnit): UnitResult {
    begin();
    return attempt(unit, commit, rollback);
  }

  return (units) => {
    try {
      plan(units);
      const [only, ...others] = units;
      if (only !== undefined && others.length === 0) return { state: 'committed', results: [alone(only)] };
      begin();
      const results = units.map(inSavepoint);
      commit();
      return { state: 'committed', results };
    } catch (error) {
      const fault = toFault(error);
      if (db.isTransaction) rollback();
      // A busy engine has stored nothing. Any other fault here is one of the disk or the file.
      if (busyCodes.has((fault.errcode ?? 0) & 0xff)) return { state: 'busy' };
      return { state: 'lost', message: fault.message };
    }
  };
}

// A unit of an import changes thousands of pages, many of them again in the next: the log grows further before it is taken
// back, which writes each page once for several units. After small units it is taken back early, so that none waits long.
function createCheckpointPlan(db: DatabaseSync): (units: readonly SentUnit[]) => void {
  let planned = 0;
  return (units) => {
    const isLarge = units.some((unit) => unit.length >= largeUnitStatements);
    const pages = isLarge ? checkpointPages.large : checkpointPages.usual;
    if (pages === planned) return;
    db.exec(`pragma wal_autocheckpoint = ${pages}`);
    planned = pages;
  };
}

class Refusal extends Error {
  readonly result: Exclude<UnitResult, { rows: Row[][] }>;
  constructor(result: Exclude<UnitResult, { rows: Row[][] }>) {
    super(result.message);
    this.result = result;
  }
}

function runUnit(unit: SentUnit, texts: readonly string[], run: ReturnType<typeof createRun>) {
  return unit.map(([text, args, expected], statement) => {
    let rows: Row[];
    try {
      rows = run(texts[text] ?? '', args);
    } catch (error) {
      const fault = toFault(error);
      const primary = (fault.errcode ?? 0) & 0xff;
      if (lostCodes.has(primary)) throw new Lost(fault.message);
      if (busyCodes.has(primary)) throw error;
      throw new Refusal(toRefusal(fault, statement));
    }
    if (expected !== undefined && rows.length !== expected) {
      const message = `${rows.length} rows came back, ${expected} were stated`;
      throw new Refusal({ kind: 'rows', statement, message });
    }
    return rows;
  });
}

function toRefusal(fault: SqliteFault, statement: number) {
  return { kind: kinds.get(fault.errcode ?? 0) ?? 'other', statement, message: fault.message } as const;
}

// The message of an integer out of range tells the integer, which may be somebody's.
function toFault(error: unknown): SqliteFault {
  const { code = '', errcode, message = '' } = error as Partial<SqliteFault>;
  if (code === 'ERR_OUT_OF_RANGE') return { code, errcode, message: 'a row holds an integer above 2^53' };
  return { code, errcode, message };
}

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: FromWriter) => port.postMessage(message);
  try {
    const take = start((workerData as { path: string }).path, post);
    port.on('message', take);
    post({ state: 'open' });
  } catch (error) {
    post({ state: 'failed', message: toFault(error).message });
    port.close();
  }
}
