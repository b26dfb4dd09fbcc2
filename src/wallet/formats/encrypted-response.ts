import type { JWK } from 'jose';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { importJWK } from 'jose/key/import';
import { isObject } from '../../kernel/is-object.ts';
import { PresentationFailure } from '../failure-reason.ts';

/** An answer of a wallet: presentations by the id of the query, or an error code. */
export type WalletResponse = { readonly state?: string } & (
  | { readonly presentations: ReadonlyMap<string, readonly string[]> }
  | { readonly error: string }
);

const keyAlgorithm = 'ECDH-ES';

/** Creates the private P-256 key for the response to one request (HAIP 1.0, section 5). The `kid` is the thumbprint. */
export async function createResponseKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(keyAlgorithm, { crv: 'P-256', extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, use: 'enc', alg: keyAlgorithm, kid: await calculateJwkThumbprint(jwk) };
}

/** The public part of a response key, for the request. */
export function publicResponseKey({ d: _private, ...publicJwk }: JWK): JWK {
  return publicJwk;
}

/** The thumbprint of a key (RFC 7638, SHA-256, 32 bytes), for `encryptionKeyThumbprint`. */
export async function thumbprintOf(jwk: JWK): Promise<Uint8Array> {
  return Buffer.from(await calculateJwkThumbprint(jwk), 'base64url');
}

/**
 * Decrypts the response of a wallet (OpenID4VP 1.0, section 8.3). Only the two required algorithms are accepted, and no compression.
 * Throws `response-undecryptable` or `response-malformed`.
 */
export async function decryptResponse(jwe: string, privateJwk: JWK): Promise<WalletResponse> {
  let plaintext: Uint8Array;
  try {
    const decrypted = await compactDecrypt(jwe, await importJWK(privateJwk, keyAlgorithm), {
      keyManagementAlgorithms: [keyAlgorithm],
      contentEncryptionAlgorithms: ['A128GCM', 'A256GCM'],
      maxDecompressedLength: 0,
    });
    plaintext = decrypted.plaintext;
  } catch {
    throw new PresentationFailure('response-undecryptable');
  }
  return readResponse(plaintext);
}

function readResponse(plaintext: Uint8Array): WalletResponse {
  let response: unknown;
  try {
    response = JSON.parse(Buffer.from(plaintext).toString());
  } catch {
    throw new PresentationFailure('response-malformed');
  }
  if (!isObject(response)) malformed();
  const { vp_token: token, state, error } = response;
  if (state !== undefined && typeof state !== 'string') malformed();
  const common = state === undefined ? {} : { state };
  if (typeof error === 'string') return { ...common, error };
  return { ...common, presentations: readPresentations(token) };
}

/** Each id has at least one presentation, as text: the formats that we ask for have no other form. */
function readPresentations(token: unknown): ReadonlyMap<string, readonly string[]> {
  if (!isObject(token)) malformed();
  const presentations = Object.entries(token).map(([id, list]) => {
    if (!Array.isArray(list) || list.length === 0 || !list.every((one) => typeof one === 'string')) malformed();
    return [id, list as readonly string[]] as const;
  });
  return new Map(presentations);
}

function malformed(): never {
  throw new PresentationFailure('response-malformed');
}
