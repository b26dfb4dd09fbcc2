import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { type SigningKey, signJws } from '../keys/signing-key.ts';

const type = 'citizen-services-evidence+jwt';

/** A bundle as a file: one signed statement, and nothing beside it that is not signed. */
export type EvidenceBundle = { readonly evidence: string };

/** Signs what `evidenceOf` made. */
export function signEvidence(key: SigningKey, claims: Readonly<Record<string, unknown>>): EvidenceBundle {
  return { evidence: signJws(key, type, claims) };
}

/** A key as it is found in a bundle or in a key set (RFC 7517). */
export type EvidenceKey = { readonly kid: string; readonly jwk: webcrypto.JsonWebKey };

/** What a good bundle says, and whether the key that signed it is one of those trusted. */
export type Verdict = {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly kid: string;
  readonly keyTrusted: boolean;
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
  const jws = wholeOf(text);
  const [head = '', body = '', mark = '', ...more] = jws.split('.');
  if (more.length > 0) throw new EvidenceBroken('it is not one signed statement');
  const header = recordOf(bytesOf(head));
  const claims = recordOf(bytesOf(body));
  if (header['alg'] !== 'ES256' || header['typ'] !== type) throw new EvidenceBroken('it is not signed as evidence is');
  const kid = String(header['kid']);
  const inside = keyOf(claims['issuerKey']);
  const known = trusted.find((candidate) => candidate.kid === kid);
  const jwk = known?.jwk ?? (inside?.kid === kid ? inside.jwk : undefined);
  if (jwk === undefined) throw new EvidenceBroken('its key is neither in it nor among those given');
  const signature = bytesOf(mark);
  if (signature.length !== 64 || !isSigned(jwk, `${head}.${body}`, signature)) {
    throw new EvidenceBroken('the signature does not fit what it says');
  }
  return { claims, kid, keyTrusted: known !== undefined };
}

function wholeOf(text: string): string {
  const bundle = recordOf(Buffer.from(text));
  const jws = bundle['evidence'];
  const whole = typeof jws === 'string' ? JSON.stringify({ evidence: jws }) : '';
  if (typeof jws !== 'string' || (text !== whole && text !== `${whole}\n`)) {
    throw new EvidenceBroken('the file is not a bundle as it was given out');
  }
  return jws;
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
