import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { eventMembers } from './webhooks/event-shape.ts';
import { eventsPerQuery, feedEventTypes, findFeedEvents, findFeedHead } from './webhooks/feed-store.ts';

const defaultLimit = 100;
const typePattern = `(${feedEventTypes.map((type) => type.replace('.', '\\.')).join('|')})`;
const request = {
  query: Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 16,
          description:
            'The cursor after which the events start: the member after of the last response. Default: the first stored event.',
        }),
      ),
      types: Type.Optional(
        Type.String({
          pattern: `^${typePattern}(,${typePattern})*$`,
          maxLength: 800,
          description: `Only events of these types, separated by commas: ${feedEventTypes.join(', ')}. Default: all types.`,
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of events. Default: 100.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

const page = Type.Object({
  items: Type.Array(
    Type.Object(
      {
        id: Type.String({ description: 'The id of the event in the ledger, and the webhook-id of its calls.' }),
        ...eventMembers,
      },
      { $id: 'FeedEvent' },
    ),
  ),
  after: Type.String({
    description:
      'The cursor for the next request. It is unchanged if there are no new events. With types, it also passes the events of other types.',
  }),
  more: Type.Boolean({
    description:
      'true: the server has stored events after this cursor, so send the next request at once. With types, a page can have no items and more be true.',
  }),
});

/**
 * Reads the events that the webhooks report, in order and without gaps. They contain no personal data, and the ledger has them already,
 * so reading them is not recorded as a use of a citizen's data.
 */
export const readEvents = defineOperation({
  name: 'readEvents',
  since: '1.0',
  method: 'GET',
  path: '/v1/events',
  scope: 'events:read',
  callers: ['clients'],
  summary: 'Read the events of your client in order',
  description:
    'Returns the events of the notifications and presentations of your client. Store the member after, and send it with your next request: no event is missing and none is repeated. With types, you receive only events of these types, and the cursor is valid for other types too. The server keeps events for the number of days that the operator has set (default 180). It rejects a cursor of deleted events with 410.',
  request,
  responses: { 200: { description: 'The events after the cursor.', schema: page } },
  refusals: ['bad-request', 'cursor-expired'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, unknown>) => {
    const { limit = defaultLimit } = call.query;
    const { clientId } = call.caller;
    const after = call.query.after ?? String((await findFeedHead(call.read, clientId)).pruned);
    if (!/^\d{1,15}$/.test(after)) {
      const detail = 'must be after of an earlier response';
      return { refusal: refuseIssues([{ in: 'query', name: 'after', code: 'malformed', detail }]) };
    }
    const types = call.query.types?.split(',');
    // Read before the events: those that are numbered in between can be missing in the result of the query.
    const numbered = types === undefined ? 0 : (await findFeedHead(call.read, clientId)).last;
    const events = await findFeedEvents(call.read, { clientId, after: Number(after), limit, types });
    // Read after the events, so that a prune between the two queries cannot leave an unnoticed gap.
    const { pruned, last } = await findFeedHead(call.read, clientId);
    if (call.query.after !== undefined && Number(after) < pruned) {
      const detail = `The events up to number ${pruned} were deleted. Send after=${pruned} to read the stored events.`;
      return { refusal: refuse('cursor-expired', detail) };
    }
    // After a restore from a backup, numbers are assigned again. Without this refusal the client would miss those events.
    if (events.length === 0 && Number(after) > last) {
      const detail = `The last event has the number ${last}. The operator restored an older backup, or the cursor is from another client. Send after=${last}, and compare your events up to that number.`;
      return { refusal: refuse('cursor-expired', detail) };
    }
    const items = events.map(({ id, number, type, at, data }) => ({
      id,
      number,
      type,
      timestamp: formatInstant(at),
      data,
    }));
    const end = endOfPage({ after: Number(after), numbered, limit, types }, events);
    return { plain: { status: 200, json: { items, after: String(end), more: end < last } } };
  },
});

type PageBounds = {
  readonly after: number;
  /** The last number before the query. */
  readonly numbered: number;
  readonly limit: number;
  readonly types: readonly string[] | undefined;
};

/** The number up to which the page has all matching events. */
function endOfPage(
  { after, numbered, limit, types }: PageBounds,
  events: readonly { readonly number: number }[],
): number {
  const lastShown = events.at(-1)?.number ?? after;
  if (types === undefined || events.length === limit) return lastShown;
  return Math.max(lastShown, Math.min(numbered, after + eventsPerQuery));
}
