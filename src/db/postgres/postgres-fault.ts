import type { RefusalKind } from '../database.ts';

/** The consequence of an error on a connection for the statements that were sent over it. */
export type PostgresFault =
  /** The server refused the statement, and with it the transaction. */
  | { readonly is: 'refused'; readonly kind: RefusalKind; readonly message: string }
  /** Nothing is stored, and a retry can succeed; `reconnect`: on another connection only. */
  | { readonly is: 'transient'; readonly message: string; readonly reconnect: boolean }
  /** A statement ran or waited for a lock until its timeout. Nothing is stored. */
  | { readonly is: 'slow'; readonly message: string }
  /** The statement succeeded, but a row that it returned holds an integer above 2^53. */
  | { readonly is: 'unreadable'; readonly message: string }
  /** A consequence of an earlier error in the same transaction. */
  | { readonly is: 'follows' }
  /** The connection is lost, or the server shuts down. It is unknown what is stored. */
  | { readonly is: 'lost'; readonly message: string };

type ServerError = {
  readonly code: string;
  readonly message: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly routine?: string;
};

const kinds = new Map<string, RefusalKind>([
  ['23505', 'unique'],
  ['23502', 'not_null'],
  ['23503', 'foreign_key'],
  ['23514', 'check'],
]);
// The last is a full disk: a new connection would find the same disk.
const transientCodes = new Set(['40001', '40P01', '53100']);
const slowCodes = new Set(['57014', '55P03']);
// Completion unknown, and sessions that the server ends for their idle or their long transaction.
const lostCodes = new Set(['40003', '25P03', '25P04']);
// Connection exceptions, and a server that ends the session.
const lostClasses = ['08', '57P'];

/**
 * Classifies an error of `pg` by its SQLSTATE. It is no proof that nothing is stored: only the server's answer to COMMIT is
 * (`conclude` in postgres-committer.ts). The severity is not used, because the server translates it (`lc_messages`).
 */
export function classifyPostgresError(error: unknown): PostgresFault {
  if (error instanceof RangeError) return { is: 'unreadable', message: error.message };
  if (!isServerError(error)) return { is: 'lost', message: connectionErrorMessage(error) };
  const { code, routine } = error;
  const message = describeServerError(error);
  if (lostCodes.has(code) || lostClasses.some((prefix) => code.startsWith(prefix))) return { is: 'lost', message };
  // The second: a text that occurs twice in a batch is prepared once, and not at all after an error.
  if (code === '25P02' || code === '26000') return { is: 'follows' };
  if (transientCodes.has(code)) return { is: 'transient', message, reconnect: false };
  // A standby after a failover; a cached plan whose table was altered; a server out of memory or connections.
  if (code === '25006' || routine === 'RevalidateCachedQuery' || code.startsWith('53')) {
    return { is: 'transient', message, reconnect: true };
  }
  if (slowCodes.has(code)) return { is: 'slow', message };
  return { is: 'refused', kind: kinds.get(code) ?? 'other', message };
}

/** Node.js leaves the message empty when a name has several addresses and all of them refuse. */
function connectionErrorMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(connectionErrorMessage).join(', ');
  return error instanceof Error ? error.message : 'no error';
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string' && 'code' in error;
}

// Messages of the server quote values, which may be personal data, except those of these classes: connections, transactions,
// log-in, names of database and schema, SQL texts (which are constants), resources, locks, and actions of the operator.
const valueFreeErrorClasses = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57']);

function describeServerError(error: ServerError): string {
  if (valueFreeErrorClasses.has(error.code.slice(0, 2))) return `PostgreSQL ${error.code}: ${error.message}`;
  const names = [error.table, error.column, error.constraint].filter((name) => name !== undefined);
  return names.length === 0 ? `PostgreSQL ${error.code}` : `PostgreSQL ${error.code} at ${names.join(', ')}`;
}

/** The message of an error of `pg`, without a value of any row or parameter. */
export function postgresErrorMessage(error: unknown): string {
  const fault = classifyPostgresError(error);
  return 'message' in fault ? fault.message : 'no message';
}
