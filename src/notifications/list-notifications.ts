import { type Static, Type } from 'typebox';
import { cursorSchema, nextCursorSchema, pageOf, unknownCursor } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { maxCitizenIdLength } from '../kernel/id.ts';
import { type Issue, refuseIssues } from '../kernel/refusal.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { type Notification, notificationStatuses } from './notification/notification.ts';
import { withDeliveries } from './notification/notification-details.ts';
import { cursorAfter, findNotificationPage, parseNotificationCursor } from './notification/notification-list-store.ts';
import {
  literalUnion,
  notificationSummaryOf,
  notificationSummaryShape,
  optionalInstantSchema,
} from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';

const defaultLimit = 25;

const query = Type.Object(
  {
    reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only notifications with exactly this reference.' }),
    ),
    citizenId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxCitizenIdLength,
        description: 'Only notifications to the citizen with this id.',
      }),
    ),
    status: Type.Optional(
      literalUnion(notificationStatuses, 'Only notifications in this status, after the last stored outcome.'),
    ),
    createdFrom: optionalInstantSchema('Only notifications that the server accepted at this time or later (RFC 3339).'),
    createdBefore: optionalInstantSchema('Only notifications that the server accepted before this time (RFC 3339).'),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of notifications. Default: 25.' }),
    ),
    cursor: cursorSchema({ minLength: 1, maxLength: 100 }),
  },
  { additionalProperties: false },
);

const request = { query };

const pageShape = Type.Object({
  items: Type.Array(notificationSummaryShape),
  next: nextCursorSchema,
});

/** Lists the notifications that the client sent, newest first. Each listed notification is a use of a citizen's data, with an event. */
export const listNotifications = defineOperation({
  name: 'listNotifications',
  since: '1.0',
  method: 'GET',
  path: '/v1/notifications',
  scope: 'notifications:read',
  callers: ['clients'],
  summary: 'List the notifications that your client sent',
  description:
    'Lists notifications with the outcome of each channel, newest first. You can filter by reference, citizen, status and time of acceptance. To read the next page, send next as cursor.',
  request,
  responses: { 200: { description: 'One page of notifications.', schema: pageShape } },
  refusals: ['bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { limit = defaultLimit, reference, citizenId, status } = call.query;
    const bounds = parseBounds(call.query);
    if (bounds.issues.length > 0) return { refusal: refuseIssues(bounds.issues) };
    const filter = { clientId: call.caller.clientId, reference, citizenId, status, ...bounds };
    const found = await findNotificationPage(call.read, filter, limit + 1);
    const { items, next } = pageOf(found, limit, cursorAfter);
    const listed = await withDeliveries(call.read, items);
    return {
      effect: { events: eventsOf(call, items), statements: [] },
      answer: { status: 200, json: { items: listed.map((one) => notificationSummaryOf(one, call.caller)), next } },
    };
  },
});

/** The instant of a filter in epoch milliseconds. Adds the issue of an instant that does not exist. */
export function parseInstantFilter(name: string, text: string | undefined, issues: Issue[]): number | undefined {
  const value = text === undefined ? undefined : Date.parse(text);
  if (value === undefined || value >= 0) return value;
  issues.push({ in: 'query', name, code: 'malformed', detail: 'must be an instant after 1969 without a leap second' });
  return undefined;
}

function parseBounds({ createdFrom, createdBefore, cursor }: Static<typeof query>) {
  const issues: Issue[] = [];
  const from = parseInstantFilter('createdFrom', createdFrom, issues);
  const before = parseInstantFilter('createdBefore', createdBefore, issues);
  const position = cursor === undefined ? undefined : parseNotificationCursor(cursor);
  if (cursor !== undefined && position === undefined) issues.push(unknownCursor);
  return { from, before, position, issues };
}

function eventsOf(
  call: OperationCall<typeof request, NotificationPorts>,
  shown: readonly Notification[],
): [LedgerEvent, ...LedgerEvent[]] {
  const head = () => ({ id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } });
  return [
    { type: 'notifications.listed', ...head(), shown: shown.length },
    ...shown.map((one): LedgerEvent => {
      return { type: 'notification.status-read', ...head(), citizenId: one.citizenId, notification: one.id };
    }),
  ];
}
