import { Type } from 'typebox';
import { pageOf } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { batchLimits, rowCodes } from './batches/batch.ts';
import { batchParams, rowStateSchema } from './batches/batch-shape.ts';
import { findOwnBatch } from './batches/batch-store.ts';
import { rowReadEvents } from './batches/row-read-events.ts';
import { type BatchRowResult, findRows, rowStates } from './batches/row-store.ts';
import { literalUnion } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';

const defaultLimit = 25;

const request = {
  params: batchParams,
  query: Type.Object(
    {
      state: rowStateSchema,
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: batchLimits.rows,
          description: 'Only rows after this one: the member `next` of the previous page. Default: 0.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of rows. Default: 25.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

const rowShape = Type.Object(
  {
    row: Type.Integer({ description: 'The number of the row. The first row after the column names has the number 1.' }),
    state: literalUnion(rowStates, 'refused, or the status of its notification.'),
    code: Type.Optional(literalUnion(rowCodes, 'Why the row was refused. Absent for other rows.')),
    detail: Type.Optional(Type.String({ description: 'The expected values, for your staff. Absent for other rows.' })),
    notificationId: Type.Optional(Type.String({ description: 'The id of its notification. Absent for refused rows.' })),
  },
  { $id: 'BatchRow', additionalProperties: false },
);

/** Lists the rows of a batch that have an outcome. Each listed notification is a use of a citizen's data, with an event. */
export const listBatchRows = defineOperation({
  name: 'listBatchRows',
  since: '1.0',
  method: 'GET',
  path: '/v1/notification-batches/{id}/rows',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'List the rows of a batch with their outcomes',
  description:
    'Lists the rows that have an outcome, in the order of the file. Rows that were checked without a fault and wait for the sending are not in the list. To read the next page, send next as after.',
  request,
  responses: {
    200: {
      description: 'One page of rows.',
      schema: Type.Object({
        items: Type.Array(rowShape),
        next: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The last row of this page. null: there are no further rows now.',
        }),
      }),
    },
  },
  refusals: ['batch-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { state, after = 0, limit = defaultLimit } = call.query;
    const batch = await findOwnBatch(call.read, call.params.id, call.caller.clientId);
    if (batch === undefined) return { refusal: refuse('batch-not-found') };
    const range = { state, after, last: batchLimits.rows, limit: limit + 1 };
    const found = await findRows(call.read, batch.id, range);
    const { items, next } = pageOf(found, limit, ({ row }) => row);
    return {
      effect: { events: rowReadEvents(call, call.caller.clientId, items), statements: [] },
      answer: { status: 200, json: { items: items.map(rowView), next } },
    };
  },
});

function rowView(result: BatchRowResult) {
  if (result.state !== 'refused') {
    const { row, state, notification } = result;
    return { row, state, notificationId: notification };
  }
  const { row, state, code, detail } = result;
  return { row, state, code, detail };
}
