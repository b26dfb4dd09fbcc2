import { createHash, createPublicKey, verify } from 'node:crypto';
import { jwkThumbprint, type PublicKeyMembers, type SigningKey, signJws } from '../../crypto/signing-key.ts';
import { isObject } from '../../kernel/is-object.ts';

const evidenceType = 'citizen-services-evidence+jwt';
const stampType = 'citizen-services-time-stamp+jwt';

/** The content of a bundle file: a signed statement and an optional signed time stamp over it. */
type EvidenceBundle = { readonly evidence: string; readonly timeStamp?: string };

/** Requests a time stamp token (RFC 3161) over these bytes; undefined when the authority is unavailable. */
export type RequestTimeStamp = (over: Uint8Array) => Promise<Uint8Array | undefined>;

/**
 * Signs the claims of `evidenceClaimsOf`. With an authority, the statement says whether it has a time stamp, so that the stamp cannot be
 * removed. The stamp is over the signed statement and is signed itself, so that no bit of it can be changed.
 */
export async function signEvidence(
  key: SigningKey,
  claims: Readonly<Record<string, unknown>>,
  requestTimeStamp?: RequestTimeStamp,
): Promise<EvidenceBundle> {
  if (requestTimeStamp === undefined) return { evidence: signJws(key, evidenceType, claims) };
  const evidence = signJws(key, evidenceType, { ...claims, timeStamp: 'attached' });
  const token = await requestTimeStamp(Buffer.from(evidence));
  if (token === undefined) return { evidence: signJws(key, evidenceType, { ...claims, timeStamp: 'unavailable' }) };
  const stamp = { over: evidenceDigestOf(evidence), token: Buffer.from(token).toString('base64') };
  return { evidence, timeStamp: signJws(key, stampType, stamp) };
}

function evidenceDigestOf(jws: string): string {
  return `sha-256:${createHash('sha256').update(jws).digest('hex')}`;
}

/** A key of a bundle or a key set (RFC 7517). Its id is computed from the key, never taken from the file. */
type EvidenceKey = { readonly kid: string; readonly point: PublicKeyMembers };

/** The claims of a valid bundle, and whether its key is a trusted one. */
export type EvidenceVerdict = {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly kid: string;
  readonly keyTrusted: boolean;
  /** The time stamp token and the stamped bytes, for `verifyTimeStamp`. */
  readonly stamp?: { readonly token: Uint8Array; readonly over: Uint8Array };
};

/** The bundle is invalid; the message names the part. */
export class EvidenceBroken extends Error {
  constructor(part: string) {
    super(`The evidence does not verify: ${part}.`);
    this.name = 'EvidenceBroken';
  }
}

/**
 * Verifies the text of a bundle offline. Without `trusted` keys it proves only that the bundle is unchanged and signed by the key in it:
 * compare the key id, which is the thumbprint of the key, with that of the issuer. Every bit of the text counts, so encodings that other
 * programs tolerate are refused (test/scenarios/evidence-forged.test.ts).
 */
export function verifyEvidence(text: string, trusted: readonly EvidenceKey[] = []): EvidenceVerdict {
  const { evidence, timeStamp } = parseBundle(text);
  const { kid, claims: unverified } = openJws(evidence, evidenceType);
  const embeddedKey = evidenceKeyOf(unverified['issuerKey']);
  if (embeddedKey === 'misnamed') throw new EvidenceBroken('the kid of its key is not the thumbprint of the key');
  const trustedKey = trusted.find((candidate) => candidate.kid === kid);
  const point = trustedKey?.point ?? (embeddedKey?.kid === kid ? embeddedKey.point : undefined);
  if (point === undefined) throw new EvidenceBroken('its signing key is neither in the bundle nor a trusted key');
  const claims = signedClaims(evidence, evidenceType, point);
  const verdict = { claims, kid, keyTrusted: trustedKey !== undefined };
  if ((claims['timeStamp'] === 'attached') !== (timeStamp !== undefined)) {
    throw new EvidenceBroken('its time stamp was removed or added');
  }
  if (timeStamp === undefined) return verdict;
  const { over, token } = signedClaims(timeStamp, stampType, point);
  if (over !== evidenceDigestOf(evidence) || typeof token !== 'string') {
    throw new EvidenceBroken('its time stamp is for another statement');
  }
  return { ...verdict, stamp: { token: Buffer.from(token, 'base64'), over: Buffer.from(evidence) } };
}

type ParsedJws = {
  readonly kid: string;
  readonly claims: Record<string, unknown>;
  readonly input: string;
  readonly encodedSignature: string;
};

/** The parts of a compact JWS of this server, without verification of the signature. */
function openJws(jws: string, typ: string): ParsedJws {
  const [head = '', body = '', encodedSignature = '', ...rest] = jws.split('.');
  if (rest.length > 0) throw new EvidenceBroken('it is not a compact JWS');
  const header = parseJsonObject(decodeBase64url(head));
  const claims = parseJsonObject(decodeBase64url(body));
  if (header['alg'] !== 'ES256' || header['typ'] !== typ)
    throw new EvidenceBroken('its header is not that of signed evidence');
  return { kid: String(header['kid']), claims, input: `${head}.${body}`, encodedSignature };
}

function signedClaims(jws: string, typ: string, point: PublicKeyMembers): Record<string, unknown> {
  const { claims, input, encodedSignature } = openJws(jws, typ);
  const signature = decodeBase64url(encodedSignature);
  if (signature.length !== 64 || !isSignatureValid(point, input, signature)) {
    throw new EvidenceBroken('the signature does not match the content');
  }
  return claims;
}

function parseBundle(text: string): EvidenceBundle {
  const { evidence, timeStamp } = parseJsonObject(Buffer.from(text));
  const stamped = typeof timeStamp === 'string' ? { timeStamp } : {};
  const bundle = { evidence: typeof evidence === 'string' ? evidence : '', ...stamped };
  const whole = JSON.stringify(bundle);
  if (text !== whole && text !== `${whole}\n`) {
    throw new EvidenceBroken('the file is not an unchanged bundle of this server');
  }
  return bundle;
}

function isSignatureValid(point: PublicKeyMembers, input: string, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: point, format: 'jwk' });
    return verify('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}

/** Decodes base64url strictly: a text with unused bits that are not zero is refused. */
function decodeBase64url(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new EvidenceBroken('a part of it is not base64url');
  return bytes;
}

function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new EvidenceBroken(cause instanceof SyntaxError ? 'a part of it is not JSON' : 'a part of it is not text');
  }
  throw new EvidenceBroken('a part of it is not an object');
}

/** Parses an ES256 key; undefined for any other value, `misnamed` when its `kid` is not its thumbprint. */
function evidenceKeyOf(value: unknown): EvidenceKey | 'misnamed' | undefined {
  if (!isObject(value)) return undefined;
  const { kty, crv, x, y, kid: statedKid } = value;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  // Only these members are used, so the verification uses the same key as the thumbprint.
  const point = { kty, crv, x, y } as const;
  const kid = jwkThumbprint(point);
  return statedKid === kid ? { kid, point } : 'misnamed';
}

/**
 * The evidence keys of a key set, such as /.well-known/jwks.json. Keys of other algorithms or uses are ignored. Throws a TypeError when
 * the `kid` of a key is not its thumbprint: the issuer never publishes such a set.
 */
export function parseEvidenceKeySet(text: string): EvidenceKey[] {
  // Other keys are ignored, so that a stolen key for tokens cannot sign evidence.
  const listed = listedKeys(text).filter((key) => isObject(key) && key['citizen_services_use'] === 'evidence');
  const keys = listed.flatMap((key) => evidenceKeyOf(key) ?? []);
  if (keys.length === 0) throw new TypeError('expected a key set with keys for evidence, ES256: {"keys": [...]}');
  return keys.map((key, index) => {
    if (key === 'misnamed') throw new TypeError(`the kid of a key is not its thumbprint: key ${index + 1} for ES256`);
    return key;
  });
}

function listedKeys(text: string): readonly unknown[] {
  try {
    const { keys } = parseJsonObject(Buffer.from(text));
    return Array.isArray(keys) ? keys : [];
  } catch (fault) {
    if (fault instanceof EvidenceBroken) return [];
    throw fault;
  }
}
