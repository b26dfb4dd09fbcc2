import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { findInboxPosition } from './inbox/citizen-inbox.ts';
import { inboxFilterProperties } from './inbox/inbox-filter.ts';
import { maxSearched, searchInboxMessages } from './inbox/search-inbox-messages.ts';
import { inboxItemShape, inboxItemsOf, inboxOverviewOf, inboxOverviewProperties } from './list-inbox-messages.ts';
import type { NotificationPorts } from './ports.ts';

const maxFound = 100;

const request = {
  body: Type.Object(
    {
      text: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Words that subject, text, reference or titles of documents must all contain. Case and accents do not count.',
      }),
      ...inboxFilterProperties,
      cursor: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The member `next` of the previous response. Default: the first page.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxFound, description: 'The maximum number of messages. Default: 100.' }),
      ),
    },
    { $id: 'SearchInboxBody', additionalProperties: false },
  ),
};

/** Searches the citizen's own messages. It opens none of them. */
export const searchInbox = defineOperation({
  name: 'searchInbox',
  since: '1.0',
  method: 'POST',
  path: '/v1/inbox/search',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Search my official messages',
  description: `For the citizen whom the token names. Newest first, by receivedAt. The messages are encrypted, so one request searches at most about ${maxSearched} of them; if \`next\` is not null, repeat the request with it as \`cursor\`. The searched words are stored nowhere.`,
  request,
  responses: {
    200: {
      description: 'The messages found.',
      schema: Type.Object({
        items: Type.Array(inboxItemShape),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The cursor with which the search continues. null: all messages were searched.',
        }),
        searched: Type.Integer({ description: 'The number of messages that this request searched.' }),
        ...inboxOverviewProperties,
      }),
    },
  },
  refusals: ['citizen-token-needed', 'bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { text, cursor: after, limit = maxFound, ...filter } = call.body;
    if (after !== undefined && (await findInboxPosition(call.read, citizenId, after)) === undefined) {
      const detail = 'must be `next` of an earlier response';
      return { refusal: refuseIssues([{ in: 'body', pointer: '/cursor', code: 'malformed', detail }]) };
    }
    const deps = { ...call.ports, read: call.read };
    const found = await searchInboxMessages(deps, citizenId, { text, filter, after, limit });
    const items = await inboxItemsOf(call, citizenId, found.messages);
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'inbox.searched', ...head, citizenId, shown: items.length }], statements: [] },
      answer: {
        status: 200,
        json: {
          items,
          next: found.next ?? null,
          searched: found.searched,
          ...(await inboxOverviewOf(call, citizenId)),
        },
      },
    };
  },
});
