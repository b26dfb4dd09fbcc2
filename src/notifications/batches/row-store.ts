import { batchInsert } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { enumField, idField, integerField, textField } from '../../db/row-fields.ts';
import type { BatchId, NotificationId } from '../../kernel/id.ts';
import { type NotificationStatus, notificationStatuses } from '../notification/notification.ts';
import { type RowCode, type RowRefusal, rowCodes } from './batch.ts';

const insertRefusalRow = batchInsert('notification_batch_refusal', 'batch_id, batch_row, code, detail');

/** Stores that a row is refused. */
export function insertRefusal(batch: BatchId, { row, code, detail }: RowRefusal): Statement {
  return insertRefusalRow([batch, row, code, detail]);
}

/** The states of a row with an outcome: `refused`, or the status of its notification. */
export const rowStates = ['refused', ...notificationStatuses] as const;
export type RowState = (typeof rowStates)[number];

/** A row with an outcome. */
export type BatchRowResult =
  | { readonly row: number; readonly state: 'refused'; readonly code: RowCode; readonly detail: string }
  | {
      readonly row: number;
      readonly state: NotificationStatus;
      readonly notification: NotificationId;
      readonly citizenId: string;
    };

/** The rows to find: from row `after + 1` to row `last`, in one state or in any. */
export type RowRange = {
  readonly after: number;
  readonly last: number;
  readonly limit: number;
  readonly state?: RowState | undefined;
};

/** The rows of a batch that have an outcome, in their order. */
export async function findRows(read: Read, batch: BatchId, range: RowRange): Promise<BatchRowResult[]> {
  const [refused, sent] = await Promise.all([
    range.state === undefined || range.state === 'refused' ? findRefusedRows(read, batch, range) : [],
    range.state === 'refused' ? [] : findSentRows(read, batch, range),
  ]);
  return [...refused, ...sent].sort((one, other) => one.row - other.row).slice(0, range.limit);
}

async function findRefusedRows(
  read: Read,
  batch: BatchId,
  { after, last, limit }: RowRange,
): Promise<BatchRowResult[]> {
  const rows = await read(
    `select batch_row, code, detail from notification_batch_refusal
      where batch_id = $1 and batch_row > $2 and batch_row <= $3 order by batch_row limit $4`,
    [batch, after, last, limit],
  );
  return rows.map((row) => ({
    row: integerField(row, 'batch_row'),
    state: 'refused',
    code: enumField(row, 'code', rowCodes),
    detail: textField(row, 'detail'),
  }));
}

const sentRows = `select batch_row, id, citizen_id, status from notification
  where batch_id = $1 and batch_row > $2 and batch_row <= $3`;

async function findSentRows(
  read: Read,
  batch: BatchId,
  { after, last, limit, state }: RowRange,
): Promise<BatchRowResult[]> {
  const bounds = [batch, after, last, limit];
  const rows =
    state === undefined
      ? await read(`${sentRows} order by batch_row limit $4`, bounds)
      : await read(`${sentRows} and status = $5 order by batch_row limit $4`, [...bounds, state]);
  return rows.map(sentFromRow);
}

function sentFromRow(row: Row): BatchRowResult {
  return {
    row: integerField(row, 'batch_row'),
    state: enumField(row, 'status', notificationStatuses),
    notification: idField(row, 'id', 'notification'),
    citizenId: textField(row, 'citizen_id'),
  };
}

/** The number of notifications of a batch in each status. */
export async function countStatuses(read: Read, batch: BatchId): Promise<ReadonlyMap<NotificationStatus, number>> {
  const rows = await read('select status, count(*) as number from notification where batch_id = $1 group by status', [
    batch,
  ]);
  return new Map(rows.map((row) => [enumField(row, 'status', notificationStatuses), integerField(row, 'number')]));
}
