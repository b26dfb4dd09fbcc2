import type { KeyObject, webcrypto } from 'node:crypto';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { hasDuplicateMember } from '../kernel/has-duplicate-member.ts';

/** A token in the form of a compact JWS, of which nothing is verified yet. */
export type UnverifiedToken = {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** The longest token that is looked at; ours have some 600 characters. */
const maxTokenLength = 8_192;

const compactJws = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/**
 * Header members by which a token would choose its own key, or ask to be read in another way (RFC 7515 section 4.1, RFC
 * 7797). No token of ours or of an issuer we can trust needs one; a proof of possession alone carries `jwk`.
 */
const refusedMembers = ['crit', 'b64', 'jku', 'x5u', 'x5c', 'zip', 'enc'];

/** The header and claims of a compact JWS, each a JSON object with every name once; nothing of it is verified. */
export type UnverifiedJws = {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** Takes a compact JWS apart; undefined for another form, and for a header that asks to be read in a way of its own. */
export function parseUnverifiedJws(jws: string): UnverifiedJws | undefined {
  if (jws.length > maxTokenLength) return undefined;
  const match = compactJws.exec(jws);
  if (match === null) return undefined;
  const header = parseJsonObject(match[1] ?? '');
  const claims = parseJsonObject(match[2] ?? '');
  if (header === undefined || claims === undefined) return undefined;
  if (refusedMembers.some((member) => Object.hasOwn(header, member))) return undefined;
  return { header, claims };
}

/**
 * Takes an access token apart: compact form and header of type `at+jwt` (RFC 9068, section 2.1). Undefined for everything
 * else; `test/attacks/tokens.test.ts` has the list.
 */
export function parseUnverifiedToken(token: string): UnverifiedToken | undefined {
  const parsed = parseUnverifiedJws(token);
  if (parsed === undefined) return undefined;
  const { header, claims } = parsed;
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || typeof typ !== 'string') return undefined;
  if (!/^(?:application\/)?at\+jwt$/i.test(typ)) return undefined;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > 200)) return undefined;
  if (Object.hasOwn(header, 'jwk')) return undefined;
  return { alg, kid, claims };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJsonObject(part: string): Record<string, unknown> | undefined {
  let value: unknown;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(part, 'base64url'));
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // A name that stands twice is one member once parsed: two readers could take different ones.
  if (hasDuplicateMember(text, value)) return undefined;
  return { ...value };
}

/** Whether the key signed the compact JWS, with one of these algorithms. */
export async function isSignedWith(
  key: KeyObject | webcrypto.CryptoKey,
  jws: string,
  algorithms: readonly string[],
): Promise<boolean> {
  try {
    await compactVerify(jws, key, { algorithms: [...algorithms] });
    return true;
  } catch (fault) {
    if (fault instanceof JOSEError) return false;
    throw fault;
  }
}
