import { defineOperation } from '../api/operation.ts';
import { changeOwnWebhook, type WebhookCall, webhookRequest, webhookShape } from './webhooks/webhook-shape.ts';
import { markWebhookRemoved } from './webhooks/webhook-store.ts';

/** Removes a webhook permanently. The worker gives up its waiting calls; the events stay in the feed. */
export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'Remove a webhook',
  description: 'Removes a webhook: it receives no more calls. Its events remain in GET /v1/events.',
  request: webhookRequest,
  responses: { 200: { description: 'The removed webhook.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: (call: WebhookCall) =>
    changeOwnWebhook(call, 200, (webhook) => ({
      change: 'removed',
      changed: { ...webhook, status: 'removed' },
      statements: [markWebhookRemoved(webhook.id)],
    })),
});
