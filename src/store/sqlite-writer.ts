import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { isCheckedAlways, quickCheck } from './database-check.ts';
import type { RefusalKind, Row, Value } from './db.ts';
import { faultFrom, type SqliteFault, withRemedy } from './sqlite-faults.ts';
import { holds, learn, newSender, type Sender, type Sent } from './sqlite-marks.ts';
import { createRun, type Run } from './sqlite-statements.ts';

/** A statement on its way to the writer: the index of its text, its values, the rows it expects. */
export type SentStatement = readonly [text: number, args: readonly Value[] | undefined, rows: number | undefined];
export type SentUnit = readonly SentStatement[];

/** What a thread posts on its port: the texts that it has not sent before, and the units of a batch. */
export type SentBatch = { readonly texts: readonly string[]; readonly units: readonly SentUnit[] };

/** What the main thread posts: the port of a thread that writes, or the order to close. */
export type ToWriter = { readonly join: MessagePort } | { readonly close: true };

export type UnitResult =
  | { readonly rows: Row[][] }
  | { readonly kind: RefusalKind; readonly statement: number; readonly message: string };

/** What the writer tells the main thread. Errors lose their codes between threads, so they travel as plain objects. */
export type FromWriter = { readonly state: 'open' } | { readonly state: 'failed' | 'lost'; readonly message: string };

/** What became of a batch, on the port that it came from. */
export type BatchResult =
  | { readonly state: 'busy' }
  | { readonly state: 'lost'; readonly message: string }
  | { readonly state: 'committed'; readonly results: readonly UnitResult[] };

// Each try of the main thread waits so long for another program that holds the file.
const busyTimeoutMs = 250;
const checkpointPages = { usual: 1_000, large: 16_000 } as const;
const largeUnitStatements = 16;
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

class Lost extends Error {
  readonly errcode: number | undefined;
  constructor(message: string, errcode?: number) {
    super(message);
    this.errcode = errcode;
  }
}

function start(path: string, tell: (message: FromWriter) => void): (message: ToWriter) => void {
  const db = open(path);
  const commit = createCommit(path, db, createRun(db));
  const senders = new Set<Sender>();
  // Behind a fault of the disk or the file nothing more can be promised.
  let lost: BatchResult | undefined;

  // Whatever has come from other threads meanwhile goes into the same commit: one sync for all of it.
  function take(sender: Sender, batch: SentBatch): void {
    const sent: Sent[] = [{ sender, batch }];
    for (const other of senders) {
      // Only lanes of `sqlite.ts` post here, one batch at a time.
      const waiting = receiveMessageOnPort(other.port) as { readonly message: SentBatch } | undefined;
      if (waiting !== undefined) sent.push({ sender: other, batch: waiting.message });
    }
    for (const one of sent) learn(one);
    const results = lost === undefined ? commit(sent) : sent.map(() => lost);
    for (const [index, one] of sent.entries()) {
      const result = results[index] ?? { state: 'lost', message: 'the batch has no result' };
      if (result.state === 'lost' && lost === undefined) {
        lost = result;
        tell(result);
      }
      one.sender.port.postMessage(result);
    }
  }

  function join(port: MessagePort): void {
    const sender = newSender(port);
    senders.add(sender);
    port.on('message', (batch: SentBatch) => take(sender, batch));
    port.on('close', () => senders.delete(sender));
  }

  return (message) => {
    if ('join' in message) {
      join(message.join);
      return;
    }
    db.close();
    for (const { port } of senders) port.close();
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
    if (found !== value) throw new Error(`${pragma} of ${path} is ${String(found)}, and must be ${value}`);
  }
  if (wantsCheck) {
    const { quick_check: found } = db.prepare(quickCheck).get() ?? {};
    if (found !== 'ok') throw new Error(`quick_check of ${path}: ${String(found)}; restore the newest backup`);
  }
  // Only now: the check reads the whole file, and what it left in the cache would stay in the memory of the process.
  db.exec('pragma cache_size = -16384');
  return db;
}

// A large file that was closed well, and so has no log beside it, is left to the check of each backup; after a crash it is
// always checked.
function needsCheck(path: string): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return isCheckedAlways(path) || (log !== undefined && log.size > 0);
}

// One transaction and one sync for all batches. A savepoint around each unit, so that a bad one leaves alone, costs a copy of
// each page that the unit changes, and next to none is bad: all are run without first, and anew with them where one is refused.
function createCommit(path: string, db: DatabaseSync, run: Run): (sent: readonly Sent[]) => BatchResult[] {
  const step = (sql: string) => {
    const statement = db.prepare(sql);
    return () => void statement.run();
  };
  const [begin, commit, rollback] = [step('begin immediate'), step('commit'), step('rollback')];
  const [savepoint, release, back] = [step('savepoint unit'), step('release unit'), step('rollback to unit')];
  const plan = createCheckpointPlan(db);
  const keep = createKeeping(path, db);

  function inSavepoint(unit: SentUnit, texts: readonly string[]): UnitResult {
    savepoint();
    try {
      const rows = runUnit(unit, texts, run);
      release();
      return { rows };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!db.isTransaction) throw new Lost(`SQLite dropped the whole batch: ${error.message}`);
      back();
      release();
      return error.result;
    }
  }

  const plainly = (unit: SentUnit, texts: readonly string[]): UnitResult => ({ rows: runUnit(unit, texts, run) });

  function inOne(sent: readonly Sent[], runOne: typeof plainly): BatchResult[] {
    begin();
    const results = sent.map(({ sender, batch }) => batch.units.map((unit) => runOne(unit, sender.texts)));
    commit();
    return results.map((own) => ({ state: 'committed', results: own }));
  }

  function withoutRefused(sent: readonly Sent[]): BatchResult[] {
    try {
      return inOne(sent, plainly);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!db.isTransaction) throw new Lost(`SQLite dropped the whole batch: ${error.message}`);
      rollback();
      return inOne(sent, inSavepoint);
    }
  }

  const wipe = createWiping(db);
  return (sent) => {
    try {
      plan(sent);
      keep(sent);
      const results = withoutRefused(sent);
      wipe(sent);
      return results;
    } catch (error) {
      const fault = faultFrom(error);
      if (db.isTransaction) rollback();
      // A busy engine has stored nothing. Any other fault here is one of the disk or the file.
      const isBusy = busyCodes.has((fault.errcode ?? 0) & 0xff);
      return sent.map(() => (isBusy ? { state: 'busy' } : { state: 'lost', message: withRemedy(path, fault) }));
    }
  };
}

// A unit of an import changes up to five thousand pages, many of them again in the next: the log grows to what is kept of it on
// disk before it is taken back, which writes each page once for several units. After small units it is taken back early, so that none waits long.
function createCheckpointPlan(db: DatabaseSync): (sent: readonly Sent[]) => void {
  let planned = 0;
  return (sent) => {
    const isLarge = sent.some(({ batch }) => batch.units.some((unit) => unit.length >= largeUnitStatements));
    const pages = isLarge ? checkpointPages.large : checkpointPages.usual;
    if (pages === planned) return;
    db.exec(`pragma wal_autocheckpoint = ${pages}`);
    planned = pages;
  };
}

// What a statement has changed, and what it sorts, is kept until it ends: in memory, as it is little. In a unit with `/* spills */`
// it may be a whole table, and lies beside the database, in files without a name.
function createKeeping(path: string, db: DatabaseSync): (sent: readonly Sent[]) => void {
  let kept: 'memory' | 'file' = 'memory';
  return (sent) => {
    const wanted = holds(sent, 'spilling') ? 'file' : 'memory';
    if (wanted === kept) return;
    if (wanted === 'file') db.exec(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    db.exec(`pragma temp_store = ${wanted}`);
    kept = wanted;
  };
}

// What a statement with `/* wipe */` takes away would lie in the file until enough was written after it, and in the log of
// writes beside it for longer: both are brought up to date before it is said to be gone. A reader that stands in the way
// has it done with the next commit. Only the first one waits for it: a backup reads for minutes.
function createWiping(db: DatabaseSync): (sent: readonly Sent[]) => void {
  const checkpoint = db.prepare('pragma wal_checkpoint(truncate)');
  // A process that was killed may have left it to be done.
  let isLeft = true;
  return (sent) => {
    const isNew = holds(sent, 'wiping');
    if (!isLeft && !isNew) return;
    if (isLeft) db.exec('pragma busy_timeout = 0');
    try {
      isLeft = checkpoint.get()?.['busy'] !== 0;
    } catch {
      // It is stored; a fault of the disk shows in the next commit.
      isLeft = true;
    }
    db.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  };
}

class Refusal extends Error {
  readonly result: Exclude<UnitResult, { rows: Row[][] }>;
  constructor(result: Exclude<UnitResult, { rows: Row[][] }>) {
    super(result.message);
    this.result = result;
  }
}

function runUnit(unit: SentUnit, texts: readonly string[], run: Run) {
  return unit.map(([text, args, expected], statement) => {
    let rows: Row[];
    try {
      rows = run(texts[text] ?? '', args);
    } catch (error) {
      const fault = faultFrom(error);
      const primary = (fault.errcode ?? 0) & 0xff;
      if (lostCodes.has(primary)) throw new Lost(fault.message, fault.errcode);
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

if (parentPort !== null) {
  const port = parentPort;
  const tell = (message: FromWriter) => port.postMessage(message);
  const { path } = workerData as { path: string };
  try {
    port.on('message', start(path, tell));
    tell({ state: 'open' });
  } catch (error) {
    tell({ state: 'failed', message: withRemedy(path, faultFrom(error)) });
    port.close();
  }
}
