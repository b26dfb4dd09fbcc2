import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { isUnread, openMessageOfCitizen } from './inbox/citizen-inbox.ts';
import { findInboxOverview } from './inbox/inbox-overview.ts';
import { findLegalNotice } from './legal-effect/find-legal-notice.ts';
import {
  attachmentListShape,
  citizenLanguageOf,
  inboxItemOf,
  inboxItemProperties,
  unreadCountSchema,
} from './list-inbox-messages.ts';
import { blocksOf } from './notification/message-content.ts';
import type { NotificationPorts } from './ports.ts';
import { contactLines } from './rendering/contact-lines.ts';
import { defaultSubject, messageNumberText } from './rendering/mail-text.ts';
import { renderMessageHtml } from './rendering/message-html.ts';

const request = {
  params: Type.Object(
    { id: Type.String({ maxLength: 64, description: 'The id of the message, from the list of messages.' }) },
    { additionalProperties: false },
  ),
};

/** Opens a message for its citizen. This proves the delivery and ends the rest of its cascade. */
export const openInboxMessage = defineOperation({
  name: 'openInboxMessage',
  since: '1.0',
  method: 'GET',
  // A HEAD request would record the message as read without returning its text.
  head: false,
  path: '/v1/inbox/{id}',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Open one of my messages',
  description:
    'Returns a message to the citizen whom the token names. The first request sets the notification to read and notifies its sender, so send it only when the citizen opens the message.',
  request,
  responses: {
    200: {
      description: 'The message.',
      schema: Type.Object({
        ...inboxItemProperties,
        message: Type.String({ description: 'The text as the sender sent it: plain text or restricted Markdown.' }),
        html: Type.String({ description: 'The message as an HTML page in which all texts are escaped.' }),
        attachments: attachmentListShape,
        contact: Type.Object(
          {
            phone: Type.Optional(Type.String()),
            email: Type.Optional(Type.String()),
            url: Type.Optional(Type.String()),
          },
          { $id: 'SenderContact', description: 'How the citizen can contact the sender; without unknown members.' },
        ),
        unreadCount: unreadCountSchema,
      }),
    },
  },
  refusals: ['citizen-token-needed', 'notification-not-found', 'changed-meanwhile'],
  citizenData: true,
  run: openForCitizen,
});

async function openForCitizen(
  call: OperationCall<typeof request, NotificationPorts>,
): Promise<Decision | RefusedDecision> {
  const { citizenId } = call.caller;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const id = parseId('notification', call.params.id);
  const deps = { ...call.ports, read: call.read, createId: call.createId };
  const found = id === undefined ? undefined : await openMessageOfCitizen(deps, citizenId, { id, now: call.now });
  if (found === undefined) return { refusal: refuse('notification-not-found') };
  const { content, notification, effect } = found;
  const opening = notification.status === 'read' ? { now: call.now } : { now: call.now, openedAt: call.now };
  const legalNotice = await findLegalNotice(deps, notification, opening);
  const item = await inboxItemOf({ ...found, legalNotice }, call.ports, await citizenLanguageOf(call.ports, citizenId));
  const language = item.language ?? undefined;
  const { sender } = item;
  const title = content.subject ?? defaultSubject(language, sender);
  const { messages } = await call.ports.senderOf(notification.clientId);
  const { contactPhone: phone, contactEmail: email, contactUrl: url } = messages ?? {};
  const senderContact = {
    ...(phone === undefined ? {} : { phone }),
    ...(email === undefined ? {} : { email }),
    ...(url === undefined ? {} : { url }),
  };
  const contact = contactLines(language, messages);
  const references = [messageNumberText(language, notification.id)];
  const html = renderMessageHtml({ title, language, blocks: blocksOf(content), sender, contact, references });
  const { attachments = [] } = content;
  const { unread } = await findInboxOverview(call.read, citizenId);
  // The overview still counts the message that this request opens.
  const unreadCount = isUnread(found) && !item.archived ? Math.max(0, unread - 1) : unread;
  return {
    effect,
    answer: {
      status: 200,
      json: {
        ...item,
        unread: false,
        message: content.message,
        html,
        attachments,
        contact: senderContact,
        unreadCount,
      },
    },
    // The message has changed since it was read: try again.
    onConflict: () => openForCitizen(call),
  };
}
