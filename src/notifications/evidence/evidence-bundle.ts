import { createHash, createPublicKey, verify } from 'node:crypto';
import { jwkThumbprint, type PublicKeyMembers, type SigningKey, signJws } from '../../crypto/signing-key.ts';
import { isObject } from '../../kernel/is-object.ts';

const evidenceType = 'citizen-services-evidence+jwt';
const stampType = 'citizen-services-time-stamp+jwt';

/** A bundle as a file: one signed statement and, signed too, the time stamp over it. */
type EvidenceBundle = { readonly evidence: string; readonly timeStamp?: string };

/** Asks for a time stamp token (RFC 3161) over these bytes; undefined where none can be had now. */
export type RequestTimeStamp = (over: Uint8Array) => Promise<Uint8Array | undefined>;

/**
 * Signs what `evidenceOf` made. With an authority, the statement says whether it was stamped, so that a stamp cannot be
 * taken away from it; the stamp is over the signed statement, and stands in a second one, so that each of its bits counts.
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
  const about = { over: evidenceDigestOf(evidence), token: Buffer.from(token).toString('base64') };
  return { evidence, timeStamp: signJws(key, stampType, about) };
}

function evidenceDigestOf(jws: string): string {
  return `sha-256:${createHash('sha256').update(jws).digest('hex')}`;
}

/** A key from a bundle or a key set (RFC 7517); its id was computed from it, never taken from the file. */
type EvidenceKey = { readonly kid: string; readonly point: PublicKeyMembers };

/** What a good bundle says, and whether the key that signed it is one of those trusted. */
export type EvidenceVerdict = {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly kid: string;
  readonly keyTrusted: boolean;
  /** The token, and the bytes that it has to be over, for `verifyTimeStamp`. */
  readonly stamp?: { readonly token: Uint8Array; readonly over: Uint8Array };
};

/** The bundle is not what was signed; the message says which part. */
export class EvidenceBroken extends Error {
  constructor(part: string) {
    super(`The evidence does not verify: ${part}.`);
    this.name = 'EvidenceBroken';
  }
}

/**
 * Verifies the text of a bundle without any server. Without `trusted` keys it proves that the bundle is whole and signed
 * by the key in it; that this is the key of the issuer has to be seen by its id, which is the thumbprint of that key. Every bit of the text counts: encodings
 * that other programs forgive are refused (evidence.test.ts, `one changed bit`).
 */
export function verifyEvidence(text: string, trusted: readonly EvidenceKey[] = []): EvidenceVerdict {
  const { evidence, timeStamp } = parseBundle(text);
  const { kid, claims: stated } = openJws(evidence, evidenceType);
  const embeddedKey = evidenceKeyOf(stated['issuerKey']);
  if (embeddedKey === 'misnamed') throw new EvidenceBroken('the key in it has the id of another key');
  const trustedKey = trusted.find((candidate) => candidate.kid === kid);
  const point = trustedKey?.point ?? (embeddedKey?.kid === kid ? embeddedKey.point : undefined);
  if (point === undefined) throw new EvidenceBroken('its key is neither in it nor among those given');
  const claims = signedClaims(evidence, evidenceType, point);
  const verdict = { claims, kid, keyTrusted: trustedKey !== undefined };
  if ((claims['timeStamp'] === 'attached') !== (timeStamp !== undefined)) {
    throw new EvidenceBroken('its time stamp was taken away, or put on it');
  }
  if (timeStamp === undefined) return verdict;
  const { over, token } = signedClaims(timeStamp, stampType, point);
  if (over !== evidenceDigestOf(evidence) || typeof token !== 'string')
    throw new EvidenceBroken('its time stamp is of another');
  return { ...verdict, stamp: { token: Buffer.from(token, 'base64'), over: Buffer.from(evidence) } };
}

type ParsedJws = {
  readonly kid: string;
  readonly claims: Record<string, unknown>;
  readonly input: string;
  readonly encodedSignature: string;
};

/** The parts of a compact JWS of ours, not verified yet. */
function openJws(jws: string, typ: string): ParsedJws {
  const [head = '', body = '', encodedSignature = '', ...more] = jws.split('.');
  if (more.length > 0) throw new EvidenceBroken('it is not one signed statement');
  const header = parseJsonObject(decodeBase64url(head));
  const claims = parseJsonObject(decodeBase64url(body));
  if (header['alg'] !== 'ES256' || header['typ'] !== typ) throw new EvidenceBroken('it is not signed as evidence is');
  return { kid: String(header['kid']), claims, input: `${head}.${body}`, encodedSignature };
}

function signedClaims(jws: string, typ: string, point: PublicKeyMembers): Record<string, unknown> {
  const { claims, input, encodedSignature } = openJws(jws, typ);
  const signature = decodeBase64url(encodedSignature);
  if (signature.length !== 64 || !isSignatureValid(point, input, signature)) {
    throw new EvidenceBroken('the signature does not fit what it says');
  }
  return claims;
}

function parseBundle(text: string): EvidenceBundle {
  const { evidence, timeStamp } = parseJsonObject(Buffer.from(text));
  const stamped = typeof timeStamp === 'string' ? { timeStamp } : {};
  const bundle = typeof evidence === 'string' ? { evidence, ...stamped } : undefined;
  const whole = bundle === undefined ? '' : JSON.stringify(bundle);
  if (bundle === undefined || (text !== whole && text !== `${whole}\n`)) {
    throw new EvidenceBroken('the file is not a bundle as it was given out');
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

/** Bytes in base64url; a text that only decodes to them with its last bits ignored is refused. */
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

/** A key for ES256, under its thumbprint; undefined for what is none, `misnamed` where the file gives it another id. */
function evidenceKeyOf(value: unknown): EvidenceKey | 'misnamed' | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Narrowed to an object; its members stay unknown.
  const { kty, crv, x, y, kid: given } = value as Record<string, unknown>;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  // Only these members are used afterwards: what is verified with is what the id was computed from.
  const point = { kty, crv, x, y } as const;
  const kid = jwkThumbprint(point);
  return given === kid ? { kid, point } : 'misnamed';
}

/**
 * The evidence keys of a key set as /.well-known/jwks.json serves it. Keys of other algorithms or for another use are left
 * out. Throws if the set is invalid: only somebody other than its issuer would put a key under the id of another.
 */
export function parseEvidenceKeySet(text: string): EvidenceKey[] {
  const keys = listedKeys(text).flatMap((key) => (isForEvidence(key) ? (evidenceKeyOf(key) ?? []) : []));
  if (keys.length === 0) throw new TypeError('expected a key set with keys for evidence, ES256: {"keys": [...]}');
  return keys.map((key, index) => {
    if (key === 'misnamed') throw new TypeError(`the kid of a key is not its thumbprint: key ${index + 1} for ES256`);
    return key;
  });
}

/** A stolen key for tokens must not sign evidence. */
function isForEvidence(key: unknown): boolean {
  return (
    typeof key === 'object' && key !== null && 'citizen_services_use' in key && key.citizen_services_use === 'evidence'
  );
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
