import { Type } from 'typebox';
import { type Decision, defineOperation } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { acceptRequest } from './accept-request.ts';
import {
  type CheckedRequest,
  checkSendRequest,
  mayKnowCitizen,
  type SendCall,
  sendIssuesOf,
  sendRequest,
} from './check-send-request.ts';
import { literalUnion, receiptPathOf } from './notification/notification-shape.ts';

const acceptedShape = Type.Object({
  id: Type.String(),
  citizenId: Type.String(),
  reference: Type.Union([Type.String(), Type.Null()]),
  status: literalUnion(
    ['accepted', 'scheduled'],
    'accepted: the delivery starts at once. scheduled: the notification waits for sendAt.',
  ),
  createdAt: Type.String({ format: 'date-time' }),
  sendAt: Type.Optional(Type.String({ format: 'date-time' })),
  deliverBy: Type.String({ format: 'date-time' }),
  receipt: Type.String({ description: 'The path of the ledger receipt of the acceptance.' }),
});

/**
 * Accepts a message to one citizen. The same unit puts the copy into the inbox, unless the citizen is not in the register or is dead, or
 * `sendAt` is in the future. The other steps of the cascade are queued, each with its time.
 */
export const sendNotification = defineOperation({
  name: 'sendNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/send',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Send an official notification to a citizen',
  description:
    'Stores the message durably, and delivers it after the response. Send an Idempotency-Key, and repeat the request with the same key until you receive a response: the server creates only one notification. For an unknown citizen, callers with the scope citizens:known receive 404. For other callers, the notification is accepted and becomes undeliverable.',
  request: sendRequest,
  responses: {
    202: {
      description: 'The notification is accepted and stored durably.',
      schema: acceptedShape,
      headers: {
        Location: 'The path of the notification, where you can read its status.',
        'Idempotent-Replayed': 'true if the server repeats an earlier response.',
      },
    },
  },
  refusals: ['bad-request', 'citizen-not-found', 'register-unavailable'],
  idempotent: true,
  citizenData: true,
  contentIssues: sendIssuesOf,
  run: async (call: SendCall) => {
    if (call.body.category === 'urgent') call.ports.urgentPriority.noteUrgent();
    const checked = await checkSendRequest(call, { usesPreferences: true });
    if ('issues' in checked) return { refusal: refuseIssues(checked.issues) };
    if (checked.contact === undefined && mayKnowCitizen(call)) return { refusal: refuse('citizen-not-found') };
    return await acceptDecision(call, checked);
  },
});

async function acceptDecision(call: SendCall, checked: CheckedRequest): Promise<Decision> {
  const { citizenId, reference = null } = call.body;
  const { sendAt, deliverBy } = checked.times;
  const { notification, event, ...writes } = await acceptRequest(call, checked);
  return {
    effect: { events: [event], ...writes },
    answer: {
      status: 202,
      headers: { location: `/v1/notifications/${notification.id}` },
      json: {
        id: notification.id,
        citizenId,
        reference,
        status: sendAt === null ? 'accepted' : 'scheduled',
        createdAt: formatInstant(call.now),
        ...(sendAt === null ? {} : { sendAt: formatInstant(sendAt) }),
        deliverBy: formatInstant(deliverBy),
        receipt: receiptPathOf(notification),
      },
    },
  };
}
