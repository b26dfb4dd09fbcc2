import { type Call, defineOperation } from '../../api/operation.ts';
import { refuse } from '../../kernel/problem.ts';
import type { WebhookPorts } from './webhook-ports.ts';
import { changed, findOwnWebhook, webhookParams, webhookShape, webhookView } from './webhook-shape.ts';
import { askRevival, countCalls } from './webhook-store.ts';

const request = { params: webhookParams };

/** Makes the calls again that were given up; a disabled webhook becomes active by it. */
export const redeliverWebhook = defineOperation({
  name: 'redeliverWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  scope: 'webhooks:manage',
  summary: 'Make the calls again that were given up',
  description: 'Each dead call is queued anew under its webhook-id, with all its attempts.',
  request,
  responses: { 202: { description: 'Queued.', schema: webhookShape } },
  refusals: ['webhook-not-found'],
  citizenData: true,
  run: async (call: Call<typeof request, WebhookPorts>) => {
    const webhook = await findOwnWebhook(call.read, call.params.id, call.caller.clientId);
    if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
    const then = { ...webhook, status: 'active', isReviving: true } as const;
    const json = webhookView(call.ports.webhookKey, then, await countCalls(call.read, webhook.id));
    return {
      effect: {
        events: [changed(call, webhook.id, 'redelivery-asked')],
        statements: [askRevival(webhook.id)],
      },
      answer: { status: 202, json },
      // Removed by another request meanwhile.
      onRefused: () => refuse('webhook-not-found'),
    };
  },
});
