import { Type } from 'typebox';
import type { Read } from '../../db/database.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { parseId, type WebhookId } from '../../kernel/id.ts';
import type { SystemEvent } from '../../ledger/ledger-event.ts';
import { instantSchema } from '../notification/notification-shape.ts';
import { openWebhookSecret, webhookPublicKeyOf } from './webhook-secret.ts';
import { type CallCounts, findWebhook, type Webhook } from './webhook-store.ts';

/** The path parameters of the operations on one webhook. */
export const webhookParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the webhook.' }) },
  { additionalProperties: false },
);

/** A webhook as the API returns it. The secret is present only when it is new. */
export const webhookShape = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    status: Type.String({ description: 'active; or disabled, since its receiver answered 410.' }),
    signature: Type.Optional(Type.String({ description: 'How calls are signed: v1 (HMAC) or v1a (Ed25519).' })),
    createdAt: instantSchema('When it was made.'),
    waiting: Type.Integer({ description: 'Calls that are still to be made; 10,000 where there are more.' }),
    dead: Type.Integer({
      description: 'Calls that were given up, 10,000 where there are more; ask for redelivery to make them again.',
    }),
    oldSecretUntil: Type.Optional(instantSchema('Until then the secret before the present one signs along.')),
    secret: Type.Optional(Type.String({ description: 'whsec_…, shown once: when it is made or rotated. v1 only.' })),
    publicKey: Type.Optional(Type.String({ description: 'whpk_…, by which v1a signatures verify.' })),
    oldPublicKey: Type.Optional(
      Type.String({ description: 'The key before, which signs along until oldSecretUntil.' }),
    ),
  },
  { additionalProperties: false },
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

/** The webhook with this id when it belongs to the client and is not removed. */
export async function findOwnWebhook(read: Read, text: string, clientId: string): Promise<Webhook | undefined> {
  const id = parseId('webhook', text);
  const webhook = id === undefined ? undefined : await findWebhook(read, id);
  return webhook?.clientId === clientId && webhook.status !== 'removed' ? webhook : undefined;
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
