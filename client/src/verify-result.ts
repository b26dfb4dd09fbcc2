import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

/** What a signed result of verify says. `verified_claims` are in it on a match only; still, look at `decision`. */
export type VerifiedResult = JWTPayload & {
  /** `match`, `no_match` or `not_determined`. */
  readonly decision: string;
  /** Keep it until `exp`, and refuse a result that has it a second time. */
  readonly jti: string;
  readonly exp: number;
  readonly policy: string;
  readonly request_hash: string;
  readonly nonce?: string;
  readonly purpose?: string;
  /** OpenID Connect for Identity Assurance 1.0, section 5. */
  readonly verified_claims?: { readonly verification: object; readonly claims: Readonly<Record<string, unknown>> };
};

/** What the result has to be an answer to, where the caller still knows. */
export type ExpectedResult = { readonly nonce?: string; readonly requestHash?: string };

/** A result that is not to be believed; `code` says why, and is `ERR_JWKS_NO_MATCHING_KEY` where the key is unknown. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(`the result is not to be believed: ${message}`);
    this.code = code;
  }
}

/** Checks a signed result by keys that are at hand, without asking anybody; throws a `ResultError`. */
export async function verifyResult(
  token: string,
  expected: ExpectedResult & {
    /** PUBLIC_URL of the server. */
    readonly issuer: string;
    readonly clientId: string;
    /** What `/.well-known/jwks.json` of the server holds. */
    readonly jwks: JSONWebKeySet;
    /** Epoch milliseconds. */
    readonly now?: number;
  },
): Promise<VerifiedResult> {
  // The set has keys for other things too.
  const keys = expected.jwks.keys.filter(
    (key: JWK & { citizen_services_use?: unknown }) => key.citizen_services_use === 'result',
  );
  const { issuer, clientId, now = Date.now() } = expected;
  const rules = {
    ...{ issuer, audience: clientId, typ: 'identity-verification+jwt', currentDate: new Date(now) },
    ...{ algorithms: ['ES256', 'EdDSA', 'PS256'], requiredClaims: ['exp', 'iat', 'jti', 'decision'] },
  };
  // The payload is the server's own when its signature is good.
  const { payload } = await jwtVerify<VerifiedResult>(token, createLocalJWKSet({ keys }), rules).catch((fault) => {
    // Those of jose hold the payload.
    if (fault instanceof errors.JOSEError) throw new ResultError(fault.code, fault.message);
    throw fault;
  });
  const { nonce, requestHash } = expected;
  if (nonce !== undefined && payload.nonce !== nonce) throw new ResultError('NONCE', 'it has another nonce');
  if (requestHash !== undefined && payload.request_hash !== requestHash)
    throw new ResultError('REQUEST_HASH', 'it answers another question');
  return payload;
}

const [keptMs, askedAgainMs] = [3_600_000, 30_000];

/** The published keys of a server: fetched each hour, and for an unknown key, which anybody can name, once in 30 seconds. */
export function createResultKeys(
  options: RetryOptions & { readonly baseUrl: string; readonly fetch: typeof fetch; readonly timeoutMs: number },
): (isUnknown: boolean) => Promise<JSONWebKeySet> {
  let cached: { readonly jwks: JSONWebKeySet; readonly at: number } | undefined;
  return async (isUnknown) => {
    const now = options.clock.now();
    if (cached !== undefined && now - cached.at < (isUnknown ? askedAgainMs : keptMs)) return cached.jwks;
    const { fetch, timeoutMs, baseUrl } = options;
    const request = { fetch, url: `${baseUrl}/.well-known/jwks.json`, init: {} };
    const fetchKeys = () =>
      sendRequest(request, { timeoutMs }, async (answer) => {
        if (!answer.ok) throw await readProblem(answer, now);
        return (await readJson(answer)) as JSONWebKeySet;
      });
    const jwks = await retry(options, undefined, fetchKeys);
    cached = { jwks, at: now };
    return jwks;
  };
}
