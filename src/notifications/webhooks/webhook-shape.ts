import { Type } from 'typebox';
import { toInstant } from '../../kernel/clock.ts';
import { parseId, type WebhookId } from '../../kernel/id.ts';
import type { HouseEvent } from '../../ledger/event.ts';
import type { Read } from '../../store/db.ts';
import { countCalls, findWebhook, type Webhook } from './webhook-store.ts';

const instant = (description: string) => Type.String({ format: 'date-time', description });

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
    createdAt: instant('When it was made.'),
    waiting: Type.Integer({ description: 'Calls that are still to be made.' }),
    dead: Type.Integer({ description: 'Calls that were given up; ask for redelivery to make them again.' }),
    oldSecretUntil: Type.Optional(instant('Until then the secret before the present one signs along.')),
    secret: Type.Optional(Type.String({ description: 'whsec_…, shown once: when it is made or rotated.' })),
  },
  { additionalProperties: false },
);

/** The answer about a webhook. */
export async function webhookView(read: Read, webhook: Webhook, secret?: string) {
  const { id, url, status, createdAt, old } = webhook;
  return {
    ...{ id, url, status },
    createdAt: toInstant(createdAt),
    ...(await countCalls(read, id)),
    ...(old === undefined ? {} : { oldSecretUntil: toInstant(old.until) }),
    ...(secret === undefined ? {} : { secret }),
  };
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
