import { Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import { toInstant } from '../../kernel/clock.ts';
import { refusalOfIssues, refuse } from '../../kernel/problem.ts';
import { Unavailable } from '../../kernel/unavailable.ts';
import { categories } from '../notification.ts';
import { oneOf } from '../notification-shape.ts';
import type { NotificationPorts } from '../ports.ts';
import { languageOfMessage } from '../sealed-content.ts';
import { type InboxMessage, listInbox, placeInInbox, receivedAt } from './citizen-inbox.ts';

const mostMessages = 100;

const request = {
  query: Type.Object(
    {
      before: Type.Optional(Type.String({ maxLength: 64, description: 'next of an earlier answer: the older ones.' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: mostMessages, description: 'At most so many; default 100.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

/** A message in the list of the inbox. */
export const inboxItem = {
  id: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()]),
  sender: Type.String({ description: 'The name of the service that sent it.' }),
  category: oneOf(categories, 'What kind of message it is.'),
  language: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.String({ format: 'date-time', description: 'When its sender handed it in.' }),
  receivedAt: Type.String({
    format: 'date-time',
    description: 'When it came to lie in the inbox: then, or at the time that its sender had named.',
  }),
  opened: Type.Boolean({ description: 'Whether it was opened before.' }),
};

/** The citizen's own inbox, newest first. The list opens nothing: that is `openInboxMessage`. */
export const listInboxMessages = defineOperation({
  name: 'listInboxMessages',
  since: '1.0',
  method: 'GET',
  path: '/v1/inbox',
  scope: 'citizen:self',
  summary: 'My official messages',
  description:
    'For the citizen whom the token names (claim citizen_id of a trusted issuer). Newest first, by receivedAt.',
  request,
  responses: {
    200: {
      description: 'A page of them.',
      schema: Type.Object({
        items: Type.Array(Type.Object(inboxItem)),
        next: Type.Optional(Type.String({ description: 'before of the next page; absent on the last.' })),
      }),
    },
  },
  refusals: ['citizen-token-needed', 'bad-request'],
  citizenData: true,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { before: last, limit = mostMessages } = call.query;
    const before = last === undefined ? undefined : await placeInInbox(call.read, citizenId, last);
    if (last !== undefined && before === undefined) {
      const issue = {
        in: 'query',
        name: 'before',
        code: 'malformed',
        detail: 'must be next of an earlier answer',
      } as const;
      return { refusal: refusalOfIssues([issue]) };
    }
    const { messages, next } = await listInbox({ ...call.ports, read: call.read }, citizenId, { limit, before });
    const own = await languageOf(call.ports, citizenId);
    const items = await Promise.all(messages.map((message) => itemOf(message, call.ports, own)));
    const head = { id: call.mint('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'inbox.listed', ...head, citizenId, shown: items.length }], statements: [] },
      answer: { status: 200, json: { items, ...(next === undefined ? {} : { next }) } },
    };
  },
});

/** The language of the citizen; undefined while the register cannot be asked: messages are read without it. */
export async function languageOf(
  { contactOf }: Pick<NotificationPorts, 'contactOf'>,
  citizenId: string,
): Promise<string | undefined> {
  try {
    return (await contactOf(citizenId))?.language;
  } catch (fault) {
    if (fault instanceof Unavailable) return undefined;
    throw fault;
  }
}

/** A message as the list has it; `own` is the language of the citizen. */
export async function itemOf(
  { notification, content }: InboxMessage,
  { senderOf }: NotificationPorts,
  own: string | undefined,
) {
  const { id, clientId, category, createdAt, status } = notification;
  const language = languageOfMessage(content, notification.language, own) ?? null;
  return {
    ...{ id, subject: content.subject ?? null, sender: (await senderOf(clientId)).name, category, language },
    ...{ createdAt: toInstant(createdAt), receivedAt: toInstant(receivedAt(notification)), opened: status === 'read' },
  };
}
