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
import { countCalls, requestRedelivery } from './webhooks/webhook-store.ts';

const request = { params: webhookParams };

/** Repeats the calls that were given up. A disabled webhook becomes active. */
export const redeliverWebhook = defineOperation({
  name: 'redeliverWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  scope: 'webhooks:manage',
  summary: 'Repeat the calls that were given up',
  description: 'Each dead call is queued again with its webhook-id and a full number of attempts.',
  request,
  responses: { 202: { description: 'The calls are queued.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const webhook = await findOwnWebhook(call.read, call.params.id, call.caller.clientId);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const updated = { ...webhook, status: 'active', isRedelivering: true } as const;
    const json = webhookView(call.ports.webhookKey, updated, await countCalls(call.read, webhook.id));
    return {
      effect: {
        events: [webhookChangedEvent(call, webhook.id, 'redelivery-asked')],
        statements: [requestRedelivery(webhook.id)],
      },
      answer: { status: 202, json },
      // Another request has removed it.
      onConflict: () => refuse('webhook-not-found'),
    };
  },
});
