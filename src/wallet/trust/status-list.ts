import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import { Type } from 'typebox';
import { parseJsonFile } from '../../config/parse-json-file.ts';
import { clockSkewMs } from '../formats/presentation-limits.ts';
import { findChainAnchor } from './certificate-chain.ts';
import { type IssuerCertificate, parseIssuerCertificate } from './issuer-certificate.ts';
import type { CredentialStatus } from './wallet-trust.ts';

/** A status list whose signature is valid (Token Status List, section 5.1). Times are epoch ms. */
export type StatusList = {
  /** The anchor of its signer. */
  readonly anchor: IssuerCertificate;
  readonly bits: 1 | 2 | 4 | 8;
  readonly bytes: Uint8Array;
  readonly issuedAt: number;
  readonly expiresAt: number | undefined;
  /** How long a copy may be used before it is fetched again. */
  readonly ttlMs: number | undefined;
};

/** The largest token that is read. A list of 2^20 random bits needs 0.2 MiB. */
export const maxStatusTokenBytes = 2 * 1_048_576;
/** The largest list. 8 bits for 2^20 credentials need 1 MiB. Attack: 2 MiB of zeros inflate to 2 GiB (status-list.test.ts). */
const maxInflatedBytes = 4 * 1_048_576;

const seconds = Type.Integer({ minimum: 0, maximum: 253_402_300_799 });
const payloadShape = Type.Object({
  sub: Type.String(),
  iat: seconds,
  exp: Type.Optional(seconds),
  ttl: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  status_list: Type.Object({
    bits: Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(4), Type.Literal(8)]),
    lst: Type.String({ pattern: '^[A-Za-z0-9_-]+$' }),
  }),
});

/** A valid token has this address, is signed under one of these anchors, and counts at this time (epoch ms). */
export type ExpectedStatusList = {
  readonly uri: string;
  readonly anchors: readonly IssuerCertificate[];
  readonly now: number;
};

/** Opens a Status List Token in the form of a JWT. Throws a TypeError with the fault. */
export async function openStatusList(jwt: string, { uri, anchors, now }: ExpectedStatusList): Promise<StatusList> {
  const { anchor, payload } = await verifyToken(jwt.trim(), anchors, now);
  const { sub, iat, exp, ttl, status_list } = payload;
  if (sub !== uri) throw new TypeError('expected the address of the list as `sub`, received another one');
  if (iat * 1_000 > now + clockSkewMs)
    throw new TypeError('expected a time in the past as `iat`, received a later one');
  const expiresAt = exp === undefined ? undefined : exp * 1_000;
  if (expiresAt !== undefined && expiresAt <= now)
    throw new TypeError('expected a list that is valid now, received an expired one');
  const { bits, lst } = status_list;
  const bytes = await inflateList(Buffer.from(lst, 'base64url'));
  const ttlMs = ttl === undefined ? undefined : ttl * 1_000;
  return { anchor, bits, bytes, issuedAt: iat * 1_000, expiresAt, ttlMs };
}

async function verifyToken(jwt: string, anchors: readonly IssuerCertificate[], now: number) {
  try {
    const { typ, x5c = [] } = decodeProtectedHeader(jwt);
    if (typ !== 'statuslist+jwt') throw new TypeError('expected a token with the type `statuslist+jwt`');
    const chain = x5c.map((der) => parseIssuerCertificate(Buffer.from(der, 'base64')));
    const [signer] = chain;
    const anchor = findChainAnchor(chain, anchors, now);
    if (anchor === undefined || signer === undefined)
      throw new TypeError('expected a signer with a chain to an anchor of the issuer, received another signer');
    const { payload } = await compactVerify(jwt, signer.x509.publicKey, { algorithms: ['ES256', 'ES384', 'ES512'] });
    return { anchor, payload: parseJsonFile(payloadShape, Buffer.from(payload).toString('utf8')) };
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new TypeError('expected a token with a valid signature, received one that does not verify', { cause });
  }
}

/** Inflates a list in the thread pool. */
export async function inflateList(compressed: Uint8Array): Promise<Uint8Array> {
  try {
    return await promisify(inflate)(compressed, { maxOutputLength: maxInflatedBytes });
  } catch (cause) {
    throw new TypeError(`expected a list that inflates to at most ${maxInflatedBytes} bytes, received another one`, {
      cause,
    });
  }
}

/** The value at an index (section 4.1); undefined if the list does not reach so far. */
export function statusValueAt({ bits, bytes }: Pick<StatusList, 'bits' | 'bytes'>, index: number): number | undefined {
  const perByte = 8 / bits;
  const byte = Number.isSafeInteger(index) ? bytes[Math.floor(index / perByte)] : undefined;
  return byte === undefined ? undefined : (byte >> ((index % perByte) * bits)) & (2 ** bits - 1);
}

/**
 * The status at an index (section 7.1). Other values than 0, 1 and 2 have a meaning that only the issuer knows, and are `unknown`; so is
 * an index that the list does not have.
 */
export function statusAt(list: Pick<StatusList, 'bits' | 'bytes'>, index: number): CredentialStatus {
  const statuses: readonly CredentialStatus[] = ['valid', 'revoked', 'suspended'];
  return statuses[statusValueAt(list, index) ?? -1] ?? 'unknown';
}
