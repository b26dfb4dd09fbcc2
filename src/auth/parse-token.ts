import type { KeyObject } from 'node:crypto';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { hasDuplicateMember } from '../kernel/has-duplicate-member.ts';
import { isObject } from '../kernel/is-object.ts';
import type { AcceptedAlg } from './client-keys.ts';

/** The header and claims of an access token; nothing is verified yet. */
export type UnverifiedToken = {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** The longest token that is parsed; ours have about 600 characters. */
const maxTokenLength = 8_192;

const compactJws = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** Header members with which a token could choose its key or its processing (RFC 7515 section 4.1, RFC 7797). */
const refusedMembers = ['crit', 'b64', 'jku', 'x5u', 'x5c', 'zip', 'enc'];

/** The header and claims of a compact JWS, each a JSON object without repeated names; nothing is verified yet. */
export type UnverifiedJws = {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** Parses a compact JWS (RFC 7515, section 7.1); undefined for another form, and for a header with a refused member. */
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

/** Parses an access token of type `at+jwt` (RFC 9068, section 2.1); undefined for the forms in test/attacks/tokens.test.ts. */
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
  // Readers disagree about which of two members with the same name counts.
  return isObject(value) && !hasDuplicateMember(text, value) ? value : undefined;
}

/** Whether the key signed the compact JWS with `alg` (RFC 7515, section 5.2). The caller has parsed the JWS. */
export async function isSignedWith(key: KeyObject, jws: string, alg: AcceptedAlg): Promise<boolean> {
  try {
    await compactVerify(jws, key, { algorithms: [alg] });
    return true;
  } catch (fault) {
    if (fault instanceof JOSEError) return false;
    throw fault;
  }
}
