import { Type } from 'typebox';
import { nextCursorSchema } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { findInboxPage, findInboxPosition, type InboxMessage } from './inbox/citizen-inbox.ts';
import { attachmentListShape, inboxItemProperties, inboxItemsOf } from './list-inbox-messages.ts';
import { blocksOf } from './notification/message-content.ts';
import type { NotificationPorts } from './ports.ts';
import { defaultSubject, messageNumberText } from './rendering/mail-text.ts';
import { renderMessageHtml } from './rendering/message-html.ts';

const maxExported = 50;

const request = {
  body: Type.Object(
    {
      cursor: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The member `next` of the previous response. Default: the first page.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxExported, description: 'The maximum number of messages. Default: 50.' }),
      ),
    },
    { $id: 'ExportInboxBody', additionalProperties: false },
  ),
};

const exportedShape = Type.Object(
  {
    ...inboxItemProperties,
    message: Type.Union([Type.String(), Type.Null()], {
      description: 'The text as sent; null if the citizen has not opened the message.',
    }),
    html: Type.Union([Type.String(), Type.Null()], {
      description: 'The message as an HTML page with all texts escaped; null if the citizen has not opened it.',
    }),
    attachments: attachmentListShape,
  },
  { $id: 'ExportedMessage' },
);

/** Reads a page of the inbox with the texts of opened messages. It opens no message, so it has no text of the others. */
export const exportInbox = defineOperation({
  name: 'exportInbox',
  since: '1.0',
  method: 'POST',
  path: '/v1/inbox/export',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Download my official messages',
  description:
    'For the citizen whom the token names. All messages with their texts, newest first, with the archived ones. Reading a text for the first time can have a legal effect, so messages that were never opened have no text here: open them one by one.',
  request,
  responses: {
    200: {
      description: 'One page.',
      schema: Type.Object({
        items: Type.Array(exportedShape),
        next: nextCursorSchema,
      }),
    },
  },
  refusals: ['citizen-token-needed', 'bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const { cursor, limit = maxExported } = call.body;
    const before = cursor === undefined ? undefined : await findInboxPosition(call.read, citizenId, cursor);
    if (cursor !== undefined && before === undefined) {
      const detail = 'must be `next` of an earlier page';
      return { refusal: refuseIssues([{ in: 'body', pointer: '/cursor', code: 'malformed', detail }]) };
    }
    const { messages, next } = await findInboxPage({ ...call.ports, read: call.read }, citizenId, { limit, before });
    const items = await inboxItemsOf(call, citizenId, messages);
    const exported = messages.map((message, index) => ({ ...items[index], ...textsOf(message, items[index]) }));
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'inbox.exported', ...head, citizenId, shown: items.length }], statements: [] },
      answer: { status: 200, json: { items: exported, next: next ?? null } },
    };
  },
});

type Rendered = { readonly language: string | null; readonly sender: string } | undefined;

/** The texts of a message that was opened; a citizen must not read an official message before its opening is recorded. */
function textsOf({ notification, content }: InboxMessage, item: Rendered) {
  if (notification.status !== 'read' || item === undefined) return { message: null, html: null, attachments: [] };
  const language = item.language ?? undefined;
  const { sender } = item;
  const title = content.subject ?? defaultSubject(language, sender);
  const references = [messageNumberText(language, notification.id)];
  const html = renderMessageHtml({ title, language, blocks: blocksOf(content), sender, references });
  return { message: content.message, html, attachments: content.attachments ?? [] };
}
