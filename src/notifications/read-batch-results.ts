import { Type } from 'typebox';
import { type ByteChunks, defineOperation, type OperationCall } from '../api/operation.ts';
import { csvLine } from '../kernel/csv-line.ts';
import { refuse } from '../kernel/refusal.ts';
import { type NotificationBatch, quotaWeightOfRows } from './batches/batch.ts';
import { fieldsOfRow, resultColumns } from './batches/batch-columns.ts';
import { batchParams, rowStateSchema } from './batches/batch-shape.ts';
import { findOwnBatch } from './batches/batch-store.ts';
import { findPieceFrom } from './batches/piece-store.ts';
import { rowReadEvents } from './batches/row-read-events.ts';
import { type BatchRowResult, findRows, type RowState } from './batches/row-store.ts';
import { openBatchKey, openPiece, type Piece } from './batches/sealed-piece.ts';
import type { BatchPorts, NotificationPorts } from './ports.ts';

const request = {
  params: batchParams,
  query: Type.Object({ state: rowStateSchema }, { additionalProperties: false }),
};

type ResultsCall = OperationCall<typeof request, NotificationPorts & BatchPorts>;

/** Reads the file of a batch again, with the outcome of each row. Each piece leaves after the events of its rows are stored. */
export const readBatchResults = defineOperation({
  name: 'readBatchResults',
  since: '1.0',
  method: 'GET',
  head: false,
  path: '/v1/notification-batches/{id}/results',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'Download the rows of a batch with their outcomes',
  description:
    'Returns CSV with the delimiter of your file, the uploaded columns, and the columns row, state, code, detail and notificationId. Correct the refused rows and send the file again: the server ignores the added columns. A value that a spreadsheet would run as a formula begins with an apostrophe, which the server removes again. Rows without an outcome have the state waiting. Each 100 rows count as one request of your quota.',
  request,
  responses: {
    200: {
      description: 'The rows, in the order of the file.',
      text: {
        type: 'text/csv',
        pattern: '^"',
        description: 'CSV (RFC 4180) in UTF-8.',
        example:
          '"citizenId","message","row","state","code","detail","notificationId"\r\n"CIT-1001","","1","refused","missing-value","message: is required without templateId",""\r\n',
      },
    },
  },
  refusals: ['batch-not-found', 'batch-upload-deleted', 'conflict'],
  citizenData: true,
  run: async (call: ResultsCall) => {
    const batch = await findOwnBatch(call.read, call.params.id, call.caller.clientId);
    if (batch === undefined) return { refusal: refuse('batch-not-found') };
    const key = openBatchKey(call.ports.batchKey, batch);
    if (key === undefined) return { refusal: refuse('batch-upload-deleted') };
    if (batch.columns === null)
      return { refusal: refuse('conflict', 'The file was not received completely, so it has no results.') };
    const contents = { batch, key, columns: batch.columns, state: call.query.state };
    const [listed] = rowReadEvents(call, call.caller.clientId, []);
    return {
      effect: { events: [listed], statements: [] },
      answer: {
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': `attachment; filename="${batch.id}.csv"`,
          'cache-control': 'private, no-store',
        },
        stream: resultLines(call, contents),
      },
      quotaWeight: quotaWeightOfRows(batch.rowCount ?? 0),
    };
  },
});

type ResultContents = {
  readonly batch: NotificationBatch;
  readonly key: Uint8Array;
  readonly columns: readonly string[];
  readonly state: RowState | undefined;
};

async function* resultLines(call: ResultsCall, { batch, key, columns, state }: ResultContents): ByteChunks {
  const kept = columns.filter((name) => !isResultColumn(name));
  const delimiter = batch.delimiter ?? ',';
  yield Buffer.from(csvLine([...kept, ...resultColumns], delimiter));
  for (let next = 1; ; ) {
    const stored = await findPieceFrom(call.read, batch.id, next);
    if (stored === undefined) return;
    const piece = openPiece({ key, batch: batch.id }, stored);
    next = piece.firstRow + piece.rows.length;
    const range = { after: piece.firstRow - 1, last: next - 1, limit: piece.rows.length, state };
    const results = await findRows(call.read, batch.id, range);
    if (results.some((one) => one.state !== 'refused')) {
      const events = rowReadEvents(call, call.caller.clientId, results);
      const statements = call.linkToStaffLog?.(events.map(({ id }) => id)) ?? [];
      await call.ports.commit({ events, statements });
    }
    yield Buffer.from(linesOf(piece, results, { columns, delimiter, isFiltered: state !== undefined }));
  }
}

const isResultColumn = (name: string) => resultColumns.some((one) => one === name);

type LineOptions = {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly isFiltered: boolean;
};

function linesOf(
  { firstRow, rows }: Piece,
  results: readonly BatchRowResult[],
  { columns, delimiter, isFiltered }: LineOptions,
): string {
  const byRow = new Map(results.map((result) => [result.row, result]));
  const lines = rows.map((row, at) => {
    const result = byRow.get(firstRow + at);
    if (result === undefined && isFiltered) return '';
    const fields = fieldsOfRow(columns, row).filter((_, column) => !isResultColumn(columns[column] ?? ''));
    return csvLine([...fields, ...outcomeOf(firstRow + at, result)], delimiter);
  });
  return lines.join('');
}

/** The values of `resultColumns`. */
function outcomeOf(row: number, result: BatchRowResult | undefined): string[] {
  if (result === undefined) return [String(row), 'waiting', '', '', ''];
  if (result.state === 'refused') return [String(row), result.state, result.code, result.detail, ''];
  return [String(row), result.state, '', '', result.notification];
}
