import { clockSkewSeconds } from './access-token.ts';

/** The longest that a client assertion may still live when it comes, in seconds. */
const maxAssertionSeconds = 300;

/**
 * What is wrong with the claims of a verified client assertion, in words for its client, or undefined: the audience must
 * be our issuer as a string and nothing else (RFC 7523bis), and its times must fit our clock (FAPI 2.0, section 5.3.2.1).
 * A clock that is off is the usual cause, so the offset is told.
 */
export function assertionFault(
  claims: Readonly<Record<string, unknown>>,
  issuer: string,
  nowMs: number,
): string | undefined {
  const now = Math.floor(nowMs / 1_000);
  const { aud, exp, iat, nbf } = claims;
  if (aud !== issuer) return 'aud of the client_assertion must be the issuer, as a string';
  if (!isWhole(exp)) return 'exp of the client_assertion must be a whole number of seconds';
  if (exp <= now - clockSkewSeconds)
    return `the client_assertion expired ${now - exp} s ago by the clock of this server`;
  if (exp > now + maxAssertionSeconds + clockSkewSeconds)
    return `a client_assertion may live ${maxAssertionSeconds} s at most`;
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time === undefined) continue;
    if (!isWhole(time)) return `${name} of the client_assertion must be a whole number of seconds`;
    if (time > now + clockSkewSeconds)
      return `${name} of the client_assertion is ${time - now} s ahead of the clock of this server`;
  }
  return undefined;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
