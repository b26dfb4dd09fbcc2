import { hash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { clockSkewSeconds } from './access-token.ts';
import { parseEmbeddedKey } from './client-keys.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { isSignedWith, parseUnverifiedJws } from './parse-token.ts';

/** How old a proof may be in seconds, in addition to the accepted clock difference. */
const maxProofAgeSeconds = 60;

/** The request that a proof must be made for; `accessToken` if the request uses one. */
type ExpectedRequest = {
  readonly method: string;
  readonly url: string;
  readonly accessToken?: string | undefined;
};

/** A verified proof. */
export type DpopProof = {
  /** The thumbprint of its key (RFC 7638). */
  readonly jkt: string;
  readonly jti: string;
  /** From this instant on the proof is refused for its age; epoch milliseconds. */
  readonly endsAt: number;
  readonly nonce: string | undefined;
};

/** The fault of a proof, with an error code of RFC 9449; the description is for the client. */
export type DpopProofFault = { readonly error: 'invalid_dpop_proof' | 'use_dpop_nonce'; readonly description: string };

const invalid = (description: string): DpopProofFault => ({ error: 'invalid_dpop_proof', description });

/** Checks a `DPoP` header (RFC 9449, section 4.3) except for its reuse, which the caller checks. */
export async function checkDpopProof(
  header: string | undefined,
  expected: ExpectedRequest,
  { clock, nonces }: { readonly clock: Clock; readonly nonces: DpopNonces | undefined },
): Promise<DpopProof | DpopProofFault> {
  if (header === undefined) return invalid('the request has no DPoP header');
  const parsed = parseUnverifiedJws(header);
  if (parsed === undefined || parsed.header['typ'] !== 'dpop+jwt')
    return invalid('the proof is not a JWT of type dpop+jwt');
  const embedded = parseEmbeddedKey(parsed.header['jwk']);
  if (typeof embedded === 'string') return invalid('the jwk of the proof is not a public key for an accepted alg');
  const alg = embedded.algs.find((one) => one === parsed.header['alg']);
  if (alg === undefined) return invalid(`the alg of the proof must be ${embedded.algs.join(' or ')} for its key`);
  if (!(await isSignedWith(embedded.key, header, alg))) return invalid('the signature of the proof is not valid');
  const { jti, iat, nonce } = parsed.claims;
  const fault = claimsFault(parsed.claims, expected, clock.now());
  if (fault !== undefined) return invalid(fault);
  if (nonces !== undefined && (typeof nonce !== 'string' || !nonces.accepts(nonce))) {
    return { error: 'use_dpop_nonce', description: 'the proof must contain the nonce of the DPoP-Nonce header' };
  }
  const endsAt = (Number(iat) + maxProofAgeSeconds + clockSkewSeconds + 1) * 1_000;
  return { jkt: embedded.thumbprint, jti: String(jti), endsAt, nonce: typeof nonce === 'string' ? nonce : undefined };
}

function claimsFault(
  { htm, htu, iat, jti, ath }: Readonly<Record<string, unknown>>,
  expected: ExpectedRequest,
  nowMs: number,
): string | undefined {
  if (typeof jti !== 'string' || jti.length < 1 || jti.length > 255) return 'jti must be a text of 1 to 255 characters';
  if (htm !== expected.method) return 'htm is not the method of the request';
  if (typeof htu !== 'string' || normalizeUrl(htu) !== normalizeUrl(expected.url))
    return 'htu is not the address of the request';
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat)) return 'iat must be a whole number of seconds';
  const now = Math.floor(nowMs / 1_000);
  if (iat > now + clockSkewSeconds) return `iat is ${iat - now} s ahead of the clock of this server`;
  if (iat < now - maxProofAgeSeconds - clockSkewSeconds)
    return `iat is ${now - iat} s in the past by the clock of this server`;
  if (expected.accessToken === undefined) return undefined;
  return ath === hash('sha256', expected.accessToken, 'base64url')
    ? undefined
    : 'ath is not the hash of the access token';
}

/** A URL as RFC 9449, section 4.3, compares it: normalised, without query and fragment. */
function normalizeUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  url.search = '';
  url.hash = '';
  return url.href;
}
