import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { keyBytes } from './chunked-encryption.ts';

/** The use of a signing key. Each key signs for one use, so that one kind of statement never passes for another. */
export const signingUses = ['access-token', 'result', 'checkpoint', 'evidence'] as const;
/** One of `signingUses`. */
export type SigningUse = (typeof signingUses)[number];

type SigningAlg = 'ES256' | 'Ed25519';

const algorithmByUse = { 'access-token': 'ES256', result: 'ES256', evidence: 'ES256', checkpoint: 'Ed25519' } as const;

/**
 * A published public key: a JWK (RFC 7517) with its thumbprint (RFC 7638) as `kid`. Its use is in a private member (RFC 7517,
 * section 4), because `use` and `key_ops` say only that it signs.
 */
export type PublicJwk = PublicKeyMembers & {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly use: 'sig';
  readonly citizen_services_use: SigningUse;
};

/** The required members of a public key, which its thumbprint covers. */
export type PublicKeyMembers =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };

/** A signing key with its published form. */
export type SigningKey = {
  readonly kid: string;
  readonly use: SigningUse;
  readonly alg: SigningAlg;
  readonly publicJwk: PublicJwk;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
};

/** The order of the group of P-256 (FIPS 186-5): a private scalar is below it. */
const orderOfP256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The private part of a new key, 32 bytes: an Ed25519 seed (RFC 8032), or a P-256 scalar by rejection sampling (FIPS 186-5,
 * A.2.2).
 */
export function newSigningSeed(use: SigningUse, random: RandomBytes): Uint8Array {
  for (;;) {
    const seed = random(keyBytes);
    if (algorithmByUse[use] === 'Ed25519' || isScalar(seed)) return seed;
  }
}

function isScalar(seed: Uint8Array): boolean {
  const scalar = BigInt(`0x${Buffer.from(seed).toString('hex')}`);
  return scalar > 0n && scalar < orderOfP256;
}

/**
 * The signing key of a private part, new or unwrapped; throws `TypeError` if the bytes are not a private key of its algorithm.
 */
export function signingKeyFromSeed(use: SigningUse, seed: Uint8Array): SigningKey {
  if (seed.length !== keyBytes) throw new TypeError(`a signing key has ${keyBytes} bytes, not ${seed.length}`);
  const alg = algorithmByUse[use];
  const privateKey = alg === 'ES256' ? p256KeyFromSeed(seed) : ed25519KeyFromSeed(seed);
  const publicKey = createPublicKey(privateKey);
  const publicJwk = toPublicJwk(publicKey, use);
  return { kid: publicJwk.kid, use, alg, publicJwk, publicKey, privateKey };
}

function p256KeyFromSeed(seed: Uint8Array): KeyObject {
  if (!isScalar(seed)) throw new TypeError('expected a private scalar of P-256 in 32 bytes');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(seed);
  const point = ecdh.getPublicKey();
  const part = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: part(point.subarray(1, 33)), y: part(point.subarray(33)), d: part(seed) };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

/** The fixed part of a PKCS #8 private key of Ed25519 (RFC 8410, section 7); the seed follows. */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of an Ed25519 seed of 32 bytes (RFC 8032). */
export function ed25519KeyFromSeed(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: 'der', type: 'pkcs8' });
}

function toPublicJwk(publicKey: KeyObject, use: SigningUse): PublicJwk {
  const alg = algorithmByUse[use];
  const { x, y } = publicKey.export({ format: 'jwk' });
  if (x === undefined || (alg === 'ES256' && y === undefined)) throw new TypeError(`expected a public key for ${alg}`);
  const members: PublicKeyMembers =
    alg === 'ES256' && y !== undefined ? { kty: 'EC', crv: 'P-256', x, y } : { kty: 'OKP', crv: 'Ed25519', x };
  return { ...members, kid: jwkThumbprint(members), alg, use: 'sig', citizen_services_use: use };
}

/** The SHA-256 thumbprint of a key (RFC 7638), used as its `kid`. Canonical JSON sorts the members as section 3 requires. */
export function jwkThumbprint(members: PublicKeyMembers): string {
  return createHash('sha256').update(canonicalJson(members)).digest('base64url');
}

/** Signs bytes. ES256: ECDSA on P-256 with SHA-256, R ‖ S of 64 bytes (RFC 7518, section 3.4). Ed25519: 64 bytes (RFC 8032). */
export function signBytes(key: SigningKey, bytes: Uint8Array): Buffer {
  return key.alg === 'ES256'
    ? sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
    : sign(null, bytes, key.privateKey);
}

/**
 * A compact JWS (RFC 7515) over the JSON of `claims`; `typ` is the kind of statement, such as `at+jwt`. It uses node:crypto
 * directly: `jose` needs three times the CPU, and each matched verification is signed. The tests verify it with `jose`.
 */
export function signJws(key: SigningKey, typ: string, claims: Readonly<Record<string, unknown>>): string {
  const input = `${base64urlJson({ alg: key.alg, typ, kid: key.kid })}.${base64urlJson(claims)}`;
  return `${input}.${signBytes(key, Buffer.from(input)).toString('base64url')}`;
}

const base64urlJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
