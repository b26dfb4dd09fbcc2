import { defineOperation } from '../api/operation.ts';
import { refuseIssues } from '../kernel/refusal.ts';
import { checkSendRequest, mayKnowCitizen, type SendCall, sendIssuesOf, sendRequest } from './check-send-request.ts';
import { plannedLegalNotice } from './legal-effect/find-legal-notice.ts';
import { messageLanguageOf } from './notification/message-content.ts';
import { isNoticeOnly } from './notification/sending-service.ts';
import { previewAnswer, previewShape } from './notification-preview.ts';

/** Checks a message to one citizen as `sendNotification` does, and shows it. Nothing is stored except the event of the preview. */
export const previewNotification = defineOperation({
  name: 'previewNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/preview',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Preview a notification without sending it',
  description:
    'Checks the body of a notification like the send operation, and returns what each channel would send. The server sends and stores nothing. Only callers with the scope citizens:known learn whether the citizen exists and can be reached.',
  request: sendRequest,
  responses: { 200: { description: 'The messages that the channels would send.', schema: previewShape } },
  refusals: ['bad-request', 'register-unavailable'],
  citizenData: true,
  contentIssues: sendIssuesOf,
  run: async (call: SendCall) => {
    const known = mayKnowCitizen(call);
    // The preferences of a citizen would show other callers that the citizen exists.
    const checked = await checkSendRequest(call, { usesPreferences: known });
    if ('issues' in checked) return { refusal: refuseIssues(checked.issues) };
    const { times, contact, content, steps } = checked;
    const { caller, body, ports } = call;
    const head = { id: call.createId('event'), at: call.now, actor: { client: caller.clientId } };
    const service = await ports.senderOf(caller.clientId);
    const { legalEffect: rule, category = 'information' } = body;
    const json = await previewAnswer({
      steps,
      contact,
      content,
      reference: body.reference ?? null,
      noticeOnly: isNoticeOnly(service, category, ports.inboxLink !== undefined),
      legalNotice: rule === undefined ? undefined : plannedLegalNotice(rule, times.sendAt ?? call.now, ports.calendar),
      service,
      language: messageLanguageOf(content, body.language ?? null, known ? contact?.language : undefined),
      deliverBy: times.deliverBy,
      mayKnowCitizen: known,
      ports,
    });
    return {
      effect: {
        events: [{ type: 'notification.rehearsed', ...head, citizenId: body.citizenId }],
        statements: [],
      },
      answer: { status: 200, json },
    };
  },
});
