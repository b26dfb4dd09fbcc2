import { readClient } from '../audit/read-client.ts';
import { listWebhookCalls } from '../notifications/list-webhook-calls.ts';
import { listWebhooks } from '../notifications/list-webhooks.ts';
import { actForService } from './act-for-service.ts';

const scopes = ['staff:send', 'staff:support'] as const;

/** Shows staff what is registered for the client of their service. */
export const readServiceClient = actForService({
  operation: readClient,
  name: 'readServiceClient',
  path: '/v1/staff/client',
  scopes,
  summary: 'Read the client of your service',
  description:
    'Returns what the operator has registered for the client of your service, its quotas, its requests of the last 7 days, and its credentials without secrets. You need the scope staff:send or staff:support.',
});

/** Lists the webhooks of the client of the person's service. */
export const listServiceWebhooks = actForService({
  operation: listWebhooks,
  name: 'listServiceWebhooks',
  path: '/v1/staff/webhooks',
  scopes,
  summary: 'List the webhooks of your service',
  description:
    'Lists all webhooks with the numbers of their queued and failed calls. You need the scope staff:send or staff:support.',
});

/** Lists the calls of a webhook. A call contains no data of a citizen. */
export const listServiceWebhookCalls = actForService({
  operation: listWebhookCalls,
  name: 'listServiceWebhookCalls',
  path: '/v1/staff/webhooks/{id}/calls',
  scopes,
  summary: 'List the calls of a webhook of your service',
  description:
    'Lists the calls with the outcome of the last attempt, those of the newest events first. To read the next page, send next as cursor. You need the scope staff:send or staff:support.',
});
