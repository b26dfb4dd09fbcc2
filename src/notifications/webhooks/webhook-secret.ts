import { createHmac } from 'node:crypto';
import type { Random } from '../../kernel/clock.ts';
import type { WebhookId } from '../../kernel/id.ts';
import { open, seal } from '../../keys/chunked-encryption.ts';

const secretBytes = 32;

/** A new secret (Standard Webhooks 1.0.0: 24 to 64 bytes), as its client gets it, and as it is stored. */
export function newSecret(key: Uint8Array, id: WebhookId, random: Random): { shown: string; sealed: Buffer } {
  const secret = random(secretBytes);
  return { shown: `whsec_${Buffer.from(secret).toString('base64')}`, sealed: seal(key, contextOf(id), secret, random) };
}

/** The secret of a stored row. */
export function openSecret(key: Uint8Array, id: WebhookId, sealed: Uint8Array): Uint8Array {
  return open(key, contextOf(id), sealed);
}

function contextOf(id: WebhookId): string {
  return `citizen-services/webhook-secret@v1\0${id}`;
}

/** The headers of one attempt: the id stays over all of them, the timestamp (seconds) is of this one. */
export function signedHeaders(
  secrets: readonly Uint8Array[],
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  return {
    'content-type': 'application/json',
    'user-agent': 'citizen-services',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
