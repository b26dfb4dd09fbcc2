import { createPublicKey } from 'node:crypto';
import { clockSkewSeconds, isEpochSeconds } from './access-token.ts';
import { acceptedAlgs, acceptedAlgsOf, type ClientKeySet } from './client-keys.ts';
import { isSignedWith, parseUnverifiedJws, type UnverifiedJws } from './parse-token.ts';
import { invalidClient, type TokenError, type TokenRefusalReason } from './token-request.ts';

/** The longest remaining life of an assertion that is accepted, in seconds. */
const maxAssertionSeconds = 300;

/** How long the id of a used assertion is stored, in milliseconds: longer than an accepted assertion can live. */
export const assertionReplayWindowMs = 900_000;

/** A `private_key_jwt` assertion (RFC 7523, section 2.2) that names a client, before its signature is verified. */
export type UnverifiedAssertion = UnverifiedJws & { readonly text: string; readonly clientId: string };

/**
 * Parses an assertion. Its faults are reported to anybody, because they do not depend on the stored client. An access
 * token or a DPoP proof of the same key is refused by its type; most libraries send none, or `JWT`.
 */
export function parseClientAssertion(text: string): UnverifiedAssertion | TokenError {
  const parsed = parseUnverifiedJws(text);
  if (parsed === undefined)
    return invalidClient(
      'assertion-form',
      'the client_assertion is not a signed JWT, or its header names a key by URL',
    );
  const { alg, typ } = parsed.header;
  if (!acceptedAlgs.some((one) => one === alg))
    return invalidClient('algorithm', `alg of the client_assertion must be one of ${acceptedAlgs.join(', ')}`);
  if (typ !== undefined && !/^(?:application\/)?(?:jwt|client-authentication\+jwt)$/i.test(String(typ)))
    return invalidClient('assertion-typ', 'typ of the client_assertion must be client-authentication+jwt or JWT');
  const { sub } = parsed.claims;
  if (typeof sub !== 'string' || sub === '')
    return invalidClient('unknown-client', 'sub of the client_assertion must be the client_id');
  return { ...parsed, text, clientId: sub };
}

/** The id of the key that signed an assertion, or the reason for the log why no key of the client did. */
export type AssertionSigner = { readonly signedBy: string } | { readonly fault: TokenRefusalReason };

/** Finds the key of the client that has signed the assertion. Without a `kid` each key is tried. */
export async function findSigner(
  { header, text }: UnverifiedAssertion,
  { keys }: ClientKeySet,
): Promise<AssertionSigner> {
  const candidates = keys.filter(({ kid }) => header['kid'] === undefined || header['kid'] === kid);
  if (candidates.length === 0) return { fault: 'unknown-key' };
  for (const jwk of candidates) {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algs = acceptedAlgsOf(key);
    const alg = typeof algs === 'string' ? undefined : algs.find((one) => one === header['alg']);
    if (alg !== undefined && (await isSignedWith(key, text, alg))) return { signedBy: jwk.kid };
  }
  return { fault: 'signature' };
}

/**
 * The fault of the claims of an assertion whose signature was verified (RFC 7523, section 3), or undefined. The audience must be
 * our issuer as a string and nothing else (RFC 7523bis).
 */
export function assertionClaimsFault(
  { claims, clientId }: UnverifiedAssertion,
  issuer: string,
  nowMs: number,
): TokenError | undefined {
  const { iss, aud, jti } = claims;
  if (iss !== clientId) return invalidClient('issuer', 'iss of the client_assertion must be the client_id, like sub');
  if (aud !== issuer)
    return invalidClient('audience', `aud of the client_assertion must be the issuer ${issuer}, as a string`);
  if (typeof jti !== 'string' || jti === '')
    return invalidClient('jti', 'jti is missing; send a new jti in each client_assertion');
  const fault = timeFault(claims, nowMs);
  return fault === undefined ? undefined : invalidClient('times', fault);
}

/**
 * The times must fit our clock (FAPI 2.0, section 5.3.2.1). The text names the difference of the clocks, since a wrong clock is
 * the usual cause.
 */
function timeFault({ exp, iat, nbf }: Readonly<Record<string, unknown>>, nowMs: number): string | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (!isEpochSeconds(exp)) return 'exp of the client_assertion must be a whole number of seconds';
  if (exp <= now - clockSkewSeconds)
    return `the client_assertion expired ${now - exp} s ago by the clock of this server`;
  if (exp > now + maxAssertionSeconds + clockSkewSeconds)
    return `a client_assertion may be valid for at most ${maxAssertionSeconds} s`;
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time === undefined) continue;
    if (!isEpochSeconds(time)) return `${name} of the client_assertion must be a whole number of seconds`;
    if (time > now + clockSkewSeconds)
      return `${name} of the client_assertion is ${time - now} s ahead of the clock of this server`;
  }
  return undefined;
}
