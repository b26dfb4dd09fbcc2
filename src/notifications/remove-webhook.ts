import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { WebhookPorts } from './webhooks/webhook-ports.ts';
import {
  findOwnWebhook,
  webhookChangedEvent,
  webhookParams,
  webhookShape,
  webhookView,
} from './webhooks/webhook-shape.ts';
import { countCalls, markWebhookRemoved } from './webhooks/webhook-store.ts';

const request = { params: webhookParams };

/** Removes a webhook permanently. Its waiting calls are given up; the events stay in the feed. */
export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  scope: 'webhooks:manage',
  summary: 'Remove a webhook',
  description: 'It receives no more calls. The events stay in GET /v1/events.',
  request,
  responses: { 200: { description: 'The removed webhook.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const webhook = await findOwnWebhook(call.read, call.params.id, call.caller.clientId);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const calls = await countCalls(call.read, webhook.id);
    const json = webhookView(call.ports.webhookKey, { ...webhook, status: 'removed' }, calls);
    return {
      effect: {
        events: [webhookChangedEvent(call, webhook.id, 'removed')],
        statements: [markWebhookRemoved(webhook.id)],
      },
      answer: { status: 200, json },
      // Another request has removed it.
      onConflict: () => refuse('webhook-not-found'),
    };
  },
});
