import { createPublicKey } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { clockSkewSeconds, isEpochSeconds } from './access-token.ts';
import { acceptedAlgsOf, type ClientKeySet } from './client-keys.ts';
import { isSignedWith, parseUnverifiedJws, type UnverifiedJws } from './parse-token.ts';
import { invalidClient, type TokenError } from './token-request.ts';
import { createReplayDetector } from './used-proof-store.ts';

/** Dependencies of the verification of client assertions. */
export type AssertionDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly publicUrl: string;
};

/** The longest remaining life of an assertion that is accepted, in seconds. */
const maxAssertionSeconds = 300;

/** How long the id of a used assertion is stored: longer than an accepted assertion can live. */
const replayWindowMs = 900_000;

/**
 * Creates the verification of `private_key_jwt` assertions (RFC 7523, section 3) whose `sub` is `clientId`. It returns the
 * error to answer, or undefined for a valid assertion, which is then marked as used even if the rest of its request is invalid.
 */
export function createAssertionVerifier({ db, clock, publicUrl }: AssertionDeps) {
  const isFirstUse = createReplayDetector({ db, clock }, 'ReplayDetection');
  return async (assertion: string, clientId: string, keySet: ClientKeySet): Promise<TokenError | undefined> => {
    // Details are reported only to a client that holds the key.
    const parsed = parseUnverifiedJws(assertion);
    if (parsed === undefined || !isSignedByClient(assertion, parsed, keySet)) return invalidClient();
    const { claims } = parsed;
    const { iss, aud, exp, jti } = claims;
    if (iss !== clientId || typeof jti !== 'string' || jti === '' || typeof exp !== 'number') return invalidClient();
    // For a foreign audience no details are reported; the token endpoint and a list are common mistakes.
    if (![aud].flat().some((one) => one === publicUrl || one === `${publicUrl}/oauth2/token`)) return invalidClient();
    const fault = assertionFault(claims, publicUrl, clock.now());
    if (fault !== undefined) return invalidClient(fault);
    // RFC 7523, section 3, item 7: the jti is stored, and an assertion is accepted once.
    if (await isFirstUse(clientId, jti, clock.now() + replayWindowMs)) return undefined;
    return invalidClient('this client_assertion was used before; make a new one for every request');
  };
}

/** Whether a key of the client signed the assertion. Without a `kid`, each key for its algorithm is tried. */
function isSignedByClient(assertion: string, { header }: UnverifiedJws, { keys }: ClientKeySet): boolean {
  const candidates = keys.filter(({ kid }) => header['kid'] === undefined || header['kid'] === kid);
  return candidates.some((jwk) => {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algs = acceptedAlgsOf(key);
    const alg = typeof algs === 'string' ? undefined : algs.find((one) => one === header['alg']);
    return alg !== undefined && isSignedWith(key, assertion, alg);
  });
}

/**
 * The fault of the claims of a verified assertion, as a text for its client, or undefined. The audience must be our issuer as
 * a string and nothing else (RFC 7523bis); the times must fit our clock (FAPI 2.0, section 5.3.2.1). The text names the
 * difference of the clocks, since a wrong clock is the usual cause.
 */
function assertionFault(
  { aud, exp, iat, nbf }: Readonly<Record<string, unknown>>,
  issuer: string,
  nowMs: number,
): string | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (aud !== issuer) return 'aud of the client_assertion must be the issuer, as a string';
  if (!isEpochSeconds(exp)) return 'exp of the client_assertion must be a whole number of seconds';
  if (exp <= now - clockSkewSeconds)
    return `the client_assertion expired ${now - exp} s ago by the clock of this server`;
  if (exp > now + maxAssertionSeconds + clockSkewSeconds)
    return `a client_assertion may live ${maxAssertionSeconds} s at most`;
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time === undefined) continue;
    if (!isEpochSeconds(time)) return `${name} of the client_assertion must be a whole number of seconds`;
    if (time > now + clockSkewSeconds)
      return `${name} of the client_assertion is ${time - now} s ahead of the clock of this server`;
  }
  return undefined;
}
