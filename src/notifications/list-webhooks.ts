import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { WebhookPorts } from './webhooks/webhook-ports.ts';
import { webhookShape, webhookView } from './webhooks/webhook-shape.ts';
import { findWebhooksWithCounts } from './webhooks/webhook-store.ts';

const request = {};

/** Lists the webhooks of the client with the counts of their calls. Secrets are not shown again. */
export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  since: '1.0',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:manage',
  summary: 'The webhooks of this client',
  description: 'With the number of waiting calls and of calls that were given up.',
  request,
  responses: { 200: { description: 'All webhooks.', schema: Type.Object({ items: Type.Array(webhookShape) }) } },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, WebhookPorts>) => {
    const found = await findWebhooksWithCounts(call.read, call.caller.clientId);
    const items = found.map(({ webhook, calls }) => webhookView(call.ports.webhookKey, webhook, calls));
    return { plain: { status: 200, json: { items } } };
  },
});
