import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import {
  bytesField,
  enumField,
  idField,
  integerField,
  integerOrNull,
  textField,
  textOrNull,
} from '../../db/row-fields.ts';
import { type BatchId, parseId } from '../../kernel/id.ts';
import {
  type BatchCode,
  type BatchOptions,
  type BatchState,
  batchCodes,
  batchFormats,
  batchLimits,
  batchStates,
  type NotificationBatch,
} from './batch.ts';

const columns = `id, client_id, name, format, options, state, code, detail, columns, delimiter, wrapped_key, row_count, checked, handled, refused,
  accepted, start_before, created_at, ended_at`;

const findBatchRow = lookupByKey('notification_batch', 'id', columns);

/**
 * Stores a new batch that receives its upload. Refused (`rows`) when the client has `batchLimits.openPerClient` open batches, and
 * (`unique`) when the key is in use. The first statement locks the row of the client, so that concurrent inserts run one after the other.
 */
export function insertBatch(
  { id, clientId, name, format, options, wrappedKey, createdAt }: NotificationBatch,
  idempotencyKey: string | undefined,
): Statement[] {
  return [
    { sql: 'update client set name = name where client_id = $1', args: [clientId] },
    {
      // On SQLite a cast to `bytea` would make a number of the bytes.
      sql: insertBatchSql('$6'),
      postgresSql: insertBatchSql('cast($6 as bytea)'),
      args: [id, clientId, name, format, JSON.stringify(options), wrappedKey, createdAt, idempotencyKey ?? null],
      rows: 1,
    },
  ];
}

function insertBatchSql(wrappedKey: string): string {
  return `insert into notification_batch (id, client_id, name, format, options, wrapped_key, created_at, idempotency_key,
      state, checked, handled, refused, accepted)
    select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as text), cast($5 as text), ${wrappedKey},
        cast($7 as bigint), cast($8 as text), 'receiving', 0, 0, 0, 0
      where (select count(*) from notification_batch where client_id = $2 and ended_at is null) < ${batchLimits.openPerClient}
    returning id`;
}

/** Ends the upload: the batch is checked next. Refused (`rows`) when it does not receive any more. */
export function completeUpload(
  { id }: Pick<NotificationBatch, 'id'>,
  upload: { readonly columns: readonly string[]; readonly delimiter: string | null; readonly rows: number },
): Statement {
  return {
    sql: `update notification_batch set state = 'checking', columns = $2, row_count = $3, delimiter = $4
      where id = $1 and state = 'receiving' returning id`,
    args: [id, JSON.stringify(upload.columns), upload.rows, upload.delimiter],
    rows: 1,
  };
}

type CheckedPiece = {
  readonly batch: Pick<NotificationBatch, 'id' | 'checked' | 'refused'>;
  readonly checked: number;
  readonly refused: number;
  readonly startBefore: number | null;
};

/** Stores that more rows are checked. Refused (`rows`) when another process has checked them, or the batch was cancelled. */
export function moveChecked({ batch, checked, refused, startBefore }: CheckedPiece): Statement {
  return {
    sql: `update notification_batch set checked = $3, refused = $4, start_before = $5
      where id = $1 and checked = $2 and state = 'checking' returning id`,
    args: [batch.id, batch.checked, checked, refused, startBefore],
    rows: 1,
  };
}

type HandledPiece = {
  readonly batch: Pick<NotificationBatch, 'id' | 'handled'>;
  readonly handled: number;
  readonly accepted: number;
  readonly refused: number;
};

/** Stores that more rows are sent or refused. Refused (`rows`) when another process has sent them, or the batch was cancelled. */
export function moveHandled({ batch, handled, accepted, refused }: HandledPiece): Statement {
  return {
    sql: `update notification_batch set handled = $3, accepted = accepted + $4, refused = refused + $5
      where id = $1 and handled = $2 and state = 'sending' returning id`,
    args: [batch.id, batch.handled, handled, accepted, refused],
    rows: 1,
  };
}

type StateChange = {
  readonly from: BatchState;
  readonly to: BatchState;
  readonly at: number;
  readonly code?: BatchCode | undefined;
  readonly detail?: string | undefined;
};

/** Changes the state of a batch. Refused (`rows`) when it has another state than `from`. */
export function changeState(
  { id }: Pick<NotificationBatch, 'id'>,
  { from, to, at, code, detail }: StateChange,
): Statement {
  const isEnd = to === 'done' || to === 'refused' || to === 'cancelled';
  return {
    sql: `update notification_batch set state = $3, ended_at = $4, code = $5, detail = $6
      where id = $1 and state = $2 returning id`,
    args: [id, from, to, isEnd ? at : null, code ?? null, detail ?? null],
    rows: 1,
  };
}

/** Destroys the key of an upload, so that nobody can decrypt its rows in a backup either. */
export function forgetKey({ id }: Pick<NotificationBatch, 'id'>): Statement {
  return {
    sql: 'update notification_batch set wrapped_key = null where id = $1 and wrapped_key is not null returning id',
    args: [id],
    rows: 1,
    erase: true,
  };
}

/** A batch of any client. */
export async function findBatch(read: Read, id: BatchId): Promise<NotificationBatch | undefined> {
  const [row] = await findBatchRow(read, id);
  return row === undefined ? undefined : batchFromRow(row);
}

/** The batch with this id when it belongs to the client. */
export async function findOwnBatch(read: Read, text: string, clientId: string): Promise<NotificationBatch | undefined> {
  const id = parseId('batch', text);
  const batch = id === undefined ? undefined : await findBatch(read, id);
  return batch?.clientId === clientId ? batch : undefined;
}

/** The batch of a client that was uploaded with this Idempotency-Key. */
export async function findBatchByKey(
  read: Read,
  clientId: string,
  key: string,
): Promise<NotificationBatch | undefined> {
  const [row] = await read(`select ${columns} from notification_batch where client_id = $1 and idempotency_key = $2`, [
    clientId,
    key,
  ]);
  return row === undefined ? undefined : batchFromRow(row);
}

/** The batches of a client that are older than `before`, newest first. `isOpen`: only those that have not ended. */
export async function findBatches(
  read: Read,
  clientId: string,
  { before, limit, isOpen = false }: BatchPage,
): Promise<NotificationBatch[]> {
  const rows = await read(
    `select ${columns} from notification_batch where client_id = $1 and id < $2${isOpen ? ' and ended_at is null' : ''}
      order by id desc limit $3`,
    [clientId, before, limit],
  );
  return rows.map(batchFromRow);
}

type BatchPage = { readonly before: string; readonly limit: number; readonly isOpen?: boolean };

/** Sorts after the id of every batch, so the first page starts before it. */
export const afterAllBatchIds = 'bat_~';

/** The batches that wait for their check or sending, or can no longer start, in the order of client and time. */
export async function findWaitingBatches(
  read: Read,
  now: number,
): Promise<Pick<NotificationBatch, 'id' | 'clientId'>[]> {
  const rows = await read(
    `select id, client_id from notification_batch where ended_at is null and state in ('checking', 'sending', 'ready')
        and (state <> 'ready' or start_before <= $1)
      order by client_id, id`,
    [now],
  );
  return rows.map((row) => ({ id: idField(row, 'id', 'batch'), clientId: textField(row, 'client_id') }));
}

/** Batches whose upload is still stored and was made before an instant, oldest first. */
export async function findExpiredUploads(
  read: Read,
  createdBefore: number,
  limit: number,
): Promise<NotificationBatch[]> {
  const rows = await read(
    `select ${columns} from notification_batch where wrapped_key is not null and created_at < $1
      order by created_at limit $2`,
    [createdBefore, limit],
  );
  return rows.map(batchFromRow);
}

/** Batches that have received nothing more since before an instant. Their uploads were interrupted. */
export async function findAbandonedUploads(
  read: Read,
  createdBefore: number,
  limit: number,
): Promise<NotificationBatch[]> {
  const rows = await read(
    `select ${columns} from notification_batch where ended_at is null and state = 'receiving' and created_at < $1 limit $2`,
    [createdBefore, limit],
  );
  return rows.map(batchFromRow);
}

function batchFromRow(row: Row): NotificationBatch {
  const code = textOrNull(row, 'code');
  const stored = textOrNull(row, 'columns');
  return {
    id: idField(row, 'id', 'batch'),
    clientId: textField(row, 'client_id'),
    name: textOrNull(row, 'name'),
    format: enumField(row, 'format', batchFormats),
    // `insertBatch` and `completeUpload` have written both texts.
    options: JSON.parse(textField(row, 'options')) as BatchOptions,
    columns: stored === null ? null : (JSON.parse(stored) as string[]),
    delimiter: textOrNull(row, 'delimiter'),
    state: enumField(row, 'state', batchStates),
    code: code === null ? null : enumField(row, 'code', batchCodes),
    detail: textOrNull(row, 'detail'),
    wrappedKey: row['wrapped_key'] === null ? null : bytesField(row, 'wrapped_key'),
    rowCount: integerOrNull(row, 'row_count'),
    checked: integerField(row, 'checked'),
    handled: integerField(row, 'handled'),
    refused: integerField(row, 'refused'),
    accepted: integerField(row, 'accepted'),
    startBefore: integerOrNull(row, 'start_before'),
    createdAt: integerField(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
  };
}
