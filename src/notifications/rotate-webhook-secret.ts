import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { WebhookPorts } from './webhooks/webhook-ports.ts';
import { createWebhookSecret } from './webhooks/webhook-secret.ts';
import {
  findOwnWebhook,
  webhookChangedEvent,
  webhookParams,
  webhookShape,
  webhookView,
} from './webhooks/webhook-shape.ts';
import { countCalls, replaceWebhookSecret } from './webhooks/webhook-store.ts';

const secretOverlapMs = 86_400_000;
const request = { params: webhookParams };

/** Gives a webhook a new secret. For a day the previous secrets also sign, so that the receiver can change without missing a call. */
export const rotateWebhookSecret = defineOperation({
  name: 'rotateWebhookSecret',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate-secret',
  scope: 'webhooks:manage',
  summary: 'Give a webhook a new secret',
  description:
    'Only this response contains the new secret; with v1a it contains the new public key. For 24 hours calls have a signature of the new and of the previous secret.',
  request,
  responses: { 200: { description: 'The webhook with the new secret.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const webhook = await findOwnWebhook(call.read, call.params.id, call.caller.clientId);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const { shown, sealed } = createWebhookSecret(call.ports.webhookKey, webhook.id, call.ports.random);
    const until = call.now + secretOverlapMs;
    const renewed = { ...webhook, secret: sealed, previous: { secret: webhook.secret, until } };
    const calls = await countCalls(call.read, webhook.id);
    const json = webhookView(call.ports.webhookKey, renewed, calls, shown);
    return {
      effect: {
        events: [webhookChangedEvent(call, webhook.id, 'secret-rotated')],
        statements: replaceWebhookSecret(webhook.id, { secret: sealed, until, now: call.now }),
      },
      answer: { status: 200, headers: { 'cache-control': 'no-store' }, json },
      // Another request has removed it.
      onConflict: () => refuse('webhook-not-found'),
    };
  },
});
