import { type Statement, WriteBusy, WriteRefused, WriteUnknown } from './db.ts';
import { allSettled, type Lane, type Pending, type Unstored } from './group-commit.ts';
import type { Connection, Reply } from './postgres-connection.ts';
import { type Fault, messageOf } from './postgres-faults.ts';
import { createJoins, type Layout, layApart, type Place } from './postgres-joins.ts';
import type { LockedTables } from './postgres-locked-tables.ts';

/** What became of a transaction. `failed`, `blurred` (one unit failed, unknown which) and `transient`: it was rolled back. */
type Outcome =
  | { readonly is: 'stored'; readonly rows: readonly Reply[][] }
  | { readonly is: 'failed'; readonly failures: ReadonlyMap<Pending, Error> }
  | { readonly is: 'blurred' }
  | { readonly is: 'transient'; readonly message: string; readonly reconnect: boolean }
  | { readonly is: 'unknown'; readonly message: string };

const begin: Statement = { sql: 'begin' };
const commit: Statement = { sql: 'commit' };
const rollback: Statement = { sql: 'rollback' };
// After this many tries as a batch the units go one by one, so that they no longer hold each other's locks.
const triesTogether = 2;

/** Where a lane tells of locked tables, and gives away units that touch one: `divert` gives those that it keeps. */
export type LaneLocks = {
  readonly locked: Pick<LockedTables, 'add'>;
  divert(units: readonly Pending[]): readonly Pending[];
};

/** A lane over its own connection, made when it is needed and made anew after a loss. */
export function createLane(
  open: () => Promise<Connection>,
  { locked, divert }: LaneLocks,
): Lane & { close(): Promise<void> } {
  let connection: Connection | undefined;
  const join = createJoins();

  /** The connection, or why there is none. */
  async function reach(): Promise<Connection | { readonly because: string }> {
    if (connection?.usable) return connection;
    try {
      connection = await open();
      return connection;
    } catch (error) {
      return { because: messageOf(error) };
    }
  }

  async function transact(units: readonly Pending[], joins: boolean): Promise<Outcome> {
    const connection = await reach();
    // Nothing was sent, so nothing is stored.
    if ('because' in connection) return { is: 'transient', message: connection.because, reconnect: false };
    const layout = (joins && units.length > 1 ? join : layApart)(units.map(({ unit }) => unit));
    const outcome = await runTransaction(connection, units, layout, locked);
    if (outcome.is === 'unknown' || (outcome.is === 'transient' && outcome.reconnect)) connection.destroy();
    return outcome;
  }

  async function together(given: readonly Pending[], again: boolean, joins = true): Promise<Unstored> {
    const batch = divert(given);
    if (batch.length === 0) return allSettled;
    const outcome = await transact(batch, joins);
    switch (outcome.is) {
      case 'stored':
        for (const [index, pending] of batch.entries()) resolveUnit(pending, outcome.rows[index] ?? []);
        return allSettled;
      case 'unknown':
        for (const pending of batch) pending.reject(new WriteUnknown(outcome.message));
        return allSettled;
      case 'transient':
        return { units: batch, because: outcome.message };
      case 'failed': {
        for (const [pending, error] of outcome.failures) pending.reject(error);
        const rest = batch.filter((pending) => !outcome.failures.has(pending));
        if (rest.length === 0) return allSettled;
        return again ? together(rest, false) : singly(rest);
      }
      case 'blurred':
        return together(batch, again, false);
    }
  }

  async function singly(batch: readonly Pending[]): Promise<Unstored> {
    const rest: Pending[] = [];
    let because = '';
    for (const [index, pending] of batch.entries()) {
      const reached = await reach();
      if ('because' in reached) return { units: [...rest, ...batch.slice(index)], because: reached.because };
      const unstored = await together([pending], false);
      rest.push(...unstored.units);
      if (unstored.units.length > 0) because = unstored.because;
    }
    return { units: rest, because };
  }

  const lane = (batch: readonly Pending[], attempt: number) =>
    attempt < triesTogether ? together(batch, true) : singly(batch);
  const close = async () => {
    if (connection?.usable) await connection.close();
  };
  return Object.assign(lane, { close });
}

// Without stated rows, BEGIN to COMMIT is one round trip. With them, COMMIT waits until the rows were counted.
async function runTransaction(
  connection: Connection,
  units: readonly Pending[],
  layout: Layout,
  locked: LaneLocks['locked'],
): Promise<Outcome> {
  const { statements, places, alone } = layout;
  const counted = units.some(({ unit }) => unit.some((statement) => statement.rows !== undefined));
  const replies = await connection.send([begin, ...statements, ...(counted ? [] : [commit])]);
  const done = replies.slice(1);
  const rows = places.map((own) => own.flatMap((place) => replyAt(done, place) ?? []));
  const slow = statements[done.findIndex((reply) => 'fault' in reply && reply.fault.is === 'slow')];
  if (slow !== undefined) locked.add(slow.sql);
  const isBlurred = [...done.slice(0, alone[0]), ...done.slice(alone[1])].some(isOwnFault);
  const failures = findFailures(units, rows);
  const fault = worst(replies);
  if (fault?.is === 'lost') return { is: 'unknown', message: fault.message };
  const clean = fault === undefined || fault.is === 'unreadable';
  const last = counted
    ? (await connection.send([clean && failures.size === 0 ? commit : rollback]))[0]
    : replies.at(-1);
  const outcome = conclude({ last, fault, failures, rows });
  return isBlurred && outcome.is === 'failed' ? { is: 'blurred' } : outcome;
}

/** What is the unit's own of what came back there. */
function replyAt(replies: readonly Reply[], { at, id }: Place): Reply | undefined {
  const reply = replies[at];
  if (reply === undefined || 'fault' in reply || id === undefined) return reply;
  return { ...reply, rows: reply.rows.filter((row) => row['id'] === id) };
}

/** Whether that statement itself failed, and not one before it. */
function isOwnFault(reply: Reply): boolean {
  return 'fault' in reply && (reply.fault.is === 'refused' || reply.fault.is === 'slow');
}

type Ending = {
  readonly last: Reply | undefined;
  readonly fault: Fault | undefined;
  readonly failures: ReadonlyMap<Pending, Error>;
  readonly rows: readonly Reply[][];
};

// The tag that answers COMMIT is the proof: a failed transaction answers it with ROLLBACK and no error.
function conclude({ last, fault, failures, rows }: Ending): Outcome {
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

function worst(replies: readonly Reply[]): Fault | undefined {
  const faults = replies.flatMap((reply) => ('fault' in reply ? [reply.fault] : []));
  return faults.find((fault) => fault.is === 'lost') ?? faults.find((fault) => fault.is !== 'unreadable') ?? faults[0];
}

// At most one statement fails with an error; stated rows may fail in several units at once.
function findFailures(units: readonly Pending[], rows: readonly Reply[][]): Map<Pending, Error> {
  const failures = new Map<Pending, Error>();
  for (const [index, pending] of units.entries()) {
    for (const [statement, reply] of (rows[index] ?? []).entries()) {
      const failure = failureOf(reply, pending.unit[statement]?.rows, statement);
      if (failure !== undefined && !failures.has(pending)) failures.set(pending, failure);
    }
  }
  return failures;
}

function failureOf(reply: Reply, expected: number | undefined, statement: number): Error | undefined {
  if ('fault' in reply) {
    if (reply.fault.is === 'refused') return new WriteRefused(reply.fault.kind, statement, reply.fault.message);
    return reply.fault.is === 'slow' ? new WriteBusy(reply.fault.message) : undefined;
  }
  if (expected === undefined || reply.rows.length === expected) return undefined;
  return new WriteRefused('rows', statement, `${reply.rows.length} rows came back, ${expected} were stated`);
}

function resolveUnit(pending: Pending, replies: readonly Reply[]): void {
  const rows = replies.flatMap((reply) => ('rows' in reply ? [reply.rows] : []));
  if (rows.length === pending.unit.length) pending.resolve(rows);
  else pending.reject(new WriteUnknown('the unit is stored, but a row of it holds an integer above 2^53'));
}
