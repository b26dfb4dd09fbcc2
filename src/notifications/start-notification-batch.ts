import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { batchChangedEvent, startFault } from './batches/batch.ts';
import { batchParams, batchSummaryOf, batchSummaryShape } from './batches/batch-shape.ts';
import { changeState, findOwnBatch } from './batches/batch-store.ts';
import type { NotificationPorts } from './ports.ts';

const request = { params: batchParams };
type StartCall = OperationCall<typeof request, NotificationPorts>;

/** Starts the sending of a checked batch. */
export const startNotificationBatch = defineOperation({
  name: 'startNotificationBatch',
  since: '1.0',
  method: 'POST',
  path: '/v1/notification-batches/{id}/start',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Start a batch that waits for its start',
  description:
    'Starts the sending of a batch in the state ready. Rows whose sendAt has passed are sent at once. When deliverBy or respondBy of all rows has passed, or with rows=all-or-none of one row, the batch cannot start, and the server cancels it with the code expired. A repeated request receives 409.',
  request,
  responses: { 200: { description: 'The batch, in the state sending.', schema: batchSummaryShape } },
  refusals: ['batch-not-found', 'conflict'],
  citizenData: true,
  run: start,
});

async function start(call: StartCall): Promise<Decision | RefusedDecision> {
  const batch = await findOwnBatch(call.read, call.params.id, call.caller.clientId);
  if (batch === undefined) return { refusal: refuse('batch-not-found') };
  const fault = startFault(batch, call.now);
  if (fault !== undefined) return { refusal: refuse('conflict', fault) };
  const head = { id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } };
  return {
    effect: {
      events: [batchChangedEvent(head, batch.id, 'sending')],
      statements: [changeState(batch, { from: 'ready', to: 'sending', at: call.now })],
    },
    answer: { status: 200, json: batchSummaryOf({ ...batch, state: 'sending' }) },
    // Another request started or cancelled it.
    onConflict: () => start(call),
  };
}
