import { type Static, Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { blocksOf, openMessageContent } from '../notifications/notification/message-content.ts';
import { instantSchema, notificationParams } from '../notifications/notification/notification-shape.ts';
import { findNotificationWithContent } from '../notifications/notification/notification-store.ts';
import { defaultSubject } from '../notifications/rendering/mail-text.ts';
import { renderMessageHtml } from '../notifications/rendering/message-html.ts';
import { findActiveService } from './active-service.ts';
import { findVisibleNotification } from './find-citizens.ts';
import { hourlyLimit, refuseOverLimit } from './hourly-limit.ts';
import type { StaffPorts } from './ports.ts';
import { messageActBody } from './send-by-letter.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = { params: notificationParams, body: messageActBody };
type ReadCall = OperationCall<typeof request, StaffPorts>;
const operationName = 'readServiceNotification';

const contentShape = Type.Object(
  {
    id: Type.String(),
    createdAt: instantSchema('When the service sent it.'),
    subject: Type.Union([Type.String(), Type.Null()], { description: 'null: the message has no subject.' }),
    message: Type.String({ description: 'The text as the service sent it: plain text or restricted Markdown.' }),
    html: Type.String({ description: 'The message as an HTML page in which all texts are escaped.' }),
    language: Type.Union([Type.String(), Type.Null()], { description: 'The language of the text. null: not known.' }),
    entry: Type.String({ description: 'The id of the entry in the staff log.' }),
    event: Type.String({ description: 'The id of the ledger event, which the citizen sees in their access log.' }),
  },
  { $id: 'StaffMessageContent' },
);
/** The answer with the text of a message. */
export type ServiceNotification = Static<typeof contentShape>;

/** Shows a caseworker the text of a message of their own service. The event of it is stored before the text leaves. */
export const readServiceNotification = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/notifications/{id}/read',
  scope: 'staff:send',
  callers: ['staff'],
  summary: 'Read the text of a message',
  description:
    'Returns the subject and the text of a message that your service sent. The citizen sees in their access log that your service read it, with the reason. One person can read a limited number of messages in an hour (STAFF_LOOK_UPS_PER_HOUR).',
  request,
  responses: { 200: { description: 'The message.', schema: contentShape } },
  refusals: ['notification-not-found', 'service-needed', 'look-ups-exceeded'],
  citizenData: true,
  run: readForService,
});

async function readForService(call: ReadCall): Promise<Decision | RefusedDecision> {
  const { read, caller, params, body, ports, now, createId } = call;
  const member = staffOf(caller);
  const { service, subject } = member;
  const client = await findActiveService(read, member);
  if (client === undefined) return { refusal: refuse('service-needed') };
  const visible = await findVisibleNotification(read, params.id, service);
  const found = visible && (await findNotificationWithContent(read, visible.id));
  const content = found && (await openMessageContent(ports.citizenKeys, found.notification, found.content));
  if (found === undefined || content === undefined) return { refusal: refuse('notification-not-found') };
  const { id: notification, citizenId, createdAt, language: sentIn } = found.notification;
  const [id, entry] = [createId('event'), createId('staffEntry')];
  const { reason, reference } = body;
  const language = content.language ?? sentIn ?? undefined;
  const sender = ports.organisationOf(client.clientId);
  const title = content.subject ?? defaultSubject(language, sender);
  const json: ServiceNotification = {
    id: notification,
    createdAt: formatInstant(createdAt),
    subject: content.subject ?? null,
    message: content.message,
    html: renderMessageHtml({ title, language, blocks: blocksOf(content), sender }),
    language: language ?? null,
    entry,
    event: id,
  };
  const limit = hourlyLimit(call);
  return {
    effect: {
      events: [
        { type: 'notification.content-read', id, at: now, actor: staffActor(member), citizenId, notification, reason },
      ],
      statements: insertStaffEntry(
        ports,
        {
          id: entry,
          at: now,
          member,
          operation: operationName,
          reason,
          reference,
          after: { notification },
          events: [id],
        },
        limit,
      ),
    },
    answer: { status: 200, json },
    onConflict: async () => ({ refusal: await refuseOverLimit(call, { subject, operation: operationName }) }),
  };
}
