import { Type } from 'typebox';
import {
  type Decision,
  defineOperation,
  type OperationCall,
  type RefusedDecision,
  type ReplayedResult,
} from '../api/operation.ts';
import { type NotificationBatch, startFault } from '../notifications/batches/batch.ts';
import { batchParams, batchSummaryOf, batchSummaryShape } from '../notifications/batches/batch-shape.ts';
import { findOwnBatch } from '../notifications/batches/batch-store.ts';
import { startNotificationBatch } from '../notifications/start-notification-batch.ts';
import { actForService } from './act-for-service.ts';
import { countStartedMessages, insertBatchStart } from './batch-start-store.ts';
import { batchStateOf } from './cancel-service-batch.ts';
import type { StaffPorts } from './ports.ts';
import { proposableBatchStart, rowsToSend } from './proposable/start-batch.ts';
import { actReasonSchema } from './proposal.ts';
import { propose } from './propose-operation.ts';
import { staffOf } from './staff-member.ts';

const request = {
  params: batchParams,
  body: Type.Object(
    { reason: actReasonSchema('Why the batch is sent, for the person who approves it and for the staff log.') },
    { additionalProperties: false },
  ),
};

type StartCall = OperationCall<typeof request, StaffPorts>;

const start = actForService({
  operation: startNotificationBatch,
  name: 'startServiceBatch',
  path: '/v1/staff/notification-batches/{id}/start',
  summary: 'Start a batch of your service',
  description:
    'Starts the sending of a batch in the state ready. Rows whose sendAt has passed are sent at once. When deliverBy or respondBy of all rows has passed, the server cancels the batch with the code expired. The batches that you start alone within 24 hours can together send as many messages as STAFF_BATCH_LIMIT. A batch over this limit does not start: the response has a proposal, which another person can approve. A repeated request receives 409, also while the proposal is open.',
  request,
  before: batchStateOf,
  after: ({ state }) => ({ state }),
});

const startShape = Type.Object({
  batch: batchSummaryShape,
  proposal: Type.Union([Type.String(), Type.Null()], {
    description: 'The id of the proposal that another person can approve. null: the batch has started.',
  }),
});

/**
 * Starts a checked batch, or proposes its start if the person would be over the limit for one day. A form that is sent twice makes one
 * proposal (`insertProposal`).
 */
export const startServiceBatch = defineOperation({
  ...start,
  request,
  citizenData: true,
  responses: { 200: { description: 'The batch, and the proposal if its start needs one.', schema: startShape } },
  refusals: [...start.refusals, 'changed-meanwhile', 'look-ups-exceeded'],
  run: startOrPropose,
});

async function startOrPropose(call: StartCall): Promise<Outcome> {
  const { read, ports, now } = call;
  const { service, subject } = staffOf(call.caller);
  const batch = service === null ? undefined : await findOwnBatch(read, call.params.id, service);
  const messages = batch === undefined ? 0 : rowsToSend(batch);
  if (ports.fourEyes && batch !== undefined && startFault(batch, now) === undefined) {
    const before = await countStartedMessages(read, ports, { subject, at: now });
    if (before + messages > ports.batchLimit) return await proposeStart(call, batch);
  }
  // `actForService` drops the types of the request, which is the same.
  const started = await start.run(call as never);
  if ('plain' in started) throw new TypeError('expected the start of a batch to have an effect');
  const answered = withAnswer(started, (sending) => ({ batch: sending, proposal: null }));
  if (!('answer' in answered) || !ports.fourEyes || batch === undefined) return answered;
  const count = insertBatchStart(
    ports,
    { batch: batch.id, service: batch.clientId, subject, at: now, messages },
    ports.batchLimit,
  );
  const { effect } = answered;
  return {
    ...answered,
    effect: { ...effect, statements: [...effect.statements, ...count] },
    // The person started another batch at the same time, or this one has another state.
    onConflict: () => startOrPropose(call).then(withoutReplay),
  };
}

async function proposeStart(call: StartCall, batch: NotificationBatch): Promise<Outcome> {
  const { reason } = call.body;
  const proposed = await propose(call, { operation: proposableBatchStart.name, input: { batch: batch.id }, reason });
  return withAnswer(proposed, (proposal) => ({ batch: batchSummaryOf(batch), proposal: Object(proposal).id }));
}

/** The result after a conflict is a decision: only a proposal that takes effect at once is a stored result (STAFF_FOUR_EYES=off). */
function withoutReplay(outcome: Outcome): Decision | RefusedDecision {
  if ('replayed' in outcome) throw new TypeError('expected a decision about the start of a batch');
  return outcome;
}

type Outcome = Decision | RefusedDecision | ReplayedResult;

/** The same decision with another JSON. A start that conflicts is refused, because no batch becomes ready again. */
function withAnswer(outcome: Outcome, jsonOf: (json: unknown) => unknown): Outcome {
  if (!('answer' in outcome) || typeof outcome.answer === 'function' || !('json' in outcome.answer)) return outcome;
  return { ...outcome, answer: { status: 200, json: jsonOf(outcome.answer.json) } };
}
