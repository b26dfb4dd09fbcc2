import { randomUUID } from 'node:crypto';
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { TokenError } from './client-errors.ts';
import { type DpopProver, retryWithNonce } from './dpop.ts';
import { parseRetryAfter, readJson, readProblem, sendRequest } from './http-request.ts';
import { type RetryOptions, retry } from './retry.ts';

/**
 * Signs with a private key that this program cannot read, such as in an HSM or a key management service. `sign` returns the signature
 * in the form of JWS (RFC 7518): for ES256 the 64 bytes of R and S, which many services return in ASN.1 instead.
 */
export type Signer = {
  readonly alg: 'ES256' | 'EdDSA' | 'Ed25519' | 'PS256';
  /** The `kid` of the key in the JWKS of this client. Needed if it has several keys. */
  readonly kid?: string;
  readonly sign: (data: Uint8Array) => Promise<Uint8Array> | Uint8Array;
};

/** The credentials of a client: a private key or a signer (private_key_jwt), or a secret in a demo or sandbox. */
export type Credentials =
  | { readonly clientSecret: string; readonly privateKey?: undefined; readonly signer?: undefined }
  | { readonly privateKey: JWK; readonly clientSecret?: undefined; readonly signer?: undefined }
  | { readonly signer: Signer; readonly clientSecret?: undefined; readonly privateKey?: undefined };

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
  if (credentials.clientSecret !== undefined) {
    // Both parts are form-encoded (RFC 6749, section 2.3.1).
    const pair = [clientId, credentials.clientSecret].map((text) =>
      new URLSearchParams([['', text]]).toString().slice(1),
    );
    return { headers: { authorization: `Basic ${Buffer.from(pair.join(':')).toString('base64')}` }, form: {} };
  }
  const at = Math.floor(clock.now() / 1_000);
  // The audience is the issuer of the server only (FAPI 2.0). The server accepts an assertion once.
  const life = { jti: randomUUID(), iat: at, exp: at + 60 };
  const claims = { iss: clientId, sub: clientId, aud: baseUrl, ...life };
  const { privateKey, signer } = credentials;
  const assertion = signer === undefined ? await signWithKey(privateKey, claims) : await signWith(signer, claims);
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { headers: {}, form: { client_id: clientId, client_assertion_type: type, client_assertion: assertion } };
}

async function signWithKey(jwk: JWK, claims: JWTPayload): Promise<string> {
  const alg = jwk.alg ?? (jwk.kty === 'RSA' ? 'PS256' : jwk.kty === 'OKP' ? 'EdDSA' : 'ES256');
  const header = { alg, ...(jwk.kid === undefined ? {} : { kid: jwk.kid }) };
  return await new SignJWT(claims).setProtectedHeader(header).sign(await importKey(jwk, alg));
}

async function signWith({ alg, kid, sign }: Signer, claims: JWTPayload): Promise<string> {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode({ alg, ...(kid === undefined ? {} : { kid }) })}.${encode(claims)}`;
  const signature = await sign(Buffer.from(input));
  if (alg === 'ES256' && signature.length !== 64)
    throw new TypeError('expected 64 bytes from signer.sign: for ES256, R and S of 32 bytes each, not ASN.1');
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
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
