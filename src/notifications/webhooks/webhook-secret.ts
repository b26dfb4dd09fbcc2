import { createPublicKey, sign } from 'node:crypto';
import type { Random } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import type { WebhookId } from '../../kernel/id.ts';
import { open, seal } from '../../keys/chunked-encryption.ts';
import { ed25519From } from '../../keys/signing-key.ts';

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

const keptContext = 'citizen-services/kept-webhook@v1';

/** Closes the answer that has a new secret, to be kept under an idempotency key. */
export function closeAnswer(key: Uint8Array, body: string, random: Random): string {
  return seal(key, keptContext, Buffer.from(body), random).toString('base64');
}

/** What `closeAnswer` closed. */
export function openAnswer(key: Uint8Array, kept: string): string {
  return open(key, keptContext, Buffer.from(kept, 'base64')).toString();
}

function contextOf(id: WebhookId): string {
  return `citizen-services/webhook-secret@v1\0${id}`;
}

/** How calls are signed (Standard Webhooks 1.0.0): by a secret that both sides know, or by a key of ours. */
export const signatureSchemes = ['v1', 'v1a'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** The public key of a `v1a` webhook as its receiver wants it: `whpk_` and 32 bytes in base64. */
export function publicKeyOf(seed: Uint8Array): string {
  const { x = '' } = createPublicKey(ed25519From(seed)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** What signs a call: the present secret, and the one before as long as both hold. */
type Signing = { readonly scheme: SignatureScheme; readonly secrets: readonly Uint8Array[] };

/** The headers of one attempt: the id stays over all of them, the timestamp (seconds) is of this one. */
export function signedHeaders(
  { scheme, secrets }: Signing,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const marks = secrets.map((secret) =>
    scheme === 'v1' ? hmac('sha256', secret, signed) : sign(null, signed, ed25519From(secret)),
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'citizen-services',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': marks.map((mark) => `${scheme},${mark.toString('base64')}`).join(' '),
  };
}
