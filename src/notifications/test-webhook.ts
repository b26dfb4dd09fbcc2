import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { parsePublicUrl } from '../net/public-target.ts';
import { literalUnion } from './notification/notification-shape.ts';
import { feedEventTypes } from './webhooks/feed-store.ts';
import type { WebhookCallResult } from './webhooks/post-call.ts';
import { signedCallOf } from './webhooks/signed-call.ts';
import { testEventDataOf } from './webhooks/test-event.ts';
import { callOutcomeOf, callOutcomes } from './webhooks/webhook-call.ts';
import { callOutcomeDescription, findOwnWebhook, type WebhookPorts, webhookRequest } from './webhooks/webhook-shape.ts';
import type { Webhook } from './webhooks/webhook-store.ts';

const request = {
  ...webhookRequest,
  body: Type.Object(
    {
      type: Type.Optional(
        literalUnion(feedEventTypes, 'The type of the test event. Default: notification.delivery-ended.'),
      ),
    },
    { additionalProperties: false },
  ),
};

const resultShape = Type.Object(
  {
    eventId: Type.String({ description: 'The id of the test event, which is the webhook-id of the call.' }),
    type: Type.String({ description: 'The type of the test event.' }),
    outcome: literalUnion(callOutcomes, `The outcome of the call. ${callOutcomeDescription}`),
    httpStatus: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The HTTP status of the receiver. null: there was none.',
    }),
    durationMs: Type.Integer({ description: 'The duration of the call in milliseconds.' }),
  },
  { $id: 'WebhookTest', additionalProperties: false },
);

type TestCall = OperationCall<typeof request, WebhookPorts>;

/**
 * Calls a webhook once with a test event, and answers with the outcome. Nothing is stored: the event is not in the feed, and a failed call
 * is not repeated. A webhook that is disabled can be tested before its calls are queued again.
 */
export const testWebhook = defineOperation({
  name: 'testWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'Call a webhook with a test event',
  description:
    'Calls your webhook once with an invented event, signed like any other, and returns the outcome within 20 seconds. The event has the number 0 and data.test is true. It is not in the feed, its notification does not exist, and the call is not repeated. Two tests of your client can run at the same time.',
  request,
  responses: { 200: { description: 'The outcome of the call.', schema: resultShape } },
  refusals: ['webhook-not-found', 'capacity-reduced'],
  citizenData: false,
  run: async (call: TestCall) => {
    const webhook = await findOwnWebhook(call);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const release = call.ports.testSlots.acquire(call.caller);
    if (typeof release !== 'function') return { refusal: release };
    try {
      return { plain: { status: 200, json: await callOnce(call, webhook) } };
    } finally {
      release();
    }
  },
});

async function callOnce(call: TestCall, webhook: Webhook) {
  const { read, ports, now } = call;
  const { type = 'notification.delivery-ended' } = call.body;
  const event = { id: call.createId('event'), type, number: 0, at: now, data: testEventDataOf(type, call.createId) };
  const startedAt = performance.now();
  const url = parsePublicUrl(webhook.url, ports.allowPrivateTargets);
  const result: WebhookCallResult =
    url === undefined
      ? { failed: 'private-target' }
      : await ports.post(await signedCallOf({ read, webhookKey: ports.webhookKey }, { webhook, url, event, now }));
  return {
    eventId: event.id,
    type,
    outcome: callOutcomeOf(result),
    httpStatus: 'status' in result ? result.status : null,
    durationMs: Math.round(performance.now() - startedAt),
  };
}
