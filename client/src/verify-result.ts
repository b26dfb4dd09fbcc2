import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

/** The claims of a signed result of verify. Only a match has `verified_claims`. Always check `decision`. */
export type VerifiedResult = JWTPayload & {
  /** `match`, `no_match` or `not_determined`. */
  readonly decision: string;
  /** Store it until `exp`, and refuse a second result with the same value. */
  readonly jti: string;
  readonly exp: number;
  readonly policy: string;
  readonly request_hash: string;
  readonly nonce?: string;
  readonly purpose?: string;
  /** OpenID Connect for Identity Assurance 1.0, section 5. */
  readonly verified_claims?: { readonly verification: object; readonly claims: Readonly<Record<string, unknown>> };
};

/** Values of the request that the result must match, if the caller still has them. */
export type ExpectedResult = { readonly nonce?: string; readonly requestHash?: string };

/** The signed result is not valid. `code` has the reason, such as `ERR_JWKS_NO_MATCHING_KEY` for an unknown key. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(`the result is not valid: ${message}`);
    this.code = code;
  }
}

/** Checks a signed result with the keys in `jwks`, without a network request. Throws a `ResultError`. */
export async function verifyResult(
  token: string,
  expected: ExpectedResult & {
    /** PUBLIC_URL of the server. */
    readonly issuer: string;
    readonly clientId: string;
    /** The content of `/.well-known/jwks.json` of the server. */
    readonly jwks: JSONWebKeySet;
    /** Epoch milliseconds. */
    readonly now?: number;
  },
): Promise<VerifiedResult> {
  // The set also has keys for other uses, which must not verify a result.
  const keys = expected.jwks.keys.filter(
    (key: JWK & { citizen_services_use?: unknown }) => key.citizen_services_use === 'result',
  );
  const { issuer, clientId, now = Date.now() } = expected;
  const rules = {
    issuer,
    audience: clientId,
    typ: 'identity-verification+jwt',
    currentDate: new Date(now),
    algorithms: ['ES256', 'EdDSA', 'PS256'],
    requiredClaims: ['exp', 'iat', 'jti', 'decision'],
  };
  // A valid signature shows that the server created the payload.
  const { payload } = await jwtVerify<VerifiedResult>(token, createLocalJWKSet({ keys }), rules).catch((fault) => {
    // Errors of jose contain the payload, which has personal data.
    if (fault instanceof errors.JOSEError) throw new ResultError(fault.code, fault.message);
    throw fault;
  });
  const { nonce, requestHash } = expected;
  if (nonce !== undefined && payload.nonce !== nonce) throw new ResultError('NONCE', 'expected another nonce');
  if (requestHash !== undefined && payload.request_hash !== requestHash)
    throw new ResultError('REQUEST_HASH', 'expected another request hash');
  return payload;
}

const [cacheMs, unknownKeyCacheMs] = [3_600_000, 30_000];

/**
 * Creates a function that returns the published keys of a server. It caches them for an hour, and for 30 seconds if a key was
 * unknown (`isUnknown`). The 30 seconds limit the requests that results with invented key ids can cause.
 */
export function createResultKeys(
  options: RetryOptions & { readonly baseUrl: string; readonly fetch: typeof fetch; readonly timeoutMs: number },
): (isUnknown: boolean) => Promise<JSONWebKeySet> {
  let cached: { readonly jwks: JSONWebKeySet; readonly at: number } | undefined;
  return async (isUnknown) => {
    const now = options.clock.now();
    if (cached !== undefined && now - cached.at < (isUnknown ? unknownKeyCacheMs : cacheMs)) return cached.jwks;
    const { fetch, timeoutMs, baseUrl } = options;
    const request = { fetch, url: `${baseUrl}/.well-known/jwks.json`, init: {} };
    const fetchKeys = () =>
      sendRequest(request, { timeoutMs }, async (response) => {
        if (!response.ok) throw await readProblem(response, now);
        return (await readJson(response)) as JSONWebKeySet;
      });
    const jwks = await retry(options, undefined, fetchKeys);
    cached = { jwks, at: now };
    return jwks;
  };
}
