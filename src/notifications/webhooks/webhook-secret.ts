import { createPublicKey, sign } from 'node:crypto';
import { openSealed, seal } from '../../crypto/chunked-encryption.ts';
import { ed25519KeyFromSeed } from '../../crypto/signing-key.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import type { WebhookId } from '../../kernel/id.ts';

const secretBytes = 32;

/** Creates a secret (Standard Webhooks 1.0.0: 24 to 64 bytes): `shown` for the client, `sealed` for the database. */
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

/** Decrypts the secret of a stored webhook. */
export function openWebhookSecret(key: Uint8Array, id: WebhookId, sealed: Uint8Array): Uint8Array {
  return openSealed(key, secretContextOf(id), sealed);
}

const storedAnswerContext = 'citizen-services/kept-webhook@v1';

/** Encrypts an answer that contains a new secret, so that it can be stored under its idempotency key. */
export function sealStoredAnswer(key: Uint8Array, body: string, random: RandomBytes): string {
  return seal(key, storedAnswerContext, Buffer.from(body), random).toString('base64');
}

/** Decrypts an answer of `sealStoredAnswer`. */
export function openStoredAnswer(key: Uint8Array, sealed: string): string {
  return openSealed(key, storedAnswerContext, Buffer.from(sealed, 'base64')).toString();
}

function secretContextOf(id: WebhookId): string {
  return `citizen-services/webhook-secret@v1\0${id}`;
}

/** Signature schemes of Standard Webhooks 1.0.0: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519. */
export const signatureSchemes = ['v1', 'v1a'] as const;
/** A signature scheme of a webhook. */
export type SignatureScheme = (typeof signatureSchemes)[number];

/** The public key of a `v1a` webhook in the form of Standard Webhooks: `whpk_` and 32 bytes in base64. */
export function webhookPublicKeyOf(seed: Uint8Array): string {
  const { x = '' } = createPublicKey(ed25519KeyFromSeed(seed)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** The secrets that sign a call: the current one, and the previous ones until they expire. */
type CallSigning = { readonly scheme: SignatureScheme; readonly secrets: readonly Uint8Array[] };

/**
 * The headers of one attempt: all attempts share the id, and the timestamp (seconds) is that of this attempt. The package
 * `standardwebhooks` is not used: it has no `v1a`, and computes SHA-256 in JavaScript.
 */
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
