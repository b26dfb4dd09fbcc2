import { defineOperation } from '../api/operation.ts';
import { createWebhookSecret } from './webhooks/webhook-secret.ts';
import { changeOwnWebhook, type WebhookCall, webhookRequest, webhookShape } from './webhooks/webhook-shape.ts';
import { replaceWebhookSecret } from './webhooks/webhook-store.ts';

const secretOverlapMs = 86_400_000;

/** Gives a webhook a new secret. For a day the previous secrets also sign, so that the receiver can change without missing a call. */
export const rotateWebhookSecret = defineOperation({
  name: 'rotateWebhookSecret',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate-secret',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret. Only this response contains it; with v1a, the response has the new public key. For 24 hours, calls have signatures of the new and of the previous secret.',
  request: webhookRequest,
  responses: { 200: { description: 'The webhook with its new secret.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: (call: WebhookCall) =>
    changeOwnWebhook(call, 200, (webhook) => {
      const { shown, sealed } = createWebhookSecret(call.ports.webhookKey, webhook.id, call.ports.random);
      const until = call.now + secretOverlapMs;
      return {
        change: 'secret-rotated',
        changed: { ...webhook, secret: sealed, previous: { secret: webhook.secret, until } },
        statements: replaceWebhookSecret(webhook.id, { secret: sealed, until, now: call.now }),
        secret: shown,
      };
    }),
});
