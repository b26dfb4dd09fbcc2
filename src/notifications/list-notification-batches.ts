import { Type } from 'typebox';
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
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The member `next` of the previous page. Default: the first page.',
        }),
      ),
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
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The cursor of the next page. null: this is the last page.',
        }),
      }),
    },
  },
  refusals: ['bad-request'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { limit = defaultLimit, open: isOpen = false, cursor } = call.query;
    if (cursor !== undefined && parseId('batch', cursor) === undefined) {
      const detail = 'must be `next` of an earlier page';
      return { refusal: refuseIssues([{ in: 'query', name: 'cursor', code: 'malformed', detail }]) };
    }
    const page = { before: cursor ?? afterAllBatchIds, limit: limit + 1, isOpen };
    // One more than the limit shows whether there is a next page.
    const found = await findBatches(call.read, call.caller.clientId, page);
    const items = found.slice(0, limit);
    const next = found.length > limit ? (items.at(-1)?.id ?? null) : null;
    return { plain: { status: 200, json: { items: items.map(batchSummaryOf), next } } };
  },
});
