import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/is-object.ts';

/** The signature algorithms of tokens, assertions and proofs (FAPI 2.0, section 5.4): no `none`, no HS*, no RS256. */
export const acceptedAlgs = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;
/** One of these algorithms. */
export type AcceptedAlg = (typeof acceptedAlgs)[number];

/** A public key of a client (RFC 7517), with the members that are stored. */
type ClientKey = {
  readonly kty: string;
  readonly kid: string;
  /** Absent for Ed25519, which has two algorithm names. */
  readonly alg?: AcceptedAlg;
  readonly use: 'sig';
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
};

/** The public keys of a client (RFC 7517), checked when the client is created or changed. */
export type ClientKeySet = { readonly keys: readonly ClientKey[] };

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const maxKeys = 10;
const maxFetchedKeys = 50;
const minRsaBits = 2_048;
/** Signatures of larger keys take up to fifty times as long to verify, and any client may send a key (test/attacks/tokens-dpop.test.ts). */
const maxRsaBits = 8_192;
const maxRsaExponent = 2n ** 32n;

/** Parses the JWK Set of a client, or returns its fault. A key without `kid` gets its thumbprint (RFC 7638). */
export function parseClientKeys(text: string): ClientKeySet | { readonly fault: string } {
  const list = parseKeyList(text);
  if ('fault' in list) return list;
  if (list.length < 1 || list.length > maxKeys) return { fault: `a key set has 1 to ${maxKeys} keys` };
  const keys: ClientKey[] = [];
  for (const [index, jwk] of list.entries()) {
    const key = parseKey(jwk);
    if (typeof key === 'string') return { fault: `key ${index + 1}: ${key}` };
    if (keys.some(({ kid }) => kid === key.kid)) return { fault: `key ${index + 1}: its kid occurs twice` };
    keys.push(key);
  }
  return { keys };
}

/**
 * Parses the JWK Set that a client publishes at its `jwks_uri`, or returns its fault. Keys that are not accepted are ignored, as RFC
 * 7517, section 5, demands: the set can also have keys for encryption or for other servers.
 */
export function parseFetchedKeys(text: string): ClientKeySet | { readonly fault: string } {
  const list = parseKeyList(text);
  if ('fault' in list) return list;
  if (list.length > maxFetchedKeys)
    return { fault: `the key set has ${list.length} keys, more than ${maxFetchedKeys}` };
  const parsed = list.map(parseKey);
  const keys = parsed.filter((key) => typeof key === 'object');
  const [firstFault = 'the list "keys" is empty'] = parsed.filter((key) => typeof key === 'string');
  if (keys.length === 0) return { fault: `no key is accepted; the first one ${firstFault}` };
  return keys.length > maxKeys ? { fault: `the key set has more than ${maxKeys} accepted keys` } : { keys };
}

function parseKeyList(text: string): readonly unknown[] | { readonly fault: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { fault: 'the key set is not JSON; expected {"keys":[…]} (RFC 7517)' };
  }
  const list = isObject(parsed) ? parsed['keys'] : undefined;
  return Array.isArray(list) ? list : { fault: 'the key set has no list "keys"; expected {"keys":[…]} (RFC 7517)' };
}

/** The public key in the header of a DPoP proof, with the algorithms that it is for; or the reason why it is not accepted. */
export function parseEmbeddedKey(
  jwk: unknown,
): { readonly key: KeyObject; readonly algs: readonly AcceptedAlg[]; readonly thumbprint: string } | string {
  const key = isObject(jwk) ? publicKeyOf(jwk) : 'is not a JWK';
  if (typeof key === 'string') return key;
  const algs = acceptedAlgsOf(key);
  return typeof algs === 'string' ? algs : { key, algs, thumbprint: thumbprintOf(key) };
}

function thumbprintOf(key: KeyObject): string {
  return hash('sha256', canonicalJson(publicMembers(key)), 'base64url');
}

function publicKeyOf(jwk: Record<string, unknown>): KeyObject | string {
  const secret = privateMembers.find((member) => member in jwk);
  if (secret !== undefined)
    return `has the private member "${secret}"; expected public keys only; replace this key, because it is no longer secret`;
  if (jwk['use'] !== undefined && jwk['use'] !== 'sig') return 'is not for signatures: its "use" is not "sig"';
  const operations = jwk['key_ops'];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return 'is not for verifying signatures: its "key_ops" is not a list with "verify"';
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return 'is not a public key as in RFC 7518';
  }
}

function parseKey(jwk: unknown): ClientKey | string {
  if (!isObject(jwk)) return 'is not a JWK';
  const key = publicKeyOf(jwk);
  if (typeof key === 'string') return key;
  const algs = acceptedAlgsOf(key);
  if (typeof algs === 'string') return algs;
  const [only, ...others] = algs;
  if (jwk['alg'] !== undefined && !algs.some((alg) => alg === jwk['alg'])) {
    return `has an "alg" other than ${algs.join(' or ')}`;
  }
  const members = publicMembers(key);
  const kid = jwk['kid'] ?? thumbprintOf(key);
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(kid)) {
    return 'has a "kid" that is not 1 to 200 visible characters';
  }
  return { ...members, kid, ...(only !== undefined && others.length === 0 ? { alg: only } : {}), use: 'sig' };
}

/** The algorithms that the key is for, or the reason why it is not accepted. */
export function acceptedAlgsOf(key: KeyObject): readonly AcceptedAlg[] | string {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') return ['ES256'];
  if (key.asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519'];
  if (key.asymmetricKeyType !== 'rsa') return 'has no accepted type; expected EC P-256, Ed25519 or RSA';
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details ?? {};
  if (bits < minRsaBits) return `is an RSA key of fewer than ${minRsaBits} bits`;
  if (bits > maxRsaBits) return `is an RSA key of more than ${maxRsaBits} bits`;
  if (exponent > maxRsaExponent) return 'is an RSA key whose public exponent has more than 32 bits; 65537 is usual';
  return ['PS256'];
}

/** The required members of the key, which are those that RFC 7638 hashes. */
function publicMembers(key: KeyObject): { readonly kty: string; readonly [member: string]: string } {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' });
  if (kty === undefined) throw new TypeError('a JWK has a kty');
  const members: Record<string, string | undefined> = { crv, x, y, n, e };
  const present = Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { kty, ...Object.fromEntries(present) };
}
