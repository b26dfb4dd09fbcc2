import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { EventId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { recordReturnedLetter } from '../notifications/delivery/record-returned-letter.ts';
import { notificationParams } from '../notifications/notification/notification-shape.ts';
import { commitWithEntry } from './commit-with-entry.ts';
import { findVisibleNotification } from './find-citizens.ts';
import type { StaffPorts } from './ports.ts';
import { type MessageActAnswer, messageActBody, messageActShape } from './send-by-letter.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = { params: notificationParams, body: messageActBody };
const operationName = 'recordReturnedNotificationLetter';

/** Records that the letter with a message came back by post; the sender is notified as for a provider's report. */
export const recordReturnedNotificationLetter = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/notifications/{id}/returned-letter',
  scope: 'staff:support',
  callers: ['staff'],
  summary: 'Record a returned letter',
  description:
    'Records that the postal service returned the newest letter with this message. The id is printed on the letter. The sender sees the failure with the reason letter-returned. You can only do this for messages of your service.',
  request,
  responses: { 200: { description: 'The return is recorded.', schema: messageActShape } },
  refusals: ['notification-not-found', 'conflict'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { read, caller, params, body, ports, now, createId } = call;
    const member = staffOf(caller);
    const found = await findVisibleNotification(read, params.id, member.service);
    if (found === undefined) return { refusal: refuse('notification-not-found') };
    const entry = createId('staffEntry');
    let event: EventId | undefined;
    const statementsFor = (events: readonly EventId[]) => {
      [event] = events;
      return insertStaffEntry(ports, {
        id: entry,
        at: now,
        member,
        operation: operationName,
        reason: body.reason,
        reference: body.reference,
        before: { notification: found.id, letter: 'sent' },
        after: { notification: found.id, letter: 'returned' },
        events,
      });
    };
    const deps = { ...ports, read, createId, commit: commitWithEntry(ports.commit, { events: [], statementsFor }) };
    const isRecorded = await recordReturnedLetter({ ...deps, actor: staffActor(member) }, found.id);
    if (!isRecorded || event === undefined) return { refusal: refuse('conflict', notSentDetail) };
    const json: MessageActAnswer = { entry, event };
    return { replayed: { status: 200, json } };
  },
});

const notSentDetail = 'No letter with this message was sent, or its return or arrival is already recorded.';
