import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { eventMembers } from './webhooks/event-shape.ts';
import { findFeedEvents, findFeedHead } from './webhooks/feed-store.ts';

const defaultLimit = 100;
const request = {
  query: Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 16,
          description: 'The cursor of the last event you have; without it from the first that is kept.',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most (100).' })),
    },
    { additionalProperties: false },
  ),
};

const page = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The id of the event in the ledger, and the webhook-id of its calls.' }),
      ...eventMembers,
    }),
  ),
  after: Type.String({ description: 'The cursor for the next request; the same as before where nothing is new.' }),
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
  summary: 'What became of the notifications of this client, in order',
  description:
    'Keep after, and ask again with it: no event is missing, none comes twice. Events are kept for the days that the operator states (180); a cursor from before them is refused with 410, never answered with a gap.',
  request,
  responses: { 200: { description: 'The events after the cursor.', schema: page } },
  refusals: ['bad-request', 'cursor-expired'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, unknown>) => {
    const { limit = defaultLimit } = call.query;
    const { clientId } = call.caller;
    const after = call.query.after ?? String((await findFeedHead(call.read, clientId)).pruned);
    if (!/^\d{1,15}$/.test(after)) {
      const issues = [
        { in: 'query' as const, name: 'after', code: 'malformed', detail: 'must be after of an earlier answer' },
      ];
      return { refusal: refuseIssues(issues) };
    }
    const events = await findFeedEvents(call.read, clientId, Number(after), limit);
    // Read after the events, so that a prune between the two queries cannot leave an unnoticed gap.
    const { pruned, last } = await findFeedHead(call.read, clientId);
    if (call.query.after !== undefined && Number(after) < pruned) {
      const detail = `The events up to number ${pruned} are no longer kept; ask with after=${pruned} for those that are.`;
      return { refusal: refuse('cursor-expired', detail) };
    }
    // After a restore from a backup, numbers are assigned again. Without this refusal the client would miss those events.
    if (events.length === 0 && Number(after) > last) {
      const detail = `The last event has the number ${last}; the operator has restored an older state, or the cursor is of another client. Ask with after=${last}, and compare what you have of the numbers up to it.`;
      return { refusal: refuse('cursor-expired', detail) };
    }
    const items = events.map(({ id, number, type, at, data }) => ({
      id,
      number,
      type,
      timestamp: formatInstant(at),
      data,
    }));
    return { plain: { status: 200, json: { items, after: String(events.at(-1)?.number ?? after) } } };
  },
});
