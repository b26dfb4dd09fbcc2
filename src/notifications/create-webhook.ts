import { Type } from 'typebox';
import { defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { invalidAccessToken } from '../auth/challenge.ts';
import { findClient } from '../auth/client-store.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { parsePublicUrl } from '../net/public-target.ts';
import { literalUnion } from './notification/notification-shape.ts';
import { eventCall } from './webhooks/event-shape.ts';
import { findWebhookHosts } from './webhooks/webhook-host-store.ts';
import {
  createWebhookSecret,
  openStoredAnswer,
  sealStoredAnswer,
  signatureSchemes,
} from './webhooks/webhook-secret.ts';
import { type WebhookPorts, webhookChangedEvent, webhookShape, webhookView } from './webhooks/webhook-shape.ts';
import { insertWebhook, maxWebhooks } from './webhooks/webhook-store.ts';

const request = {
  body: Type.Object(
    {
      url: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'The URL that the server calls. It has https and a public host, and no user name, password or fragment.',
      }),
      signature: Type.Optional(
        literalUnion(
          signatureSchemes,
          'The signature of the calls. v1: HMAC with a shared secret. v1a: Ed25519, which you verify with a public key. Default: v1.',
        ),
      ),
    },
    { additionalProperties: false },
  ),
};

type CreateCall = OperationCall<typeof request, WebhookPorts>;

/** Creates a webhook. It is called with each later event of the client's feed, signed with the secret that is shown once. */
export const createWebhook = defineOperation({
  name: 'createWebhook',
  since: '1.0',
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'webhooks:manage',
  callers: ['clients'],
  summary: 'Create a webhook for the events of your notifications',
  description:
    'Registers a URL that the server calls with each event (Standard Webhooks 1.0.0). The server repeats a call for up to 75 hours until the receiver responds with 2xx; 410 disables the webhook. Only this response contains the secret, also if you repeat it with the same Idempotency-Key; v1a has a public key instead. GET /v1/events has the events that you missed.',
  request,
  responses: {
    201: {
      description: 'Created.',
      schema: webhookShape,
      headers: { 'Idempotent-Replayed': 'true if the server repeats an earlier response.' },
    },
  },
  refusals: ['bad-request', 'conflict'],
  webhook: eventCall,
  idempotent: true,
  openStoredBody: (stored, { webhookKey }: WebhookPorts) => openStoredAnswer(webhookKey, stored),
  citizenData: true,
  run: async (call: CreateCall) => {
    const { ports, caller, now } = call;
    const url = parsePublicUrl(call.body.url, ports.allowPrivateTargets);
    const isPrivate = url === undefined || (await ports.isPrivateHost(url, caller.clientId));
    if (typeof isPrivate === 'object') return { refusal: isPrivate };
    const fault = url === undefined || isPrivate ? notPublicDetail : await hostNotAgreedDetail(call, url);
    if (url === undefined || fault !== undefined) {
      const detail = fault ?? notPublicDetail;
      return { refusal: refuseIssues([{ in: 'body', pointer: '/url', code: 'not-allowed', detail }]) };
    }
    const id = call.createId('webhook');
    const { shown, sealed } = createWebhookSecret(ports.webhookKey, id, ports.random);
    const { signature = 'v1' } = call.body;
    const webhook = { id, clientId: caller.clientId, url: url.href, signature, secret: sealed, createdAt: now };
    const created = { ...webhook, status: 'active', previous: undefined, isRedelivering: false } as const;
    return {
      effect: { events: [webhookChangedEvent(call, id, 'created')], statements: insertWebhook(webhook) },
      answer: { status: 201, json: webhookView(ports.webhookKey, created, { waiting: 0, dead: 0 }, shown) },
      sealBody: (body) => sealStoredAnswer(ports.webhookKey, body, ports.random),
      onConflict: () => createRefusalOf(call),
    };
  },
});

/** A client that was disabled in the meantime gets the refusal of the authorizer, because removing a webhook would not help. */
async function createRefusalOf({ read, caller }: CreateCall): Promise<RefusedDecision> {
  const client = await findClient(read, caller.clientId);
  if (client?.disabledAt !== undefined) return { refusal: invalidAccessToken(caller.scheme) };
  return { refusal: refuse('conflict', `A client has at most ${maxWebhooks} webhooks; remove one first.`) };
}

const notPublicDetail = 'must be an https URL of a public host, without user name, password or fragment';

/** An operator can limit the hosts of a client's webhooks (`webhooks hosts`). */
async function hostNotAgreedDetail({ read, caller }: CreateCall, url: URL): Promise<string | undefined> {
  const hosts = await findWebhookHosts(read, caller.clientId);
  if (hosts.length === 0 || hosts.includes(url.hostname)) return undefined;
  return 'must be at one of the hosts that were agreed for this client; ask the operator to add it';
}
