import type { Read } from '../../db/database.ts';
import { formatInstant } from '../../kernel/clock.ts';
import type { EventId } from '../../kernel/id.ts';
import type { WebhookRequest } from './post-call.ts';
import { openWebhookSecret, signedCallHeaders } from './webhook-secret.ts';
import { findOlderSecrets, type Webhook } from './webhook-store.ts';

type SignedCallDeps = {
  readonly read: Read;
  /** Derived from the root key for `webhook-secrets`. */
  readonly webhookKey: Uint8Array;
};

/** An event as a call reports it (`at` in epoch ms). */
type ReportedEvent = {
  readonly id: EventId;
  readonly number: number;
  readonly at: number;
  readonly type: string;
  readonly data: object;
};

type SignedCallOptions = {
  readonly webhook: Webhook;
  readonly url: URL;
  readonly event: ReportedEvent;
  /** The time of the attempt (epoch ms), which the signature includes. */
  readonly now: number;
};

/** The request of one attempt, with the signatures of the current secret and of the previous ones that still sign. */
export async function signedCallOf(
  deps: SignedCallDeps,
  { webhook, url, event, now }: SignedCallOptions,
): Promise<WebhookRequest> {
  const { id, number, at, type, data } = event;
  const body = JSON.stringify({ type, timestamp: formatInstant(at), number, data });
  const secrets = await currentSecretsOf(deps, webhook, now);
  return { url, body, headers: signedCallHeaders({ scheme: webhook.signature, secrets }, { id, at: now, body }) };
}

async function currentSecretsOf(
  { webhookKey, read }: SignedCallDeps,
  webhook: Webhook,
  now: number,
): Promise<Uint8Array[]> {
  const { id, secret, previous } = webhook;
  const isReplaced = previous !== undefined && previous.until > now;
  const sealed = isReplaced ? [secret, previous.secret, ...(await findOlderSecrets(read, id, now))] : [secret];
  return sealed.map((one) => openWebhookSecret(webhookKey, id, one));
}
