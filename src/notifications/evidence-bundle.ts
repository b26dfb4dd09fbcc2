import { createHash, createPublicKey, verify, type webcrypto } from 'node:crypto';
import { type SigningKey, signJws } from '../keys/signing-key.ts';

const type = 'citizen-services-evidence+jwt';
const stampType = 'citizen-services-time-stamp+jwt';

/** A bundle as a file: one signed statement and, signed too, the time stamp over it. */
export type EvidenceBundle = { readonly evidence: string; readonly timeStamp?: string };

/** Asks for a time stamp token (RFC 3161) over these bytes; undefined where none can be had now. */
export type Stamp = (over: Uint8Array) => Promise<Uint8Array | undefined>;

/**
 * Signs what `evidenceOf` made. With an authority, the statement says whether it was stamped, so that a stamp cannot be
 * taken away from it; the stamp is over the signed statement, and stands in a second one, so that each of its bits counts.
 */
export async function signEvidence(
  key: SigningKey,
  claims: Readonly<Record<string, unknown>>,
  stamp?: Stamp,
): Promise<EvidenceBundle> {
  if (stamp === undefined) return { evidence: signJws(key, type, claims) };
  const evidence = signJws(key, type, { ...claims, timeStamp: 'attached' });
  const token = await stamp(Buffer.from(evidence));
  if (token === undefined) return { evidence: signJws(key, type, { ...claims, timeStamp: 'unavailable' }) };
  const about = { over: digestOf(evidence), token: Buffer.from(token).toString('base64') };
  return { evidence, timeStamp: signJws(key, stampType, about) };
}

function digestOf(jws: string): string {
  return `sha-256:${createHash('sha256').update(jws).digest('hex')}`;
}

/** A key as it is found in a bundle or in a key set (RFC 7517). */
export type EvidenceKey = { readonly kid: string; readonly jwk: webcrypto.JsonWebKey };

/** What a good bundle says, and whether the key that signed it is one of those trusted. */
export type Verdict = {
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
 * by the key in it; that this is the key of the issuer has to be seen by its id. Every bit of the text counts: encodings
 * that other programs forgive are refused (evidence.test.ts, `one changed bit`).
 */
export function verifyEvidence(text: string, trusted: readonly EvidenceKey[] = []): Verdict {
  const { evidence, timeStamp } = wholeOf(text);
  const { kid, claims: stated } = openJws(evidence, type);
  const inside = keyOf(stated['issuerKey']);
  const known = trusted.find((candidate) => candidate.kid === kid);
  const jwk = known?.jwk ?? (inside?.kid === kid ? inside.jwk : undefined);
  if (jwk === undefined) throw new EvidenceBroken('its key is neither in it nor among those given');
  const claims = signedClaims(evidence, type, jwk);
  const verdict = { claims, kid, keyTrusted: known !== undefined };
  if ((claims['timeStamp'] === 'attached') !== (timeStamp !== undefined)) {
    throw new EvidenceBroken('its time stamp was taken away, or put on it');
  }
  if (timeStamp === undefined) return verdict;
  const { over, token } = signedClaims(timeStamp, stampType, jwk);
  if (over !== digestOf(evidence) || typeof token !== 'string')
    throw new EvidenceBroken('its time stamp is of another');
  return { ...verdict, stamp: { token: Buffer.from(token, 'base64'), over: Buffer.from(evidence) } };
}

type Opened = {
  readonly kid: string;
  readonly claims: Record<string, unknown>;
  readonly input: string;
  readonly mark: string;
};

/** The parts of a compact JWS of ours, not verified yet. */
function openJws(jws: string, typ: string): Opened {
  const [head = '', body = '', mark = '', ...more] = jws.split('.');
  if (more.length > 0) throw new EvidenceBroken('it is not one signed statement');
  const header = recordOf(bytesOf(head));
  const claims = recordOf(bytesOf(body));
  if (header['alg'] !== 'ES256' || header['typ'] !== typ) throw new EvidenceBroken('it is not signed as evidence is');
  return { kid: String(header['kid']), claims, input: `${head}.${body}`, mark };
}

function signedClaims(jws: string, typ: string, jwk: webcrypto.JsonWebKey): Record<string, unknown> {
  const { claims, input, mark } = openJws(jws, typ);
  const signature = bytesOf(mark);
  if (signature.length !== 64 || !isSigned(jwk, input, signature)) {
    throw new EvidenceBroken('the signature does not fit what it says');
  }
  return claims;
}

function wholeOf(text: string): EvidenceBundle {
  const { evidence, timeStamp } = recordOf(Buffer.from(text));
  const stamped = typeof timeStamp === 'string' ? { timeStamp } : {};
  const bundle = typeof evidence === 'string' ? { evidence, ...stamped } : undefined;
  const whole = bundle === undefined ? '' : JSON.stringify(bundle);
  if (bundle === undefined || (text !== whole && text !== `${whole}\n`)) {
    throw new EvidenceBroken('the file is not a bundle as it was given out');
  }
  return bundle;
}

function isSigned(jwk: webcrypto.JsonWebKey, input: string, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return verify('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}

/** Bytes in base64url; a text that only decodes to them with its last bits ignored is refused. */
function bytesOf(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new EvidenceBroken('a part of it is not base64url');
  return bytes;
}

function recordOf(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    // Narrowed to an object; its members stay unknown.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw new EvidenceBroken(cause instanceof SyntaxError ? 'a part of it is not JSON' : 'a part of it is not text');
  }
  throw new EvidenceBroken('a part of it is not an object');
}

function keyOf(value: unknown): EvidenceKey | undefined {
  if (typeof value !== 'object' || value === null || !('kid' in value)) return undefined;
  return { kid: String(value.kid), jwk: value as webcrypto.JsonWebKey };
}

/** The keys of a key set as /.well-known/jwks.json serves it. */
export function parseKeySet(text: string): EvidenceKey[] {
  const { keys } = recordOf(Buffer.from(text));
  if (!Array.isArray(keys)) throw new TypeError('expected a key set: {"keys": [...]}');
  return keys.flatMap((key: unknown) => keyOf(key) ?? []);
}
