import type { BatchId, EventId } from '../../kernel/id.ts';
import { type IssueCode, issueCodes } from '../../kernel/refusal.ts';
import type { Actor, SystemEvent } from '../../ledger/ledger-event.ts';

/** The states of a batch. The last three are final. */
export const batchStates = ['receiving', 'checking', 'ready', 'sending', 'done', 'refused', 'cancelled'] as const;
export type BatchState = (typeof batchStates)[number];

/** The formats of an upload; `jsonl` has one JSON object per line. */
export const batchFormats = ['csv', 'jsonl'] as const;
export type BatchFormat = (typeof batchFormats)[number];

/** The choices of the client for all rows of a batch. The members of `defaults` apply to rows without a value of their own. */
export type BatchOptions = {
  readonly rows: 'good' | 'all-or-none';
  readonly start: 'automatic' | 'manual';
  readonly dryRun: boolean;
  readonly defaults: Readonly<Record<string, string>>;
};

/** Why a whole file was refused, or why the server cancelled a batch. */
export const batchCodes = [
  'not-utf-8',
  'malformed-csv',
  'row-too-large',
  'too-many-columns',
  'repeated-column',
  'unknown-column',
  'missing-column',
  'no-rows',
  'too-many-rows',
  'too-large',
  'rows-refused',
  'client-not-permitted',
  'interrupted',
  'expired',
] as const;
export type BatchCode = (typeof batchCodes)[number];

/** Why a row was refused: a fault of its values, or one of these. */
const ownRowCodes = [
  'missing-value',
  'not-a-column',
  'malformed-line',
  'citizen-unknown',
  'duplicate-row',
  'duplicate-reference',
] as const;
export const rowCodes = [...ownRowCodes, ...issueCodes.filter(isRowIssue)] as const;
export type RowCode = (typeof rowCodes)[number];
type RowIssueCode = Exclude<IssueCode, 'required' | 'unknown-input'>;

function isRowIssue(code: IssueCode): code is RowIssueCode {
  return code !== 'required' && code !== 'unknown-input';
}

/** The code of a row for the first fault of its values. */
export function rowCodeOf(code: IssueCode): RowCode {
  if (code === 'required') return 'missing-value';
  return code === 'unknown-input' ? 'not-a-column' : code;
}

/** A refused row, counted from 1. `detail` says what was expected, and never repeats a value. */
export type RowRefusal = { readonly row: number; readonly code: RowCode; readonly detail: string };

/** A batch as it is stored. `wrappedKey` is null when its upload was deleted. */
export type NotificationBatch = {
  readonly id: BatchId;
  readonly clientId: string;
  readonly name: string | null;
  readonly format: BatchFormat;
  readonly options: BatchOptions;
  readonly state: BatchState;
  readonly code: BatchCode | null;
  readonly detail: string | null;
  readonly columns: readonly string[] | null;
  /** The delimiter of a CSV file, in which the results are written too. */
  readonly delimiter: string | null;
  readonly wrappedKey: Uint8Array | null;
  readonly rowCount: number | null;
  readonly checked: number;
  readonly handled: number;
  readonly refused: number;
  readonly accepted: number;
  /** The batch must start before this time (epoch ms); null until a row was checked without a fault. */
  readonly startBefore: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
};

/** The limits of an upload, and the open batches of a client. */
export const batchLimits = {
  rows: 100_000,
  bytes: 100 * 1_048_576,
  rowBytes: 65_536,
  columns: 200,
  openPerClient: 10,
} as const;

/** A batch takes one request from the quota for this number of rows. */
const rowsPerRequest = 100;

/** The number of requests that an upload takes from the quota. */
export function quotaWeightOfRows(rows: number): number {
  return Math.max(1, Math.ceil(rows / rowsPerRequest));
}

/** The state after the check: an end, or the sending, or the wait for the start by the client. */
export function stateAfterCheck(
  { options }: Pick<NotificationBatch, 'options'>,
  { rows, refused }: { readonly rows: number; readonly refused: number },
): 'done' | 'refused' | 'ready' | 'sending' {
  if (options.rows === 'all-or-none' && refused > 0) return 'refused';
  if (options.dryRun || refused === rows) return 'done';
  return options.start === 'manual' ? 'ready' : 'sending';
}

/**
 * The time before which a batch must start, after one more row with this deadline. For all or none, it is the deadline of the first row that
 * could not be sent any more; otherwise that of the last.
 */
export function startBeforeWith(
  { options, startBefore }: Pick<NotificationBatch, 'options' | 'startBefore'>,
  deadline: number,
): number {
  if (startBefore === null) return deadline;
  return options.rows === 'all-or-none' ? Math.min(startBefore, deadline) : Math.max(startBefore, deadline);
}

/** Whether a batch cannot start any more, because of the deadlines of its rows. */
export function isTooLate({ startBefore }: Pick<NotificationBatch, 'startBefore'>, now: number): boolean {
  return startBefore !== null && startBefore <= now;
}

/** Why a batch that is too late was cancelled. */
export const tooLate = {
  code: 'expired',
  detail: 'expected a start before deliverBy and respondBy of the rows; upload the file again with later times',
} as const;

/** Why a batch cannot start now, for the caller; undefined if it can. */
export function startFault(batch: Pick<NotificationBatch, 'state' | 'startBefore'>, now: number): string | undefined {
  if (batch.state !== 'ready')
    return `Only a batch in the state ready can start; this one is in the state ${batch.state}.`;
  if (isTooLate(batch, now))
    return 'The deadlines deliverBy or respondBy of its rows have passed. Upload the file again with later times.';
  return undefined;
}

type ChangedEvent = Extract<SystemEvent, { readonly type: 'notification-batch.changed' }>;
type EventHeadInput = { readonly id: EventId; readonly at: number; readonly actor: Actor };

/** The ledger event of a change of a batch. */
export function batchChangedEvent(head: EventHeadInput, batch: BatchId, change: ChangedEvent['change']): ChangedEvent {
  return { type: 'notification-batch.changed', ...head, batch, change };
}
