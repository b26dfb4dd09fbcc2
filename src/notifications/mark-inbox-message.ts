import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { findInboxMessage, isUnread } from './inbox/citizen-inbox.ts';
import { changeInboxMark, type InboxMarkChange } from './inbox/inbox-mark-store.ts';
import type { NotificationPorts } from './ports.ts';

const request = {
  params: Type.Object(
    { id: Type.String({ maxLength: 64, description: 'The id from the list.' }) },
    { additionalProperties: false },
  ),
};

type MarkCall = OperationCall<typeof request, NotificationPorts>;
type MarkEvent = 'inbox.archived' | 'inbox.restored' | 'inbox.marked-unread';

const described = {
  since: '1.0',
  method: 'POST',
  scope: 'citizen:self',
  callers: ['citizens'],
  request,
  responses: {
    200: {
      description: 'The present state.',
      schema: Type.Object(
        {
          id: Type.String(),
          unread: Type.Boolean({ description: 'true if the message is new, or if the citizen marked it as unread.' }),
          archived: Type.Boolean({ description: 'true if the citizen moved the message to the archive.' }),
        },
        { $id: 'InboxMark' },
      ),
    },
  },
  refusals: ['citizen-token-needed', 'notification-not-found'],
  citizenData: true,
} as const;

const unchanged =
  'For the citizen whom the token names. It changes neither the status of the notification nor its evidence, and its sender does not learn of it.';

/** Moves a message of the citizen to the archive. */
export const archiveInboxMessage = defineOperation({
  ...described,
  name: 'archiveInboxMessage',
  path: '/v1/inbox/{id}/archive',
  summary: 'Archive one of my messages',
  description: unchanged,
  run: (call: MarkCall) => markMessage(call, 'inbox.archived', { archived: true }),
});

/** Moves a message of the citizen from the archive back to the inbox. */
export const restoreInboxMessage = defineOperation({
  ...described,
  name: 'restoreInboxMessage',
  path: '/v1/inbox/{id}/restore',
  summary: 'Move one of my messages back to the inbox',
  description: unchanged,
  run: (call: MarkCall) => markMessage(call, 'inbox.restored', { archived: false }),
});

/** Marks a message of the citizen as unread, until it is opened again. */
export const markInboxMessageUnread = defineOperation({
  ...described,
  name: 'markInboxMessageUnread',
  path: '/v1/inbox/{id}/unread',
  summary: 'Mark one of my messages as unread',
  description: `${unchanged} The next opening removes the mark.`,
  run: (call: MarkCall) => markMessage(call, 'inbox.marked-unread', { unread: true }),
});

async function markMessage(call: MarkCall, type: MarkEvent, change: InboxMarkChange) {
  const { citizenId } = call.caller;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const found = await findInboxMessage(call.read, citizenId, call.params.id);
  if (found === undefined) return { refusal: refuse('notification-not-found') };
  const { notification } = found;
  const mark = { ...found.mark, ...change };
  const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
  return {
    effect: {
      events: [{ type, ...head, citizenId, notification: notification.id }] as const,
      statements: [changeInboxMark(notification.id, change)],
    },
    answer: {
      status: 200,
      json: { id: notification.id, unread: isUnread({ notification, mark }), archived: mark.archived },
    },
  };
}
