import { Type } from 'typebox';
import { cursorSchema, nextCursorSchema, unknownCursor } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { Read } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import { findInboxPage, findInboxPosition, type InboxMessage, isUnread, receivedAtOf } from './inbox/citizen-inbox.ts';
import { inboxFilterProperties } from './inbox/inbox-filter.ts';
import { findInboxOverview, maxCounted } from './inbox/inbox-overview.ts';
import { findLegalNotice } from './legal-effect/find-legal-notice.ts';
import type { LegalNotice } from './notification/legal-notice.ts';
import { messageLanguageOf } from './notification/message-content.ts';
import { categories } from './notification/notification.ts';
import { literalUnion } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';

const maxMessages = 100;

const request = {
  query: Type.Object(
    {
      ...inboxFilterProperties,
      cursor: cursorSchema({ maxLength: 64 }),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxMessages,
          description: 'The maximum number of messages. Default: 100.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
};

/** The members of a message in the list of the inbox. */
export const inboxItemProperties = {
  id: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()]),
  sender: Type.String({ description: 'The name of the service that sent the message.' }),
  category: literalUnion(categories, 'The category that the sender chose: information, decision, reminder or urgent.'),
  language: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.String({
    format: 'date-time',
    description: 'The time at which the sender sent the message to this server.',
  }),
  receivedAt: Type.String({
    format: 'date-time',
    description: 'The time at which the message was in the inbox: createdAt, or the time that the sender requested.',
  }),
  opened: Type.Boolean({ description: 'true if the citizen opened the message before.' }),
  legalEffect: Type.Optional(
    Type.Object(
      {
        rule: Type.String({ description: 'The rule by which the message counts as served.' }),
        confirmationCounts: Type.Boolean({
          description: 'Whether a confirmation by the link in a mail counts like opening.',
        }),
        awaitsLetter: Type.Boolean({
          description: 'true: unless it is opened, the message counts as served only after a letter, not posted yet.',
        }),
        effectiveOn: Type.Optional(
          Type.String({
            format: 'date',
            description: 'Since when it counts as served, in the time zone of the server.',
          }),
        ),
        dueOn: Type.Optional(
          Type.String({
            format: 'date',
            description: 'From when it will count as served even if the citizen does not open it.',
          }),
        ),
      },
      { $id: 'InboxLegalEffect', description: 'Show it before the citizen opens the message.' },
    ),
  ),
  senderId: Type.String({ description: 'The client that sent the message. You can limit a list or a search to it.' }),
  reference: Type.Union([Type.String(), Type.Null()], { description: 'The reference that the sender gave.' }),
  respondBy: Type.Union([Type.String(), Type.Null()], {
    description:
      'The date (YYYY-MM-DD) or instant until which the sender needs an answer. null: the sender named none.',
  }),
  unread: Type.Boolean({ description: 'true if the message is new, or if the citizen marked it as unread.' }),
  archived: Type.Boolean({ description: 'true if the citizen moved the message to the archive.' }),
};

/** The schema of the documents of a message. */
export const attachmentListShape = Type.Array(
  Type.Object(
    {
      id: Type.String({ description: 'The id of a document of the citizen. Retrieve it at /v1/documents/{id}.' }),
      title: Type.String(),
    },
    { $id: 'Attachment' },
  ),
);

/** The schema of a message in the list of the inbox. */
export const inboxItemShape = Type.Object(inboxItemProperties, { $id: 'InboxItem' });

/** The number of unread messages, in the responses of the inbox. */
export const unreadCountSchema = Type.Integer({
  description: `The number of unread messages outside the archive, among the newest ${maxCounted}.`,
});

/** The members that describe the whole inbox, in the responses of a list and a search. */
export const inboxOverviewProperties = {
  unreadCount: unreadCountSchema,
  senders: Type.Array(
    Type.Object(
      { id: Type.String({ description: 'The id of the client.' }), name: Type.String({ description: 'Its name.' }) },
      { $id: 'InboxSender' },
    ),
    { description: `The services that sent the newest ${maxCounted} messages, for \`senderId\`.` },
  ),
};

/** Lists the citizen's own inbox, newest first. Listing does not open messages; `openInboxMessage` does. */
export const listInboxMessages = defineOperation({
  name: 'listInboxMessages',
  since: '1.0',
  method: 'GET',
  path: '/v1/inbox',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'List my official messages',
  description:
    'Lists the messages to the citizen whom the token names (claim citizen_id of a trusted issuer), newest receivedAt first, with the archived ones.',
  request,
  responses: {
    200: {
      description: 'One page of messages.',
      schema: Type.Object({
        items: Type.Array(inboxItemShape),
        next: nextCursorSchema,
        ...inboxOverviewProperties,
      }),
    },
  },
  refusals: ['citizen-token-needed', 'bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { cursor: last, limit = maxMessages, ...filter } = call.query;
    const before = last === undefined ? undefined : await findInboxPosition(call.read, citizenId, last);
    if (last !== undefined && before === undefined) return { refusal: refuseIssues([unknownCursor]) };
    const deps = { ...call.ports, read: call.read };
    const { messages, next } = await findInboxPage(deps, citizenId, { limit, before, filter });
    const items = await inboxItemsOf(call, citizenId, messages);
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'inbox.listed', ...head, citizenId, shown: items.length }], statements: [] },
      answer: {
        status: 200,
        json: { items, next: next ?? null, ...(await inboxOverviewOf(call, citizenId)) },
      },
    };
  },
});

type InboxCall = { readonly ports: NotificationPorts; readonly read: Read; readonly now: number };

/** The JSON of `inboxOverviewProperties`. */
export async function inboxOverviewOf({ ports, read }: InboxCall, citizenId: string) {
  const { unread, senders } = await findInboxOverview(read, citizenId);
  const named = senders.map(async (id) => ({ id, name: (await ports.senderOf(id)).name }));
  return { unreadCount: unread, senders: await Promise.all(named) };
}

/** The JSON of several messages. */
export async function inboxItemsOf(
  { ports, read, now }: InboxCall,
  citizenId: string,
  messages: readonly InboxMessage[],
) {
  const language = await citizenLanguageOf(ports, citizenId);
  return await Promise.all(
    messages.map(async (message) => {
      const legalNotice = await findLegalNotice({ ...ports, read }, message.notification, { now });
      return await inboxItemOf({ ...message, legalNotice }, ports, language);
    }),
  );
}

/** The language of the citizen; undefined while the register is unavailable, because messages are readable without it. */
export async function citizenLanguageOf(
  { contactOf }: Pick<NotificationPorts, 'contactOf'>,
  citizenId: string,
): Promise<string | undefined> {
  try {
    return (await contactOf(citizenId))?.language;
  } catch (fault) {
    if (fault instanceof UnavailableError) return undefined;
    throw fault;
  }
}

/** The JSON of a message in the list, with the current name of its sender. */
export async function inboxItemOf(
  message: InboxMessage & { readonly legalNotice: LegalNotice | undefined },
  { senderOf }: NotificationPorts,
  citizenLanguage: string | undefined,
) {
  const { notification, content, mark, legalNotice } = message;
  const { id, clientId, category, createdAt, status, reference } = notification;
  const language = messageLanguageOf(content, notification.language, citizenLanguage) ?? null;
  return {
    id,
    subject: content.subject ?? null,
    sender: (await senderOf(clientId)).name,
    category,
    language,
    createdAt: formatInstant(createdAt),
    receivedAt: formatInstant(receivedAtOf(notification)),
    opened: status === 'read',
    ...(legalNotice === undefined ? {} : { legalEffect: legalNotice }),
    senderId: clientId,
    reference,
    respondBy: content.respondBy ?? null,
    unread: isUnread(message),
    archived: mark.archived,
  };
}
