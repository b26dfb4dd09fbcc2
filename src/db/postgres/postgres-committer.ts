import { type Statement, WriteBusy, WriteRefused, WriteUnknown } from '../database.ts';
import { type BatchCommitter, nothingToRetry, type PendingUnit, type RetryableUnits } from '../group-commit.ts';
import type { LockedTables } from './locked-tables.ts';
import { type BatchLayout, createStatementMerger, layOutSeparately, type ReplySource } from './merge-statements.ts';
import type { PostgresConnection, StatementReply } from './postgres-connection.ts';
import { type PostgresFault, postgresErrorMessage } from './postgres-fault.ts';

/** What became of a transaction. `failed`, `blurred` (one unit failed, unknown which) and `transient`: it was rolled back. */
type Outcome =
  | { readonly is: 'stored'; readonly rows: readonly StatementReply[][] }
  | { readonly is: 'failed'; readonly failures: ReadonlyMap<PendingUnit, Error> }
  | { readonly is: 'blurred' }
  | { readonly is: 'transient'; readonly message: string; readonly reconnect: boolean }
  | { readonly is: 'unknown'; readonly message: string };

const begin: Statement = { sql: 'begin' };
const commit: Statement = { sql: 'commit' };
const rollback: Statement = { sql: 'rollback' };
// After this many tries as a batch the units go one by one, so that they no longer hold each other's locks.
const maxBatchTries = 2;

/** Where a lane tells of locked tables, and gives away units that touch one: `divert` gives those that it keeps. */
export type LockedTableHandling = {
  readonly locked: Pick<LockedTables, 'markLocked'>;
  divert(units: readonly PendingUnit[]): readonly PendingUnit[];
};

/** A lane over its own connection, made when it is needed and made anew after a loss. */
export function createPostgresCommitter(
  open: () => Promise<PostgresConnection>,
  { locked, divert }: LockedTableHandling,
): BatchCommitter & { close(): Promise<void> } {
  let connection: PostgresConnection | undefined;
  const mergeStatements = createStatementMerger();

  /** The connection, or why there is none. */
  async function getConnection(): Promise<PostgresConnection | { readonly because: string }> {
    if (connection?.usable) return connection;
    try {
      connection = await open();
      return connection;
    } catch (error) {
      return { because: postgresErrorMessage(error) };
    }
  }

  async function runUnits(units: readonly PendingUnit[], merges: boolean): Promise<Outcome> {
    const connection = await getConnection();
    // Nothing was sent, so nothing is stored.
    if ('because' in connection) return { is: 'transient', message: connection.because, reconnect: false };
    const layout = (merges && units.length > 1 ? mergeStatements : layOutSeparately)(units.map(({ unit }) => unit));
    const outcome = await runTransaction(connection, units, layout, locked);
    if (outcome.is === 'unknown' || (outcome.is === 'transient' && outcome.reconnect)) connection.destroy();
    return outcome;
  }

  async function commitTogether(given: readonly PendingUnit[], again: boolean, merges = true): Promise<RetryableUnits> {
    const batch = divert(given);
    if (batch.length === 0) return nothingToRetry;
    const outcome = await runUnits(batch, merges);
    switch (outcome.is) {
      case 'stored':
        for (const [index, pending] of batch.entries()) resolveUnit(pending, outcome.rows[index] ?? []);
        return nothingToRetry;
      case 'unknown':
        for (const pending of batch) pending.reject(new WriteUnknown(outcome.message));
        return nothingToRetry;
      case 'transient':
        return { units: batch, reason: outcome.message };
      case 'failed': {
        for (const [pending, error] of outcome.failures) pending.reject(error);
        const rest = batch.filter((pending) => !outcome.failures.has(pending));
        if (rest.length === 0) return nothingToRetry;
        return again ? commitTogether(rest, false) : commitOneByOne(rest);
      }
      case 'blurred':
        return commitTogether(batch, again, false);
    }
  }

  async function commitOneByOne(batch: readonly PendingUnit[]): Promise<RetryableUnits> {
    const rest: PendingUnit[] = [];
    let reason = '';
    for (const [index, pending] of batch.entries()) {
      const reached = await getConnection();
      if ('because' in reached) return { units: [...rest, ...batch.slice(index)], reason: reached.because };
      const unstored = await commitTogether([pending], false);
      rest.push(...unstored.units);
      if (unstored.units.length > 0) reason = unstored.reason;
    }
    return { units: rest, reason };
  }

  const commitBatch = (batch: readonly PendingUnit[], attempt: number) =>
    attempt < maxBatchTries ? commitTogether(batch, true) : commitOneByOne(batch);
  const close = async () => {
    if (connection?.usable) await connection.close();
  };
  return Object.assign(commitBatch, { close });
}

// Without stated rows, BEGIN to COMMIT is one round trip. With them, COMMIT waits until the rows were counted.
async function runTransaction(
  connection: PostgresConnection,
  units: readonly PendingUnit[],
  layout: BatchLayout,
  locked: LockedTableHandling['locked'],
): Promise<Outcome> {
  const { statements, sources, separateRange } = layout;
  const hasExpectedRows = units.some(({ unit }) => unit.some((statement) => statement.rows !== undefined));
  const replies = await connection.send([begin, ...statements, ...(hasExpectedRows ? [] : [commit])]);
  const done = replies.slice(1);
  const rows = sources.map((own) => own.flatMap((place) => replyOfStatement(done, place) ?? []));
  const slow = statements[done.findIndex((reply) => 'fault' in reply && reply.fault.is === 'slow')];
  if (slow !== undefined) locked.markLocked(slow.sql);
  const isBlurred = [...done.slice(0, separateRange[0]), ...done.slice(separateRange[1])].some(isOwnFault);
  const failures = findFailures(units, rows);
  const fault = worstFault(replies);
  if (fault?.is === 'lost') return { is: 'unknown', message: fault.message };
  const clean = fault === undefined || fault.is === 'unreadable';
  const last = hasExpectedRows
    ? (await connection.send([clean && failures.size === 0 ? commit : rollback]))[0]
    : replies.at(-1);
  const outcome = conclude({ last, fault, failures, rows });
  return isBlurred && outcome.is === 'failed' ? { is: 'blurred' } : outcome;
}

/** What is the unit's own of what came back there. */
function replyOfStatement(replies: readonly StatementReply[], { at, rowId }: ReplySource): StatementReply | undefined {
  const reply = replies[at];
  if (reply === undefined || 'fault' in reply || rowId === undefined) return reply;
  return { ...reply, rows: reply.rows.filter((row) => row['id'] === rowId) };
}

/** Whether that statement itself failed, and not one before it. */
function isOwnFault(reply: StatementReply): boolean {
  return 'fault' in reply && (reply.fault.is === 'refused' || reply.fault.is === 'slow');
}

type TransactionEnd = {
  readonly last: StatementReply | undefined;
  readonly fault: PostgresFault | undefined;
  readonly failures: ReadonlyMap<PendingUnit, Error>;
  readonly rows: readonly StatementReply[][];
};

// The tag that answers COMMIT is the proof: a failed transaction answers it with ROLLBACK and no error.
function conclude({ last, fault, failures, rows }: TransactionEnd): Outcome {
  if (last === undefined) return { is: 'unknown', message: 'no answer to the end of the transaction' };
  if ('fault' in last) {
    if (last.fault.is === 'transient') return last.fault;
    return { is: 'unknown', message: 'message' in last.fault ? last.fault.message : 'COMMIT was refused' };
  }
  if (last.command === 'COMMIT') return { is: 'stored', rows };
  if (last.command !== 'ROLLBACK') return { is: 'unknown', message: `COMMIT was answered with ${last.command}` };
  if (fault?.is === 'transient') return fault;
  if (failures.size > 0) return { is: 'failed', failures };
  return { is: 'transient', message: 'the transaction was rolled back', reconnect: true };
}

function worstFault(replies: readonly StatementReply[]): PostgresFault | undefined {
  const faults = replies.flatMap((reply) => ('fault' in reply ? [reply.fault] : []));
  return faults.find((fault) => fault.is === 'lost') ?? faults.find((fault) => fault.is !== 'unreadable') ?? faults[0];
}

// At most one statement fails with an error; stated rows may fail in several units at once.
function findFailures(units: readonly PendingUnit[], rows: readonly StatementReply[][]): Map<PendingUnit, Error> {
  const failures = new Map<PendingUnit, Error>();
  for (const [index, pending] of units.entries()) {
    for (const [statement, reply] of (rows[index] ?? []).entries()) {
      const failure = failureOf(reply, pending.unit[statement]?.rows, statement);
      if (failure !== undefined && !failures.has(pending)) failures.set(pending, failure);
    }
  }
  return failures;
}

function failureOf(reply: StatementReply, expected: number | undefined, statement: number): Error | undefined {
  if ('fault' in reply) {
    if (reply.fault.is === 'refused') return new WriteRefused(reply.fault.kind, statement, reply.fault.message);
    return reply.fault.is === 'slow' ? new WriteBusy(reply.fault.message) : undefined;
  }
  if (expected === undefined || reply.rows.length === expected) return undefined;
  return new WriteRefused('rows', statement, `${reply.rows.length} rows came back, ${expected} were stated`);
}

function resolveUnit(pending: PendingUnit, replies: readonly StatementReply[]): void {
  const rows = replies.flatMap((reply) => ('rows' in reply ? [reply.rows] : []));
  if (rows.length === pending.unit.length) pending.resolve(rows);
  else pending.reject(new WriteUnknown('the unit is stored, but a row of it holds an integer above 2^53'));
}
