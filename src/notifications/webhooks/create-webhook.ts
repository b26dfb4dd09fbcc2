import { Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import { toInstant } from '../../kernel/clock.ts';
import { refuse } from '../../kernel/problem.ts';
import { addressesOf, PrivateTarget, parseTarget } from './target.ts';
import type { WebhookPorts } from './webhook-ports.ts';
import { newSecret } from './webhook-secret.ts';
import { changed, webhookShape } from './webhook-shape.ts';
import { findWebhooks, insertWebhook } from './webhook-store.ts';

const mostWebhooks = 10;

const request = {
  body: Type.Object(
    {
      url: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Where to call: https, a public host, no name or password in it.',
      }),
    },
    { additionalProperties: false },
  ),
};

/** Makes a webhook; from now on each event of this client's feed is called to it, signed with the secret shown once. */
export const createWebhook = defineOperation({
  name: 'createWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'webhooks:manage',
  summary: 'Be called when something becomes of a notification',
  description:
    'Calls follow Standard Webhooks 1.0.0: webhook-id, webhook-timestamp and webhook-signature, repeated over 75 hours until a 2xx comes; 410 disables. The secret is in this answer only. What was missed is in GET /v1/events.',
  request,
  responses: { 201: { description: 'Made.', schema: webhookShape } },
  refusals: ['bad-request', 'conflict'],
  citizenData: true,
  run: async (call: Call<typeof request, WebhookPorts>) => {
    const { ports, caller, now } = call;
    const url = parseTarget(call.body.url, ports.allowPrivateTargets);
    if (url === undefined || (await isPrivate(url, ports))) {
      const detail = 'must be an https URL of a public host, without name, password or fragment';
      const issues = [{ in: 'body' as const, pointer: '/url', code: 'not-allowed', detail }];
      return { refusal: refuse('bad-request', 'See issues[].', { issues }) };
    }
    const present = await findWebhooks(call.read, caller.clientId);
    if (present.length >= mostWebhooks) {
      return { refusal: refuse('conflict', `A client has at most ${mostWebhooks} webhooks; remove one first.`) };
    }
    const id = call.mint('webhook');
    const { shown, sealed } = newSecret(ports.webhookKey, id, ports.random);
    const webhook = { id, clientId: caller.clientId, url: url.href, secret: sealed, createdAt: now };
    return {
      effect: { events: [changed(call, id, 'created')], statements: [insertWebhook(webhook)] },
      answer: {
        status: 201,
        headers: { 'cache-control': 'no-store' },
        json: {
          ...{ id, url: url.href, status: 'active', createdAt: toInstant(now), waiting: 0, dead: 0, secret: shown },
        },
      },
    };
  },
});

/** A name that does not resolve now may do so later: each call looks again. */
async function isPrivate(url: URL, { resolve, allowPrivateTargets }: WebhookPorts): Promise<boolean> {
  try {
    await addressesOf(url, resolve, allowPrivateTargets);
    return false;
  } catch (fault) {
    return fault instanceof PrivateTarget;
  }
}
