import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { batchParams } from '../notifications/batches/batch-shape.ts';
import { findOwnBatch } from '../notifications/batches/batch-store.ts';
import { startNotificationBatch } from '../notifications/start-notification-batch.ts';
import { actForService } from './act-for-service.ts';
import { batchStateOf } from './cancel-service-batch.ts';
import type { StaffPorts } from './ports.ts';
import { proposableBatchStart, rowsToSend } from './proposable/start-batch.ts';
import { proposalReasonSchema, proposalShape } from './proposal.ts';
import { propose } from './propose-operation.ts';
import { staffOf } from './staff-member.ts';

const request = {
  params: batchParams,
  body: Type.Object({ reason: proposalReasonSchema }, { additionalProperties: false }),
};
type StartCall = OperationCall<typeof request, StaffPorts>;

const start = actForService({
  operation: startNotificationBatch,
  name: 'startServiceBatch',
  path: '/v1/staff/notification-batches/{id}/start',
  summary: 'Start a batch of your service',
  description:
    'Starts the sending of a batch in the state ready. A batch that would send more messages than STAFF_BATCH_LIMIT does not start: the response 202 is a proposal, which another person approves. A repeated request receives 409.',
  request,
  before: batchStateOf,
  after: ({ state }) => ({ state }),
});

/** Starts a checked batch, or proposes its start if it is over the limit of one person. */
export const startServiceBatch = defineOperation({
  ...start,
  request,
  citizenData: true,
  responses: {
    ...start.responses,
    202: { description: 'The proposal that another person can approve.', schema: proposalShape },
  },
  refusals: [...start.refusals, 'changed-meanwhile'],
  run: async (call: StartCall) => {
    const { service } = staffOf(call.caller);
    const batch = service === null ? undefined : await findOwnBatch(call.read, call.params.id, service);
    const needsApproval = call.ports.fourEyes && batch !== undefined && rowsToSend(batch) > call.ports.batchLimit;
    if (needsApproval) {
      const { reason } = call.body;
      return await propose(call, { operation: proposableBatchStart.name, input: { batch: batch.id }, reason });
    }
    // `actForService` drops the types of the request, which is the same.
    const outcome = await start.run(call as never);
    if ('plain' in outcome) throw new TypeError('expected the start of a batch to have an effect');
    return outcome;
  },
});
