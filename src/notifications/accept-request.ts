import type { CheckedRequest, SendCall } from './check-send-request.ts';
import { type AcceptedNotification, acceptNotification } from './notification/accept-notification.ts';
import type { BatchRow } from './notification/notification-store.ts';
import { isNoticeOnly } from './notification/sending-service.ts';

/** The parts of a call by which its checked request is accepted: also a row of a batch has them. */
type AcceptCall = Pick<SendCall, 'body' | 'caller' | 'ports' | 'now' | 'createId'>;

/** Accepts the checked request of a single message, or of a row of a batch. */
export async function acceptRequest(
  call: AcceptCall,
  { times, contact, content, steps }: CheckedRequest,
  batch?: BatchRow,
): Promise<AcceptedNotification> {
  const { citizenId, category = 'information', reference = null, legalEffect = null, language = null } = call.body;
  const { clientId } = call.caller;
  const { sendAt, deliverBy } = times;
  const service = await call.ports.senderOf(clientId);
  return await acceptNotification(call, {
    clientId,
    citizenId,
    reference,
    category,
    legalEffect,
    noticeOnly: isNoticeOnly(service, category, call.ports.inboxLink !== undefined),
    content,
    // The language of the citizen is not stored: its sender could read it. The parts that show the message look it up.
    language,
    steps,
    sendAt,
    deliverBy,
    isInInbox: contact !== undefined && contact.deceased !== true && sendAt === null,
    ...(batch === undefined ? {} : { batch }),
  });
}
