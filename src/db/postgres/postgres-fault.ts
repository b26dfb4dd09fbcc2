import type { RefusalKind } from '../database.ts';

/** What a failure on a connection means for the statements that were on it. */
export type PostgresFault =
  /** The statement was refused, and with it its transaction: the server said so with severity ERROR. */
  | { readonly is: 'refused'; readonly kind: RefusalKind; readonly message: string }
  /** Nothing is stored, and the same can succeed; `reconnect` when this connection cannot do it. */
  | { readonly is: 'transient'; readonly message: string; readonly reconnect: boolean }
  /** One statement took too long, alone or behind a lock; nothing is stored. */
  | { readonly is: 'slow'; readonly message: string }
  /** A row that came back cannot be told in a number; the statement itself went through. */
  | { readonly is: 'unreadable'; readonly message: string }
  /** Follows from an error before it in the same transaction. */
  | { readonly is: 'follows' }
  /** The connection is lost, or the server is going: what is stored cannot be known. */
  | { readonly is: 'lost'; readonly message: string };

type ServerError = {
  readonly severity: string;
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
// The last: a disk that is full, of which another connection finds no more.
const transientCodes = new Set(['40001', '40P01', '53100']);
const slowCodes = new Set(['57014', '55P03']);

/**
 * Says what an error of `pg` means. Only severity ERROR, in the server's language, proves that the transaction was rolled
 * back: FATAL and PANIC, and errors without a severity, do not.
 */
export function classifyPostgresError(error: unknown, errorSeverity = 'ERROR'): PostgresFault {
  if (error instanceof RangeError) return { is: 'unreadable', message: error.message };
  if (!isServerError(error)) return { is: 'lost', message: error instanceof Error ? error.message : 'no error' };
  const message = describeServerError(error);
  if (error.severity !== errorSeverity) return { is: 'lost', message };
  // The second: a text that is twice in a batch is prepared once, and behind an error not at all.
  if (error.code === '25P02' || error.code === '26000') return { is: 'follows' };
  if (transientCodes.has(error.code)) return { is: 'transient', message, reconnect: false };
  // A standby after a failover; a plan whose table was altered; a server out of memory or connections.
  if (error.code === '25006' || error.routine === 'RevalidateCachedQuery' || error.code.startsWith('53')) {
    return { is: 'transient', message, reconnect: true };
  }
  if (slowCodes.has(error.code)) return { is: 'slow', message };
  // Completion unknown, as distributed engines say it, and lost connections between servers.
  if (error.code === '40003' || error.code.startsWith('08')) return { is: 'lost', message };
  return { is: 'refused', kind: kinds.get(error.code) ?? 'other', message };
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string' && 'code' in error;
}

// The server's own messages quote values, but for these classes: the connection, of which a pooler tells everything, the SQL
// text, which is a constant, the log-in, the names of database and schema, resources, locks, the operator's doings, transactions.
const valueFreeErrorClasses = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57']);

function describeServerError(error: ServerError): string {
  if (valueFreeErrorClasses.has(error.code.slice(0, 2))) return `PostgreSQL ${error.code}: ${error.message}`;
  const place = [error.table, error.column, error.constraint].filter((name) => name !== undefined);
  return place.length === 0 ? `PostgreSQL ${error.code}` : `PostgreSQL ${error.code} at ${place.join(', ')}`;
}

/** What an error of `pg` says, without a value of any row or parameter. */
export function postgresErrorMessage(error: unknown): string {
  const fault = classifyPostgresError(error);
  return 'message' in fault ? fault.message : 'no message';
}
