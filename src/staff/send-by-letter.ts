import { type Static, Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { requestLetter } from '../notifications/letters/request-letter.ts';
import { findDeliveries } from '../notifications/notification/delivery-store.ts';
import { notificationParams } from '../notifications/notification/notification-shape.ts';
import { findVisibleNotification } from './find-citizens.ts';
import { reasonSchema, referenceSchema } from './look-up.ts';
import type { StaffPorts } from './ports.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

/** The body of an act on one message. */
export const messageActBody = Type.Object(
  { reason: reasonSchema, reference: referenceSchema },
  { additionalProperties: false },
);
/** The answer of an act on one message. */
export const messageActShape = Type.Object({
  entry: Type.String({ description: 'The id of the entry in the staff log.' }),
  event: Type.String({ description: 'The id of the ledger event.' }),
});
export type MessageActAnswer = Static<typeof messageActShape>;

const request = { params: notificationParams, body: messageActBody };
type LetterCall = OperationCall<typeof request, StaffPorts>;
const operationName = 'sendNotificationByLetter';

/** Sends a message by letter too, for a citizen whom another channel did not reach. */
export const sendNotificationByLetter = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/notifications/{id}/send-by-letter',
  scope: 'staff:support',
  callers: ['staff'],
  summary: 'Send a message by letter too',
  description:
    'Sends a message to the postal address in the register, in addition to its other channels. You can only do this for messages of your service. If deliverBy is less than 14 days away, it is moved to 14 days from now. The citizen sees this in their access log.',
  request,
  responses: { 200: { description: 'The letter is queued.', schema: messageActShape } },
  refusals: ['notification-not-found', 'conflict', 'changed-meanwhile', 'register-unavailable'],
  citizenData: true,
  run: sendByLetter,
});

async function sendByLetter(call: LetterCall): Promise<Decision | RefusedDecision> {
  const { read, caller, params, body, ports, now, createId } = call;
  const member = staffOf(caller);
  const notification = await findVisibleNotification(read, params.id, member.service);
  if (notification === undefined) return { refusal: refuse('notification-not-found') };
  const deliveries = await findDeliveries(read, notification.id);
  const contact = await ports.contactOf(notification.citizenId);
  const letter = requestLetter(createId, {
    notification,
    deliveries,
    contact,
    actor: staffActor(member),
    reason: body.reason,
    now,
  });
  if ('fault' in letter) return { refusal: refuse('conflict', letter.fault) };
  const { event, statements, queues } = letter;
  const entry = createId('staffEntry');
  const channels = deliveries.map(({ channel }) => channel);
  const log = insertStaffEntry(ports, {
    id: entry,
    at: now,
    member,
    operation: operationName,
    reason: body.reason,
    reference: body.reference,
    before: { notification: notification.id, channels },
    after: { notification: notification.id, channels: [...channels, 'letter'] },
    events: [event.id],
  });
  const json: MessageActAnswer = { entry, event: event.id };
  return {
    effect: { events: [event], statements: [...statements, ...log], queues },
    answer: { status: 200, json },
    // A channel ended at the same time, so the message has changed.
    onConflict: () => sendByLetter(call),
  };
}
