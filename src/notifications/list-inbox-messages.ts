import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import { findInboxPage, findInboxPosition, type InboxMessage, receivedAtOf } from './inbox/citizen-inbox.ts';
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
      cursor: Type.Optional(
        Type.String({ maxLength: 64, description: 'The member `next` of the previous page. Default: the first page.' }),
      ),
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
    'Lists the messages to the citizen whom the token names (claim citizen_id of a trusted issuer), newest receivedAt first.',
  request,
  responses: {
    200: {
      description: 'One page of messages.',
      schema: Type.Object({
        items: Type.Array(Type.Object(inboxItemProperties, { $id: 'InboxItem' })),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The cursor of the next page. null: this is the last page.',
        }),
      }),
    },
  },
  refusals: ['citizen-token-needed', 'bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { cursor: last, limit = maxMessages } = call.query;
    const before = last === undefined ? undefined : await findInboxPosition(call.read, citizenId, last);
    if (last !== undefined && before === undefined) {
      const detail = 'must be `next` of an earlier page';
      return { refusal: refuseIssues([{ in: 'query', name: 'cursor', code: 'malformed', detail }]) };
    }
    const { messages, next } = await findInboxPage({ ...call.ports, read: call.read }, citizenId, { limit, before });
    const language = await citizenLanguageOf(call.ports, citizenId);
    const items = await Promise.all(
      messages.map(async (message) => {
        const legalNotice = await findLegalNotice({ ...call.ports, read: call.read }, message.notification, call);
        return await inboxItemOf({ ...message, legalNotice }, call.ports, language);
      }),
    );
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'inbox.listed', ...head, citizenId, shown: items.length }], statements: [] },
      answer: { status: 200, json: { items, next: next ?? null } },
    };
  },
});

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
  { notification, content, legalNotice }: InboxMessage & { readonly legalNotice: LegalNotice | undefined },
  { senderOf }: NotificationPorts,
  citizenLanguage: string | undefined,
) {
  const { id, clientId, category, createdAt, status } = notification;
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
  };
}
