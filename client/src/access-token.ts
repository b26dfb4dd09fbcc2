import { importJWK, type JWK, SignJWT } from 'jose';
import { TokenError } from './client-errors.ts';
import { type DpopProver, retryWithNonce } from './dpop.ts';
import { parseRetryAfter, readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

/** The credentials of a client: a private key (private_key_jwt), or a secret in a demo or sandbox. */
export type Credentials =
  | { readonly clientSecret: string; readonly privateKey?: undefined }
  | { readonly privateKey: JWK; readonly clientSecret?: undefined };

/** The access token of a client. It is renewed a minute before it expires, or at half its lifetime if that is later. */
export type AccessTokens = {
  /** Concurrent callers share one request. */
  get(signal?: AbortSignal): Promise<string>;
  /** Drops a token that the server no longer accepts. */
  invalidate(token: string): void;
};

const renewalMarginMs = 60_000;

/** Creates the token source of a client. It requests the first token when it is needed. */
export function createAccessTokens(
  options: RetryOptions & {
    readonly baseUrl: string;
    readonly clientId: string;
    readonly credentials: Credentials;
    readonly scope: string | undefined;
    readonly fetch: typeof fetch;
    readonly timeoutMs: number;
    /** The prover whose key the tokens are bound to, if any. */
    readonly dpop: DpopProver | undefined;
  },
): AccessTokens {
  let token: { readonly text: string; readonly renewAt: number } | undefined;
  let pendingRequest: Promise<string> | undefined;

  const request = async () => {
    const { text, livesMs } = await retry(options, undefined, () => retryWithNonce(requestOnce));
    token = { text, renewAt: options.clock.now() + Math.max(livesMs - renewalMarginMs, livesMs / 2) };
    return text;
  };
  const requestOnce = async () => {
    const { headers, form } = await clientAuthentication(options);
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
    if (options.scope !== undefined) body.set('scope', options.scope);
    const { fetch, timeoutMs, dpop } = options;
    const [method, url] = ['POST', `${options.baseUrl}/oauth2/token`];
    const init = { method, headers: { ...headers, ...(await dpop?.headersFor({ method, url })) }, body };
    return await sendRequest({ fetch, url, init }, { timeoutMs }, (response) => {
      dpop?.storeNonce(response);
      return parseTokenResponse(response, options.clock.now(), dpop === undefined ? 'bearer' : 'dpop');
    });
  };
  const get = async (signal?: AbortSignal) => {
    if (token !== undefined && options.clock.now() < token.renewAt) return token.text;
    pendingRequest ??= request().finally(() => {
      pendingRequest = undefined;
    });
    return await rejectOnAbort(pendingRequest, signal);
  };
  return {
    get,
    invalidate: (refused) => {
      if (token?.text === refused) token = undefined;
    },
  };
}

async function parseTokenResponse(
  response: Response,
  now: number,
  expectedType: 'bearer' | 'dpop',
): Promise<{ text: string; livesMs: number }> {
  const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '');
  if (!isJson) throw await readProblem(response, now);
  const members = (await readJson(response)) as Record<string, unknown>;
  const { access_token: text, token_type: type, expires_in: seconds, error, error_description: description } = members;
  if (response.ok && typeof text === 'string') {
    // The client would use an unbound token as if it were bound (RFC 9449, section 5).
    if (String(type).toLowerCase() === expectedType) return { text, livesMs: Number(seconds ?? 0) * 1_000 };
    throw new TokenError(response.status, { error: 'wrong token_type', description: `expected ${expectedType}` });
  }
  const oauthError = { error: String(error ?? 'no token in the response'), description: String(description ?? '') };
  throw new TokenError(response.status, oauthError, parseRetryAfter(response, now));
}

async function clientAuthentication(options: {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly credentials: Credentials;
  readonly clock: { now(): number };
}): Promise<{ headers: Record<string, string>; form: Record<string, string> }> {
  const { baseUrl, clientId, credentials, clock } = options;
  if (credentials.privateKey === undefined) {
    // Both parts are form-encoded (RFC 6749, section 2.3.1).
    const pair = [clientId, credentials.clientSecret].map((text) =>
      new URLSearchParams([['', text]]).toString().slice(1),
    );
    return { headers: { authorization: `Basic ${Buffer.from(pair.join(':')).toString('base64')}` }, form: {} };
  }
  const jwk = credentials.privateKey;
  const alg = jwk.alg ?? (jwk.kty === 'RSA' ? 'PS256' : jwk.kty === 'OKP' ? 'EdDSA' : 'ES256');
  const at = Math.floor(clock.now() / 1_000);
  // The audience is the issuer of the server only (FAPI 2.0). The server accepts an assertion once.
  const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: baseUrl, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg, ...(jwk.kid === undefined ? {} : { kid: jwk.kid }) })
    .setIssuedAt(at)
    .setExpirationTime(at + 60)
    .sign(await importKey(jwk, alg));
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { headers: {}, form: { client_id: clientId, client_assertion_type: type, client_assertion: assertion } };
}

async function importKey(jwk: JWK, alg: string) {
  const key = jwk.d === undefined ? undefined : await importJWK(jwk, alg).catch(() => undefined);
  if (key === undefined) throw new TypeError('privateKey has to be a private key as a JWK, for ES256, EdDSA or PS256');
  return key;
}

/** Rejects when the signal aborts. The shared request continues, because other callers wait for it. */
async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let stop = () => undefined as unknown;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
