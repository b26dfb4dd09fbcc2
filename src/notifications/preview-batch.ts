import { type Static, Type } from 'typebox';
import type { Read } from '../db/database.ts';
import { type BatchJobDeps, openBatchContext } from './batch-context.ts';
import type { NotificationBatch } from './batches/batch.ts';
import { fieldsOfRow } from './batches/batch-columns.ts';
import { findPieceFrom } from './batches/piece-store.ts';
import { findRows } from './batches/row-store.ts';
import { openPiece, type Piece, type PieceKey } from './batches/sealed-piece.ts';
import { checkRow, type RowContext } from './check-batch-row.ts';
import { checkSendRequest, mayKnowCitizen } from './check-send-request.ts';
import type { ChannelName } from './notification/notification.ts';
import { unreachableReasonOf } from './notification-preview.ts';

const shownRows = 10;
/** The estimate plans the messages of at most this many pieces, which have at most 25 rows each. */
const sampledPieces = 20;

/** The schema of a preview of a batch. */
export const batchPreviewShape = Type.Object(
  {
    columns: Type.Array(Type.String(), { description: 'The columns of the file.' }),
    rows: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ description: 'The number of the row, from 1.' }),
          values: Type.Array(Type.String(), { description: 'The values in the order of the columns.' }),
        },
        { $id: 'BatchPreviewRow' },
      ),
      { description: 'The first rows, with their values in the order of the columns.' },
    ),
    estimate: Type.Object(
      {
        messages: Type.Integer({ description: 'The number of rows that the batch would send.' }),
        planned: Type.Integer({ description: 'The number of rows on which the estimate is based.' }),
        textMessages: Type.Integer({ description: 'The number of text messages.' }),
        letters: Type.Integer({ description: 'The number of letters.' }),
      },
      {
        $id: 'BatchEstimate',
        description:
          'The cost of the batch by the plan of its rows. With planned equal to messages, the batch sends at most these text messages and letters. Otherwise the server estimates them from the planned rows, and the batch can also send more.',
      },
    ),
  },
  { $id: 'BatchPreview' },
);
/** A preview of a batch. */
export type BatchPreview = Static<typeof batchPreviewShape>;

/** The first rows of a batch, and an estimate of its cost; undefined if its upload is incomplete or its client cannot send. */
export async function previewBatch(deps: BatchJobDeps, batch: NotificationBatch): Promise<BatchPreview | undefined> {
  const context = await openBatchContext(deps, batch);
  if (context === undefined) return undefined;
  const { columns } = context.rows;
  const pieces = await samplePieces(deps.db.read, { key: context.key, batch: batch.id }, batch.rowCount ?? 0);
  const shown = pieces[0]?.rows.slice(0, shownRows) ?? [];
  let planned = 0;
  let [textMessages, letters] = [0, 0];
  for (const piece of pieces)
    for (const channels of await planPiece(deps, context.rows, { batch, piece })) {
      planned += 1;
      textMessages += channels.filter((channel) => channel === 'sms').length;
      letters += channels.filter((channel) => channel === 'letter').length;
    }
  const messages = (batch.rowCount ?? 0) - batch.refused;
  const inBatch = (count: number) => (planned === 0 ? 0 : Math.ceil((count * messages) / planned));
  return {
    columns: [...columns],
    rows: shown.map((row, at) => ({ row: at + 1, values: fieldsOfRow(columns, row) })),
    estimate: { messages, planned, textMessages: inBatch(textMessages), letters: inBatch(letters) },
  };
}

/** Pieces from all parts of the file. A file of few pieces is read as a whole. */
async function samplePieces(read: Read, key: PieceKey, rows: number): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const step = Math.max(1, Math.ceil(rows / sampledPieces));
  for (let from = 1; from <= rows; from += step) {
    const next = (pieces.at(-1)?.firstRow ?? 0) + 1;
    const stored = await findPieceFrom(read, key.batch, Math.max(from, next));
    if (stored === undefined) break;
    pieces.push(openPiece(key, stored));
  }
  return pieces;
}

type SampledPiece = { readonly batch: NotificationBatch; readonly piece: Piece };

/** The channels that reach the citizen of each row without a fault. */
async function planPiece(
  { db }: Pick<BatchJobDeps, 'db'>,
  context: RowContext,
  { batch, piece }: SampledPiece,
): Promise<readonly (readonly ChannelName[])[]> {
  const { firstRow, rows } = piece;
  const range = {
    after: firstRow - 1,
    last: firstRow + rows.length - 1,
    limit: rows.length,
    state: 'refused',
  } as const;
  const refused = new Set((await findRows(db.read, batch.id, range)).map(({ row }) => row));
  const open = rows.filter((_, at) => !refused.has(firstRow + at));
  const plans = await Promise.all(open.map((row) => planRow(context, row)));
  return plans.flatMap((plan) => (plan === undefined ? [] : [plan]));
}

/**
 * Without the scope citizens:known the plan does not depend on the citizen: otherwise a batch of one row would tell whether the
 * register knows the citizen and an address.
 */
async function planRow(context: RowContext, row: Piece['rows'][number]): Promise<readonly ChannelName[] | undefined> {
  const parsed = await checkRow(context, row);
  if ('fault' in parsed) return undefined;
  const { caller, now, ports } = context;
  const known = mayKnowCitizen({ caller });
  const checked = await checkSendRequest({ body: parsed.body, caller, now, ports }, { usesPreferences: known });
  if ('issues' in checked) return undefined;
  const { contact, steps, times } = checked;
  const inTime = steps.filter(({ runAt }) => runAt < times.deliverBy);
  const reasons = await Promise.all(
    inTime.map(({ channel }) => unreachableReasonOf({ contact, mayKnowCitizen: known, ports }, channel)),
  );
  return inTime.flatMap(({ channel }, at) => (reasons[at] === undefined ? [channel] : []));
}
