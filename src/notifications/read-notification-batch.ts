import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { batchParams, batchShape, batchView } from './batches/batch-shape.ts';
import { findOwnBatch } from './batches/batch-store.ts';
import { countStatuses } from './batches/row-store.ts';
import type { NotificationPorts } from './ports.ts';

const request = { params: batchParams };

/** Reads the progress of a batch. Other clients get `batch-not-found`. */
export const readNotificationBatch = defineOperation({
  name: 'readNotificationBatch',
  since: '1.0',
  method: 'GET',
  path: '/v1/notification-batches/{id}',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'Read the progress of a batch',
  description:
    'Returns the state of the batch, the number of checked, refused and accepted rows, and the number of its notifications in each status.',
  request,
  responses: { 200: { description: 'The batch.', schema: batchShape } },
  refusals: ['batch-not-found'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const batch = await findOwnBatch(call.read, call.params.id, call.caller.clientId);
    if (batch === undefined) return { refusal: refuse('batch-not-found') };
    return { plain: { status: 200, json: batchView(batch, await countStatuses(call.read, batch.id)) } };
  },
});
