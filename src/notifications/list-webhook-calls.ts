import { type Static, Type } from 'typebox';
import { cursorSchema, nextCursorSchema, pageOf } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { idPatternSource, parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { instantSchema, literalUnion } from './notification/notification-shape.ts';
import { callOutcomes, callStates, type ListedCall } from './webhooks/webhook-call.ts';
import { findCallPage } from './webhooks/webhook-call-store.ts';
import { callOutcomeDescription, findOwnWebhook, type WebhookPorts, webhookRequest } from './webhooks/webhook-shape.ts';

const defaultLimit = 25;

const request = {
  ...webhookRequest,
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of calls. Default: 25.' }),
      ),
      cursor: cursorSchema({ pattern: idPatternSource('event') }),
    },
    { additionalProperties: false },
  ),
};

const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const callShape = Type.Object(
  {
    eventId: Type.String({ description: 'The id of the event, which is the webhook-id of the call.' }),
    type: Type.String({ description: 'The type of the event.' }),
    eventAt: instantSchema('The time of the event.'),
    state: literalUnion(
      callStates,
      'waiting: the server makes another attempt. done: the receiver accepted the call. dead: the server has given up; the redeliver operation queues it again.',
    ),
    attempts: Type.Integer({ description: 'The number of attempts, including one in progress.' }),
    calledAt: orNull(Type.String({ format: 'date-time' }), 'The time of the last attempt. null: none has ended.'),
    durationMs: orNull(Type.Integer(), 'The duration of the last attempt in milliseconds. null: none has ended.'),
    outcome: orNull(literalUnion(callOutcomes), `The outcome of the last attempt. ${callOutcomeDescription}`),
    httpStatus: orNull(Type.Integer(), 'The HTTP status of the last attempt. null: there was none.'),
    nextAttemptAt: orNull(
      Type.String({ format: 'date-time' }),
      'The earliest time of the next attempt. null: no attempt follows.',
    ),
  },
  { $id: 'WebhookCall', additionalProperties: false },
);

/** Lists the calls of a webhook of the client, with the last attempt of each. A call contains no data of a citizen. */
export const listWebhookCalls = defineOperation({
  name: 'listWebhookCalls',
  since: '1.0',
  method: 'GET',
  path: '/v1/webhooks/{id}/calls',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'List the calls of a webhook',
  description:
    'Lists the calls of your webhook with the outcome of the last attempt, those of the newest events first. The server keeps a call as long as its event. To read the next page, send next as cursor.',
  request,
  responses: {
    200: {
      description: 'One page of calls.',
      schema: Type.Object({
        items: Type.Array(callShape),
        next: nextCursorSchema,
      }),
    },
  },
  refusals: ['webhook-not-found'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const webhook = await findOwnWebhook(call);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const { limit = defaultLimit, cursor } = call.query;
    const before = cursor === undefined ? undefined : parseId('event', cursor);
    const found = await findCallPage(call.read, { webhook: webhook.id, before, limit: limit + 1 });
    const { items, next } = pageOf(found, limit, ({ eventId }) => eventId);
    const isActive = webhook.status === 'active';
    return { plain: { status: 200, json: { items: items.map((one) => callView(one, isActive)), next } } };
  },
});

/** The JSON of a call. The worker gives up the waiting calls of a disabled webhook, so none of them has a next attempt. */
function callView({ state, runAt, last, ...call }: ListedCall, isActive: boolean): Static<typeof callShape> {
  const isWaiting = state === 'waiting' && isActive;
  return {
    eventId: call.eventId,
    type: call.type,
    eventAt: formatInstant(call.eventAt),
    state: state === 'waiting' && !isActive ? 'dead' : state,
    attempts: call.attempts,
    calledAt: last === undefined ? null : formatInstant(last.startedAt),
    durationMs: last?.durationMs ?? null,
    outcome: last?.outcome ?? null,
    httpStatus: last?.answer ?? null,
    nextAttemptAt: isWaiting ? formatInstant(runAt) : null,
  };
}
