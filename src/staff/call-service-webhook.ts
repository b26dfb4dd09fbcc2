import type { Read } from '../db/database.ts';
import { redeliverWebhook } from '../notifications/redeliver-webhook.ts';
import { testWebhook } from '../notifications/test-webhook.ts';
import { expectedCallCounts, findOwnWebhook } from '../notifications/webhooks/webhook-shape.ts';
import { countCalls } from '../notifications/webhooks/webhook-store.ts';
import { actForService } from './act-for-service.ts';

const scopes = ['staff:send', 'staff:support'] as const;

/** Queues the failed calls of a webhook again. */
export const redeliverServiceWebhook = actForService({
  operation: redeliverWebhook,
  name: 'redeliverServiceWebhook',
  path: '/v1/staff/webhooks/{id}/redeliver',
  scopes,
  summary: 'Queue the failed calls of a webhook of your service again',
  description:
    'Queues all failed calls. A disabled webhook becomes active. The staff log records this. You need the scope staff:send or staff:support.',
  before: webhookStateOf,
  after: ({ status, waiting, dead }) => ({ status, waiting, dead }),
});

/** Calls a webhook once with a test event. Nothing is stored. */
export const testServiceWebhook = actForService({
  operation: testWebhook,
  name: 'testServiceWebhook',
  path: '/v1/staff/webhooks/{id}/test',
  scopes,
  summary: 'Call a webhook of your service with a test event',
  description:
    'Calls the webhook once with an invented event, and returns the outcome within 20 seconds. You need the scope staff:send or staff:support.',
});

/** The state of a webhook for the staff log. */
async function webhookStateOf(read: Read, id: string, clientId: string): Promise<unknown> {
  const webhook = await findOwnWebhook({ read, params: { id }, caller: { clientId } });
  if (webhook === undefined) return undefined;
  return { status: webhook.status, ...expectedCallCounts(webhook, await countCalls(read, webhook.id)) };
}
