import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { type WebhookPorts, webhookShape, webhookView } from './webhooks/webhook-shape.ts';
import { findWebhooksWithCounts } from './webhooks/webhook-store.ts';

const request = {};

/** Lists the webhooks of the client with the counts of their calls. Secrets are not shown again. */
export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  since: '1.0',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'List the webhooks of your client',
  description: 'Lists all webhooks with the numbers of their queued and failed calls.',
  request,
  responses: {
    200: { description: 'The webhooks, oldest first.', schema: Type.Object({ items: Type.Array(webhookShape) }) },
  },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const found = await findWebhooksWithCounts(call.read, call.caller.clientId);
    const items = found.map(({ webhook, calls }) => webhookView(call.ports.webhookKey, webhook, calls));
    return { plain: { status: 200, json: { items } } };
  },
});
