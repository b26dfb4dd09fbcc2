import { createPublicKey, sign } from 'node:crypto';
import { openSealed, seal } from '../../crypto/chunked-encryption.ts';
import { ed25519KeyFromSeed } from '../../crypto/signing-key.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import type { WebhookId } from '../../kernel/id.ts';

const secretBytes = 32;

/** A new secret (Standard Webhooks 1.0.0: 24 to 64 bytes), as its client gets it, and as it is stored. */
export function createWebhookSecret(
  key: Uint8Array,
  id: WebhookId,
  random: RandomBytes,
): { shown: string; sealed: Buffer } {
  const secret = random(secretBytes);
  return {
    shown: `whsec_${Buffer.from(secret).toString('base64')}`,
    sealed: seal(key, secretContextOf(id), secret, random),
  };
}

/** The secret of a stored row. */
export function openWebhookSecret(key: Uint8Array, id: WebhookId, sealed: Uint8Array): Uint8Array {
  return openSealed(key, secretContextOf(id), sealed);
}

const storedAnswerContext = 'citizen-services/kept-webhook@v1';

/** Closes the answer that has a new secret, to be kept under an idempotency key. */
export function sealStoredAnswer(key: Uint8Array, body: string, random: RandomBytes): string {
  return seal(key, storedAnswerContext, Buffer.from(body), random).toString('base64');
}

/** What `closeAnswer` closed. */
export function openStoredAnswer(key: Uint8Array, sealed: string): string {
  return openSealed(key, storedAnswerContext, Buffer.from(sealed, 'base64')).toString();
}

function secretContextOf(id: WebhookId): string {
  return `citizen-services/webhook-secret@v1\0${id}`;
}

/** How calls are signed (Standard Webhooks 1.0.0): by a secret that both sides know, or by a key of ours. */
export const signatureSchemes = ['v1', 'v1a'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** The public key of a `v1a` webhook as its receiver wants it: `whpk_` and 32 bytes in base64. */
export function webhookPublicKeyOf(seed: Uint8Array): string {
  const { x = '' } = createPublicKey(ed25519KeyFromSeed(seed)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** What signs a call: the present secret, and the one before as long as both hold. */
type CallSigning = { readonly scheme: SignatureScheme; readonly secrets: readonly Uint8Array[] };

/** The headers of one attempt: the id stays over all of them, the timestamp (seconds) is of this one. */
export function signedCallHeaders(
  { scheme, secrets }: CallSigning,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map((secret) =>
    scheme === 'v1' ? hmac('sha256', secret, signed) : sign(null, signed, ed25519KeyFromSeed(secret)),
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'citizen-services',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `${scheme},${signature.toString('base64')}`).join(' '),
  };
}
