import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { ReceiveEvent } from './api-types.ts';

/** An event of a webhook call. `id` is the same in each repeated call. */
export type WebhookEvent = ReceiveEvent & { readonly id: string };

/** The call has no valid signature, or its timestamp is too far from the current time. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook call (Standard Webhooks 1.0.0) and returns its event. Throws a `WebhookError` if no signature is by this
 * secret (`whsec_…`) or public key (`whpk_…`, signature v1a), or if the timestamp is not within `toleranceSeconds`. Pass the
 * raw bytes of the body, before any parsing. A repeated call also passes: compare `id` to detect it.
 */
export function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  { toleranceSeconds = 300, now = Date.now() }: { readonly toleranceSeconds?: number; readonly now?: number } = {},
): WebhookEvent {
  const isSigned = createSignatureCheck(secret);
  const id = requiredHeader(headers, 'webhook-id');
  const timestamp = requiredHeader(headers, 'webhook-timestamp');
  const signatures = requiredHeader(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is no time in seconds');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError(`webhook-timestamp is not within ${toleranceSeconds} seconds of the clock here`);
  const body = Buffer.from(rawBody as Uint8Array);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  if (!signatures.split(' ').some((signature) => isSigned(signed, signature)))
    throw new WebhookError('no signature of the call was made with this secret');
  // The signature is by the server, which only sends this type.
  return { ...(JSON.parse(body.toString('utf8')) as ReceiveEvent), id };
}

type SignatureCheck = (signed: Buffer, signature: string) => boolean;

function createSignatureCheck(secret: string): SignatureCheck {
  const [, kind, text = ''] = /^(whsec|whpk)_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const bytes = Buffer.from(text, 'base64');
  if (kind === 'whsec' && bytes.length >= 24 && bytes.length <= 64) {
    return (signed, signature) => {
      const expectedSignature = Buffer.from(`v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`);
      const received = Buffer.from(signature);
      return received.length === expectedSignature.length && timingSafeEqual(received, expectedSignature);
    };
  }
  if (kind === 'whpk' && bytes.length === 32) {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
    return (signed, signature) =>
      signature.startsWith('v1a,') && verify(null, signed, key, Buffer.from(signature.slice(4), 'base64'));
  }
  throw new TypeError('expected the secret of a webhook (whsec_…) or its public key (whpk_…), as the server gave it');
}

function requiredHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`the call has no header ${name}`);
  return value;
}
