import { Type } from 'typebox';
import { toInstant } from '../../kernel/clock.ts';
import { parseId, type WebhookId } from '../../kernel/id.ts';
import type { HouseEvent } from '../../ledger/event.ts';
import type { Read } from '../../store/db.ts';
import { instant } from '../notification-shape.ts';
import { openSecret, publicKeyOf } from './webhook-secret.ts';
import { type Calls, findWebhook, type Webhook } from './webhook-store.ts';

/** The path of an operation on one webhook. */
export const webhookParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the webhook.' }) },
  { additionalProperties: false },
);

/** A webhook as its client sees it; the secret only when it is new. */
export const webhookShape = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    status: Type.String({ description: 'active; or disabled, since its receiver answered 410.' }),
    signature: Type.Optional(Type.String({ description: 'How calls are signed: v1 (HMAC) or v1a (Ed25519).' })),
    createdAt: instant('When it was made.'),
    waiting: Type.Integer({ description: 'Calls that are still to be made; 10,000 where there are more.' }),
    dead: Type.Integer({
      description: 'Calls that were given up, 10,000 where there are more; ask for redelivery to make them again.',
    }),
    oldSecretUntil: Type.Optional(instant('Until then the secret before the present one signs along.')),
    secret: Type.Optional(Type.String({ description: 'whsec_…, shown once: when it is made or rotated. v1 only.' })),
    publicKey: Type.Optional(Type.String({ description: 'whpk_…, by which v1a signatures verify.' })),
    oldPublicKey: Type.Optional(
      Type.String({ description: 'The key before, which signs along until oldSecretUntil.' }),
    ),
  },
  { additionalProperties: false },
);

/** The answer about a webhook with these calls; `secret` where it is new, and to be shown this once. */
export function webhookView(webhookKey: Uint8Array, webhook: Webhook, calls: Calls, secret?: string) {
  const { id, url, status, signature, createdAt, old } = webhook;
  return {
    ...{ id, url, status, signature },
    createdAt: toInstant(createdAt),
    ...callsToBe(webhook, calls),
    ...(old === undefined ? {} : { oldSecretUntil: toInstant(old.until) }),
    ...(signature === 'v1' ? (secret === undefined ? {} : { secret }) : publicKeys(webhookKey, webhook)),
  };
}

/** How many calls wait, and how many were given up, once the worker has done what was asked for. */
export function callsToBe({ status, isReviving }: Webhook, { waiting, dead }: Calls): Calls {
  if (status === 'disabled') return { waiting: 0, dead: waiting + dead };
  return isReviving ? { waiting: waiting + dead, dead: 0 } : { waiting, dead };
}

function publicKeys(webhookKey: Uint8Array, { id, secret, old }: Webhook) {
  const publicOf = (sealed: Uint8Array) => publicKeyOf(openSecret(webhookKey, id, sealed));
  return { publicKey: publicOf(secret), ...(old === undefined ? {} : { oldPublicKey: publicOf(old.secret) }) };
}

/** The webhook with that id if it is this client's and not removed. */
export async function findOwnWebhook(read: Read, text: string, clientId: string): Promise<Webhook | undefined> {
  const id = parseId('webhook', text);
  const webhook = id === undefined ? undefined : await findWebhook(read, id);
  return webhook?.clientId === clientId && webhook.status !== 'removed' ? webhook : undefined;
}

type Changed = Extract<HouseEvent, { readonly type: 'webhook.changed' }>;
type ChangeCall = {
  readonly mint: (of: 'event') => Changed['id'];
  readonly now: number;
  readonly caller: { readonly clientId: string };
};

/** The event of a change that a client made. */
export function changed(call: ChangeCall, webhook: WebhookId, change: Changed['change']): Changed {
  const actor = { client: call.caller.clientId };
  return { type: 'webhook.changed', id: call.mint('event'), at: call.now, actor, webhook, change };
}
