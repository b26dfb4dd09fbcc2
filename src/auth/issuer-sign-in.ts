import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { Configuration, TokenEndpointResponse } from 'openid-client';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { fetchDocument, type HttpFetch } from './fetch-document.ts';

/** The values that the browser keeps during a sign-in, so that no other browser can finish it. */
export type SignInAttempt = { readonly state: string; readonly nonce: string; readonly verifier: string };

type BeginOptions = { readonly attempt?: SignInAttempt; readonly silently?: boolean };

/** An access token of the issuer for this interface, valid until `endsAt` (epoch milliseconds), and how to get the next one. */
export type IssuedToken = {
  readonly accessToken: string;
  readonly endsAt: number;
  /** Undefined if the issuer gives none. */
  readonly refreshToken?: string | undefined;
};

/** The sign-in of people at an issuer. All functions throw `SignInFault` if the issuer does not respond as expected. */
export type IssuerSignIn = {
  /**
   * The URL to redirect to, and the values for `finish`, which are new by default. With `silently` the issuer shows no page
   * (prompt=none).
   */
  begin(options?: BeginOptions): Promise<{ readonly url: string; readonly attempt: SignInAttempt }>;
  /** Exchanges the query of the redirect for a token; undefined if the person or the issuer declined. */
  finish(query: string, attempt: SignInAttempt): Promise<IssuedToken | undefined>;
  /** Exchanges a refresh token (RFC 6749, section 6) for the next token; undefined if the issuer does not accept it any more. */
  refresh(refreshToken: string): Promise<IssuedToken | undefined>;
  /** Revokes a refresh token (RFC 7009). Does nothing if the issuer offers no revocation. */
  revoke(refreshToken: string): Promise<void>;
  /** The URL to sign out at the issuer (OpenID Connect RP-Initiated Logout); undefined if it offers none. */
  signOutUrl(): Promise<string | undefined>;
};

/** The issuer did not respond as expected. The message is for the operator, and contains no data of the person. */
export class SignInFault extends Error {
  constructor({ issuer, people }: Pick<SignInDeps, 'issuer' | 'people'>, { cause }: { readonly cause: unknown }) {
    super(`${people} cannot sign in at ${issuer}: ${errorMessages(cause).join(': ')}`, { cause });
    this.name = 'SignInFault';
  }
}

/** An error code (RFC 6749, section 4.1.2.1). Other texts from the browser are not logged. */
const errorCode = /^[\w.-]{1,64}$/;

/** The messages of an error and its causes, without those of JSON errors, which quote the document. */
function errorMessages(fault: unknown): readonly string[] {
  if (!(fault instanceof Error) || fault instanceof SyntaxError) return [];
  const code = 'error' in fault ? String(fault.error) : '';
  // If no address of a host responds, the error has a code and no message.
  const message = fault.message === '' && 'code' in fault ? String(fault.code) : fault.message;
  return [errorCode.test(code) ? `${message} (${code})` : message, ...errorMessages(fault.cause)];
}

/** How this server authenticates at the issuer: by a secret, or by its private key as a JWK. */
export type SignInCredential = { readonly secret: string } | { readonly key: JWK };

/** The registration of this server at the issuer, and the dependencies of the sign-in. */
type SignInDeps = {
  /** The people who sign in, for the messages of faults. */
  readonly people: 'citizens' | 'staff';
  readonly issuer: string;
  readonly clientId: string;
  readonly credential: () => SignInCredential;
  readonly returnUrl: string;
  readonly homeUrl: string;
  /** The interface that the token is for (RFC 8707). */
  readonly resource: string;
  readonly scope: string;
  readonly httpFetch: HttpFetch;
  readonly clock: Clock;
  readonly machineClock: Clock;
};

const timeoutSeconds = 5;
const metadataLifeMs = 600_000;
const failureRetryMs = 5_000;
/** The maximum of concurrent calls, so that a slow issuer does not use up the request limit of the process. */
const maxWaiting = 200;
const defaultTokenLifeSeconds = 600;
/** The metadata is loaded again after the clock of the machine was changed by more than this. */
const clockDriftSeconds = 5;

/** Creates the sign-in: OpenID Connect code flow with PKCE (RFC 7636), and a pushed request (RFC 9126) if supported. */
export function createIssuerSignIn(deps: SignInDeps): IssuerSignIn {
  const loadConfiguration = createConfigurationCache(deps);
  const callIssuer = createIssuerCall(deps, async () => ({
    library: await import('openid-client'),
    configuration: await loadConfiguration(),
  }));
  return {
    begin: (options = {}) => callIssuer((client) => beginSignIn(deps, client, options)),
    finish: async (query, attempt) => {
      // A forged redirect, or one of an earlier attempt.
      if (new URLSearchParams(query).get('state') !== attempt.state) return undefined;
      return await callIssuer((client) => finishSignIn(deps, client, { query, attempt }));
    },
    refresh: (refreshToken) => callIssuer((client) => refreshTokens(deps, client, refreshToken)),
    revoke: (refreshToken) =>
      callIssuer(async ({ library, configuration }) => {
        if (configuration.serverMetadata().revocation_endpoint === undefined) return;
        await library.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
      }),
    signOutUrl: () =>
      callIssuer(async ({ library, configuration }) => {
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        const parameters = { client_id: deps.clientId, post_logout_redirect_uri: deps.homeUrl };
        return library.buildEndSessionUrl(configuration, parameters).href;
      }),
  };
}

type Library = typeof import('openid-client');

type IssuerClient = { readonly library: Library; readonly configuration: Configuration };

async function beginSignIn(
  { returnUrl, scope, resource }: SignInDeps,
  { library, configuration }: IssuerClient,
  { attempt = newAttempt(library), silently = false }: BeginOptions,
): Promise<{ url: string; attempt: SignInAttempt }> {
  const { state, nonce, verifier } = attempt;
  const parameters = {
    redirect_uri: returnUrl,
    scope,
    resource,
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...(silently ? { prompt: 'none' } : {}),
  };
  const isPushed = configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined;
  const url = isPushed
    ? await library.buildAuthorizationUrlWithPAR(configuration, parameters)
    : library.buildAuthorizationUrl(configuration, parameters);
  return { url: url.href, attempt };
}

function newAttempt(library: Library): SignInAttempt {
  return {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
  };
}

async function finishSignIn(
  { returnUrl, resource, clock }: SignInDeps,
  { library, configuration }: IssuerClient,
  { query, attempt }: { readonly query: string; readonly attempt: SignInAttempt },
): Promise<IssuedToken | undefined> {
  const checks = {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.verifier,
    idTokenExpected: true,
  };
  try {
    const callbackUrl = new URL(`${returnUrl}?${query}`);
    const response = await library.authorizationCodeGrant(configuration, callbackUrl, checks, { resource });
    return issuedToken(response, clock);
  } catch (fault) {
    if (isRefusal(library, fault)) return undefined;
    throw fault;
  }
}

async function refreshTokens(
  { resource, clock }: SignInDeps,
  { library, configuration }: IssuerClient,
  refreshToken: string,
): Promise<IssuedToken | undefined> {
  try {
    return issuedToken(await library.refreshTokenGrant(configuration, refreshToken, { resource }), clock);
  } catch (fault) {
    if (isRefusal(library, fault)) return undefined;
    throw fault;
  }
}

function issuedToken(response: TokenEndpointResponse, clock: Clock): IssuedToken {
  const lifeSeconds = response.expires_in ?? defaultTokenLifeSeconds;
  return {
    accessToken: response.access_token,
    endsAt: clock.now() + Math.floor(lifeSeconds * 1_000),
    refreshToken: response.refresh_token,
  };
}

type CachedConfiguration = {
  readonly configuration: Promise<Configuration>;
  readonly loadedAt: number;
  /** The seconds by which our clock was ahead of that of the machine. */
  readonly ahead: number;
  lifeMs: number;
};

/** Caches the metadata for ten minutes, and a failure for five seconds. */
function createConfigurationCache(deps: SignInDeps): () => Promise<Configuration> {
  const { clock, machineClock } = deps;
  let cached: CachedConfiguration | undefined;
  const isUsable = ({ loadedAt, lifeMs, ahead }: CachedConfiguration, aheadNow: number) =>
    elapsedMs(loadedAt, clock) <= lifeMs && Math.abs(aheadNow - ahead) <= clockDriftSeconds;
  return () => {
    const ahead = Math.round((clock.now() - machineClock.now()) / 1_000);
    if (cached === undefined || !isUsable(cached, ahead)) {
      const fresh = { configuration: discover(deps, ahead), loadedAt: clock.now(), ahead, lifeMs: metadataLifeMs };
      cached = fresh;
      fresh.configuration.catch(() => {
        fresh.lifeMs = failureRetryMs;
      });
    }
    return cached.configuration;
  };
}

async function discover(
  { issuer, clientId, credential, httpFetch }: SignInDeps,
  ahead: number,
): Promise<Configuration> {
  const library = await import('openid-client');
  const url = new URL(issuer);
  const signInCredential = credential();
  const clientAuthentication =
    'secret' in signInCredential
      ? library.ClientSecretBasic(signInCredential.secret)
      : library.PrivateKeyJwt(await importPrivateKey(signInCredential.key));
  // The settings of issuers accept http for loopback only.
  const insecure = url.protocol === 'http:' ? [library.allowInsecureRequests] : [];
  return await library.discovery(url, clientId, { [library.clockSkew]: ahead }, clientAuthentication, {
    execute: [library.enableNonRepudiationChecks, ...insecure],
    timeout: timeoutSeconds,
    [library.customFetch]: (address, options) => fetchDocument(httpFetch, address, options as RequestInit),
  });
}

/** The key, for the algorithm that FAPI 2.0, section 5.4.1, allows for its type. */
async function importPrivateKey(jwk: JWK) {
  const { importJWK } = await import('jose/key/import');
  const alg = jwk.kty === 'RSA' ? 'PS256' : jwk.kty === 'OKP' ? 'Ed25519' : 'ES256';
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array || key.type !== 'private') throw new TypeError('expected a private key');
  return jwk.kid === undefined || jwk.kid === '' ? key : { key, kid: jwk.kid };
}

/** Whether the person or the issuer declined, or the code was used before, such as by a page that was loaded again. */
function isRefusal(library: Library, fault: unknown): boolean {
  if (fault instanceof library.AuthorizationResponseError) return declinedCodes.has(fault.error);
  return fault instanceof library.ResponseBodyError && fault.error === 'invalid_grant';
}

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6. All other codes are faults for the operator. */
const declinedCodes: ReadonlySet<string> = new Set([
  'access_denied',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
]);

class IssuerOverloaded extends Error {
  override readonly name = 'IssuerOverloaded';
}

/** Turns each error of a call into a `SignInFault`, and limits the concurrent calls. */
function createIssuerCall(who: Pick<SignInDeps, 'issuer' | 'people'>, load: () => Promise<IssuerClient>) {
  let waiting = 0;
  return async <T>(call: (client: IssuerClient) => Promise<T>): Promise<T> => {
    try {
      waiting += 1;
      if (waiting > maxWaiting)
        throw new IssuerOverloaded(`${maxWaiting} other requests are waiting for its responses`);
      return await call(await load());
    } catch (cause) {
      throw new SignInFault(who, { cause });
    } finally {
      waiting -= 1;
    }
  };
}
