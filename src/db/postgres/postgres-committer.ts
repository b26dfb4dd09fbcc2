import { type Statement, WriteBusy, WriteRefused, WriteUnknown } from '../database.ts';
import { type BatchCommitter, nothingToRetry, type PendingUnit, type RetryableUnits } from '../group-commit.ts';
import type { LockedTables } from './locked-tables.ts';
import { type BatchLayout, layOutSeparately, mergeStatements, type ReplySource } from './merge-statements.ts';
import type { PostgresConnection, StatementReply } from './postgres-connection.ts';
import { type PostgresFault, postgresErrorMessage } from './postgres-fault.ts';

/** The outcome of a transaction. `failed`, `ambiguous` (it is unknown which unit failed) and `transient`: it was rolled back. */
type Outcome =
  | { readonly is: 'stored'; readonly rows: readonly StatementReply[][] }
  | { readonly is: 'failed'; readonly failures: ReadonlyMap<PendingUnit, Error> }
  | { readonly is: 'ambiguous' }
  | { readonly is: 'transient'; readonly message: string; readonly reconnect: boolean }
  | { readonly is: 'unknown'; readonly message: string };

type Units = readonly PendingUnit[];

const begin: Statement = { sql: 'begin' };
const commit: Statement = { sql: 'commit' };
const rollback: Statement = { sql: 'rollback' };
// After this many tries as a batch the units run one by one, so that none holds a lock that another one waits for.
const maxBatchTries = 2;
/** A single unit with more statements than this has many inserts of the same table, which are merged too. */
const smallUnitStatements = 32;

/** How a committer handles locked tables. */
export type LockedTableHandling = {
  readonly locked: Pick<LockedTables, 'markLocked'>;
  /** Takes over the units that need a locked table, and returns the others. */
  divert(units: readonly PendingUnit[]): readonly PendingUnit[];
};

/** A committer with a connection of its own, which it opens when needed and again after a loss. */
export function createPostgresCommitter(
  open: () => Promise<PostgresConnection>,
  { locked, divert }: LockedTableHandling,
): BatchCommitter & { close(): Promise<void> } {
  const { getConnection, close } = createLazyConnection(open);

  async function runUnits(units: readonly PendingUnit[], merges: boolean): Promise<Outcome> {
    const connection = await getConnection();
    // Nothing was sent, therefore nothing is stored.
    if ('unavailable' in connection) return { is: 'transient', message: connection.unavailable, reconnect: false };
    const isLarge = units.length > 1 || units.some(({ unit }) => unit.length > smallUnitStatements);
    const layout = (merges && isLarge ? mergeStatements : layOutSeparately)(units.map(({ unit }) => unit));
    const outcome = await runTransaction(connection, units, layout, locked);
    if (outcome.is === 'unknown' || (outcome.is === 'transient' && outcome.reconnect)) connection.destroy();
    return outcome;
  }

  /** `retries`: when units fail, the others run again as one batch. `merges`: statements of several units are merged. */
  async function commitTogether(units: Units, retries: boolean, merges = true): Promise<RetryableUnits> {
    const batch = divert(units);
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
        return retries ? commitTogether(rest, false) : commitOneByOne(rest);
      }
      case 'ambiguous':
        return commitTogether(batch, retries, false);
    }
  }

  async function commitOneByOne(batch: readonly PendingUnit[]): Promise<RetryableUnits> {
    const rest: PendingUnit[] = [];
    let reason = '';
    for (const [index, pending] of batch.entries()) {
      const reached = await getConnection();
      if ('unavailable' in reached) return { units: [...rest, ...batch.slice(index)], reason: reached.unavailable };
      const unstored = await commitTogether([pending], false);
      rest.push(...unstored.units);
      if (unstored.units.length > 0) reason = unstored.reason;
    }
    return { units: rest, reason };
  }

  const commitBatch = (batch: readonly PendingUnit[], attempt: number) =>
    attempt < maxBatchTries ? commitTogether(batch, true) : commitOneByOne(batch);
  return Object.assign(commitBatch, { close });
}

function createLazyConnection(open: () => Promise<PostgresConnection>) {
  let connection: PostgresConnection | undefined;
  return {
    /** The connection, or the reason why there is none. */
    getConnection: async (): Promise<PostgresConnection | { readonly unavailable: string }> => {
      if (connection?.usable) return connection;
      try {
        connection = await open();
        return connection;
      } catch (error) {
        return { unavailable: postgresErrorMessage(error) };
      }
    },
    close: async () => {
      if (connection?.usable) await connection.close();
    },
  };
}

// Without `rows`, BEGIN to COMMIT is one round trip. With `rows`, COMMIT is sent after the rows were counted.
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
  const rows = sources.map((own) => own.flatMap((source) => replyOfStatement(done, source) ?? []));
  const slow = statements[done.findIndex((reply) => 'fault' in reply && reply.fault.is === 'slow')];
  if (slow !== undefined) locked.markLocked(slow.sql);
  const isAmbiguous = [...done.slice(0, separateRange[0]), ...done.slice(separateRange[1])].some(isOwnFault);
  const failures = findFailures(units, rows);
  const fault = worstFault(replies);
  if (fault?.is === 'lost') return { is: 'unknown', message: fault.message };
  const isClean = fault === undefined || fault.is === 'unreadable';
  const last = hasExpectedRows
    ? (await connection.send([isClean && failures.size === 0 ? commit : rollback]))[0]
    : replies.at(-1);
  const outcome = conclude({ last, fault, failures, rows });
  return isAmbiguous && outcome.is === 'failed' ? { is: 'ambiguous' } : outcome;
}

/** The part of the server's reply that belongs to one statement of a unit. */
function replyOfStatement(replies: readonly StatementReply[], { at, rowId }: ReplySource): StatementReply | undefined {
  const reply = replies[at];
  if (reply === undefined || 'fault' in reply || rowId === undefined) return reply;
  return { ...reply, rows: reply.rows.filter((row) => row['id'] === rowId) };
}

/** Whether this statement failed, and not an earlier one. */
function isOwnFault(reply: StatementReply): boolean {
  return 'fault' in reply && (reply.fault.is === 'refused' || reply.fault.is === 'slow');
}

type TransactionEnd = {
  readonly last: StatementReply | undefined;
  readonly fault: PostgresFault | undefined;
  readonly failures: ReadonlyMap<PendingUnit, Error>;
  readonly rows: readonly StatementReply[][];
};

// The command tag of COMMIT is the proof: a failed transaction answers COMMIT with the tag ROLLBACK and no error.
function conclude({ last, fault, failures, rows }: TransactionEnd): Outcome {
  if (last === undefined) return { is: 'unknown', message: 'no answer to the end of the transaction' };
  if ('fault' in last) {
    if (last.fault.is === 'transient') return last.fault;
    return { is: 'unknown', message: 'message' in last.fault ? last.fault.message : 'COMMIT was refused' };
  }
  if (last.command === 'COMMIT' && (fault === undefined || fault.is === 'unreadable')) return { is: 'stored', rows };
  if (last.command !== 'ROLLBACK') return { is: 'unknown', message: `COMMIT was answered with ${last.command}` };
  if (fault?.is === 'transient') return fault;
  if (failures.size > 0) return { is: 'failed', failures };
  return { is: 'transient', message: 'the transaction was rolled back', reconnect: true };
}

function worstFault(replies: readonly StatementReply[]): PostgresFault | undefined {
  const faults = replies.flatMap((reply) => ('fault' in reply ? [reply.fault] : []));
  return faults.find((fault) => fault.is === 'lost') ?? faults.find((fault) => fault.is !== 'unreadable') ?? faults[0];
}

// At most one statement fails with an error. The number of rows may be wrong in several units.
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
  return new WriteRefused('rows', statement, `expected ${expected} rows, received ${reply.rows.length}`);
}

function resolveUnit(pending: PendingUnit, replies: readonly StatementReply[]): void {
  const rows = replies.flatMap((reply) => ('rows' in reply ? [reply.rows] : []));
  if (rows.length === pending.unit.length) pending.resolve(rows);
  else pending.reject(new WriteUnknown('the unit is stored, but a row of it holds an integer above 2^53'));
}
