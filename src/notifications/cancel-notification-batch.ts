import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { batchParams, batchSummaryOf, batchSummaryShape } from './batches/batch-shape.ts';
import { findOwnBatch } from './batches/batch-store.ts';
import { endBatch } from './batches/end-batch.ts';
import type { NotificationPorts } from './ports.ts';

const request = { params: batchParams };
type CancelCall = OperationCall<typeof request, NotificationPorts>;

/** Cancels the rows of a batch that are not accepted yet. */
export const cancelNotificationBatch = defineOperation({
  name: 'cancelNotificationBatch',
  since: '1.0',
  method: 'POST',
  path: '/v1/notification-batches/{id}/cancel',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Cancel the remaining rows of a batch',
  description:
    'Cancels a batch that has not ended. Rows that the server has already accepted stay notifications, which you can cancel one by one. A repeated request receives 409.',
  request,
  responses: { 200: { description: 'The cancelled batch.', schema: batchSummaryShape } },
  refusals: ['batch-not-found', 'conflict', 'changed-meanwhile'],
  citizenData: true,
  run: cancel,
});

async function cancel(call: CancelCall): Promise<Decision | RefusedDecision> {
  const batch = await findOwnBatch(call.read, call.params.id, call.caller.clientId);
  if (batch === undefined) return { refusal: refuse('batch-not-found') };
  if (batch.endedAt !== null)
    return { refusal: refuse('conflict', `The batch has ended; its state is ${batch.state}.`) };
  const head = { id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } };
  return {
    effect: endBatch(head, batch, { from: batch.state, to: 'cancelled' }),
    answer: { status: 200, json: batchSummaryOf({ ...batch, state: 'cancelled', endedAt: call.now }) },
    // The state has changed. States only move forward, so a second try decides.
    onConflict: () => cancel(call),
  };
}
