import { Type } from 'typebox';
import { cursorSchema, nextCursorSchema, pageOf, unknownCursor } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuseIssues } from '../kernel/refusal.ts';
import { batchSummaryOf, batchSummaryShape } from './batches/batch-shape.ts';
import { afterAllBatchIds, findBatches } from './batches/batch-store.ts';
import type { NotificationPorts } from './ports.ts';

const defaultLimit = 25;

const request = {
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of batches. Default: 25.' }),
      ),
      open: Type.Optional(
        Type.Boolean({ description: 'true lists only batches that have not ended. Default: false.' }),
      ),
      cursor: cursorSchema({ minLength: 1, maxLength: 100 }),
    },
    { additionalProperties: false },
  ),
};

/** Lists the batches of the client, newest first. */
export const listNotificationBatches = defineOperation({
  name: 'listNotificationBatches',
  since: '1.0',
  method: 'GET',
  path: '/v1/notification-batches',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'List the batches of your client',
  description: 'Lists batches, newest first, with the progress of each. To read the next page, send next as cursor.',
  request,
  responses: {
    200: {
      description: 'One page of batches.',
      schema: Type.Object({
        items: Type.Array(batchSummaryShape),
        next: nextCursorSchema,
      }),
    },
  },
  refusals: ['bad-request'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { limit = defaultLimit, open: isOpen = false, cursor } = call.query;
    if (cursor !== undefined && parseId('batch', cursor) === undefined)
      return { refusal: refuseIssues([unknownCursor]) };
    const range = { before: cursor ?? afterAllBatchIds, limit: limit + 1, isOpen };
    const found = await findBatches(call.read, call.caller.clientId, range);
    const { items, next } = pageOf(found, limit, ({ id }) => id);
    return { plain: { status: 200, json: { items: items.map(batchSummaryOf), next } } };
  },
});
