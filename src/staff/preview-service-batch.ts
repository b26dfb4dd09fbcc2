import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { batchParams } from '../notifications/batches/batch-shape.ts';
import { findOwnBatch } from '../notifications/batches/batch-store.ts';
import { batchPreviewShape } from '../notifications/preview-batch.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = { params: batchParams };
const operationName = 'previewServiceBatch';

/** Shows the first rows of a batch, and what it will cost. */
export const previewServiceBatch = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/notification-batches/{id}/preview',
  scope: 'staff:send',
  callers: ['staff'],
  summary: 'Preview a batch of your service',
  description:
    'Returns the first 10 rows as they were uploaded, and an estimate of the text messages and letters. The estimate plans the channels of up to 500 rows from all parts of the file. It is an upper limit only if it has planned all rows. The batch can send less, because a step is skipped if the citizen has read the message before. The staff log records this.',
  request,
  responses: { 200: { description: 'The first rows and the estimate.', schema: batchPreviewShape } },
  refusals: ['batch-not-found', 'batch-upload-deleted', 'conflict', 'register-unavailable'],
  citizenData: true,
  run: async ({ read, params, caller, ports, now, createId }: OperationCall<typeof request, StaffPorts>) => {
    const member = staffOf(caller);
    const batch = member.service === null ? undefined : await findOwnBatch(read, params.id, member.service);
    if (batch === undefined) return { refusal: refuse('batch-not-found') };
    if (batch.wrappedKey === null) return { refusal: refuse('batch-upload-deleted') };
    const json = await ports.previewBatch(batch);
    if (json === undefined)
      return { refusal: refuse('conflict', 'The upload is incomplete, or the client of your service cannot send.') };
    const shown = json.rows.length;
    const event = { type: 'notifications.listed', id: createId('event'), at: now, actor: staffActor(member) } as const;
    const entry = insertStaffEntry(ports, {
      id: createId('staffEntry'),
      at: now,
      member,
      operation: operationName,
      reference: batch.id,
      after: { shown },
      events: [event.id],
    });
    return {
      effect: { events: [{ ...event, shown }], statements: entry },
      answer: { status: 200, json },
    };
  },
});
