import { Type } from 'typebox';
import type { Decision, OperationCall, RefusedDecision } from '../../api/operation.ts';
import type { createConcurrencyLimiter } from '../../auth/concurrency-limiter.ts';
import type { Statement } from '../../db/database.ts';
import { formatInstant, type RandomBytes } from '../../kernel/clock.ts';
import { parseId, type WebhookId } from '../../kernel/id.ts';
import { refuse } from '../../kernel/refusal.ts';
import type { SystemEvent } from '../../ledger/ledger-event.ts';
import { instantSchema } from '../notification/notification-shape.ts';
import type { PostWebhookCall } from './post-call.ts';
import type { PrivateHostCheck } from './private-host-check.ts';
import { openWebhookSecret, webhookPublicKeyOf } from './webhook-secret.ts';
import { type CallCounts, countCalls, findWebhook, type Webhook } from './webhook-store.ts';

/** The dependencies of the operations on webhooks. */
export type WebhookPorts = {
  readonly random: RandomBytes;
  /** Derived from the root key for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
  readonly allowPrivateTargets: boolean;
  readonly isPrivateHost: PrivateHostCheck;
  /** Calls a receiver for a test. */
  readonly post: PostWebhookCall;
  /** Limits the tests of a client that run at the same time. */
  readonly testSlots: ReturnType<typeof createConcurrencyLimiter>;
};

/** The request of the operations on one webhook. */
export const webhookRequest = {
  params: Type.Object(
    { id: Type.String({ maxLength: 64, description: 'The id of the webhook.' }) },
    { additionalProperties: false },
  ),
};

/** The description of the outcomes of a call. */
export const callOutcomeDescription =
  'accepted: 2xx. gone: 410, which disables the webhook. rejected: another HTTP status. private-target: the host has an address that is not public. unknown-host: no address was found. certificate-invalid: the TLS certificate does not verify. unreachable: there was no connection, or no HTTP response. timed-out: there was no response within 15 seconds.';

/** A webhook as the API returns it. The secret is present only when it is new. */
export const webhookShape = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    status: Type.String({ description: 'active, or disabled after the receiver responded with 410.' }),
    signature: Type.Optional(Type.String({ description: 'The signature of the calls: v1 (HMAC) or v1a (Ed25519).' })),
    createdAt: instantSchema('The time at which the webhook was created.'),
    waiting: Type.Integer({ description: 'The number of queued calls, counted up to 10,000.' }),
    dead: Type.Integer({
      description: 'The number of failed calls, counted up to 10,000. The redeliver operation queues them again.',
    }),
    oldSecretUntil: Type.Optional(
      instantSchema(
        'The time until which calls also have a signature of the previous secret. Absent without such a secret.',
      ),
    ),
    secret: Type.Optional(
      Type.String({
        description: 'The shared secret for v1: whsec_…. Only present in the response that creates or rotates it.',
      }),
    ),
    publicKey: Type.Optional(
      Type.String({ description: 'The public key for v1a, with which you verify signatures: whpk_…. Absent for v1.' }),
    ),
    oldPublicKey: Type.Optional(
      Type.String({ description: 'The previous public key, valid until oldSecretUntil. Absent without such a key.' }),
    ),
  },
  { $id: 'Webhook', additionalProperties: false },
);

/** The JSON of a webhook. Pass `secret` only when it is new: it is shown once. */
export function webhookView(webhookKey: Uint8Array, webhook: Webhook, calls: CallCounts, secret?: string) {
  const { id, url, status, signature, createdAt, previous } = webhook;
  return {
    id,
    url,
    status,
    signature,
    createdAt: formatInstant(createdAt),
    ...expectedCallCounts(webhook, calls),
    ...(previous === undefined ? {} : { oldSecretUntil: formatInstant(previous.until) }),
    ...(signature === 'v1' ? (secret === undefined ? {} : { secret }) : publicKeysOf(webhookKey, webhook)),
  };
}

/** The counts that will be true when the worker has finished a pending redelivery or has given up the calls of a disabled webhook. */
export function expectedCallCounts({ status, isRedelivering }: Webhook, { waiting, dead }: CallCounts): CallCounts {
  if (status === 'disabled') return { waiting: 0, dead: waiting + dead };
  return isRedelivering ? { waiting: waiting + dead, dead: 0 } : { waiting, dead };
}

function publicKeysOf(webhookKey: Uint8Array, { id, secret, previous }: Webhook) {
  const publicOf = (sealed: Uint8Array) => webhookPublicKeyOf(openWebhookSecret(webhookKey, id, sealed));
  return {
    publicKey: publicOf(secret),
    ...(previous === undefined ? {} : { oldPublicKey: publicOf(previous.secret) }),
  };
}

/** The webhook of a request if it belongs to the client and is not removed. */
export async function findOwnWebhook({
  params,
  read,
  caller,
}: Pick<WebhookCall, 'params' | 'read'> & {
  readonly caller: Pick<WebhookCall['caller'], 'clientId'>;
}): Promise<Webhook | undefined> {
  const id = parseId('webhook', params.id);
  const webhook = id === undefined ? undefined : await findWebhook(read, id);
  return webhook?.clientId === caller.clientId && webhook.status !== 'removed' ? webhook : undefined;
}

/** A call of an operation on one webhook. */
export type WebhookCall = OperationCall<typeof webhookRequest, WebhookPorts>;

/** A change of a webhook: the webhook after it, and a secret that is shown once. */
type WebhookChange = {
  readonly change: WebhookChangedEvent['change'];
  readonly changed: Webhook;
  readonly statements: readonly Statement[];
  readonly secret?: string;
};

/** Changes a webhook of the client, and answers with its new state. The statements must be refused when it was removed. */
export async function changeOwnWebhook(
  call: WebhookCall,
  status: 200 | 202,
  apply: (webhook: Webhook) => WebhookChange,
): Promise<Decision | RefusedDecision> {
  const webhook = await findOwnWebhook(call);
  if (webhook === undefined) return { refusal: refuse('webhook-not-found') };
  const { change, changed, statements, secret } = apply(webhook);
  const json = webhookView(call.ports.webhookKey, changed, await countCalls(call.read, webhook.id), secret);
  return {
    effect: { events: [webhookChangedEvent(call, webhook.id, change)], statements },
    answer: { status, json },
    // Another request has removed it.
    onConflict: () => refuse('webhook-not-found'),
  };
}

type WebhookChangedEvent = Extract<SystemEvent, { readonly type: 'webhook.changed' }>;
type ChangeContext = {
  readonly createId: (of: 'event') => WebhookChangedEvent['id'];
  readonly now: number;
  readonly caller: { readonly clientId: string };
};

/** The ledger event of a change that a client made to its webhook. */
export function webhookChangedEvent(
  call: ChangeContext,
  webhook: WebhookId,
  change: WebhookChangedEvent['change'],
): WebhookChangedEvent {
  const actor = { client: call.caller.clientId };
  return { type: 'webhook.changed', id: call.createId('event'), at: call.now, actor, webhook, change };
}
