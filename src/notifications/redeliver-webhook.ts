import { defineOperation } from '../api/operation.ts';
import { changeOwnWebhook, type WebhookCall, webhookRequest, webhookShape } from './webhooks/webhook-shape.ts';
import { requestRedelivery } from './webhooks/webhook-store.ts';

/** Queues the failed calls of a webhook again. A disabled webhook becomes active. */
export const redeliverWebhook = defineOperation({
  name: 'redeliverWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'Queue the failed calls of a webhook again',
  description: 'Queues all failed calls. Each call keeps its webhook-id and starts again with its first attempt.',
  request: webhookRequest,
  responses: { 202: { description: 'Queued.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: (call: WebhookCall) =>
    changeOwnWebhook(call, 202, (webhook) => ({
      change: 'redelivery-asked',
      changed: { ...webhook, status: 'active', isRedelivering: true },
      statements: [requestRedelivery(webhook.id)],
    })),
});
