import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { Configuration } from 'openid-client';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import type { HttpFetch } from './trusted-issuer.ts';

/** What the browser keeps between leaving for the issuer and coming back: nobody else can end what it began. */
export type SignInAttempt = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** What the issuer gave: an access token for this interface, good until `endsAt` (epoch ms). */
export type IssuedToken = { readonly accessToken: string; readonly endsAt: number };

/** How citizens sign in at an issuer that the operator trusts. All of it throws `SignInFault` where that does not answer as it should. */
export type CitizenSignIn = {
  /**
   * Where the browser goes, and what it has to bring back. `silently`: the issuer asks the citizen nothing, and declines where it
   * would have to (OpenID Connect Core, section 3.1.2.1, prompt=none).
   */
  begin(silently?: boolean): Promise<{ readonly url: string; readonly attempt: SignInAttempt }>;
  /** With the query that the issuer sent the browser back with; undefined where the citizen or the issuer declined. */
  finish(query: string, attempt: SignInAttempt): Promise<IssuedToken | undefined>;
  /** Where the citizen can sign out of the issuer itself, where it has such a place. */
  signOutUrl(): Promise<string | undefined>;
};

/** The issuer did not answer, or not as it should: a matter for the operator. It names what the issuer said, and no citizen. */
export class SignInFault extends Error {
  constructor(issuer: string, { cause }: { readonly cause: unknown }) {
    super(`citizens cannot sign in at ${issuer}: ${errorMessages(cause).join(': ')}`, { cause });
    this.name = 'SignInFault';
  }
}

/** An error code as issuers have them (RFC 6749, section 4.1.2.1). It comes by way of the browser, where anybody may write another text. */
const errorCode = /^[\w.-]{1,64}$/;

/** What an error says, and those behind it that say more; none of JSON, which quotes what it could not read. */
function errorMessages(fault: unknown): readonly string[] {
  if (!(fault instanceof Error) || fault instanceof SyntaxError) return [];
  const code = 'error' in fault ? String(fault.error) : '';
  // Of a host with several addresses none of which answers Node says no more than the code.
  const message = fault.message === '' && 'code' in fault ? String(fault.code) : fault.message;
  return [errorCode.test(code) ? `${message} (${code})` : message, ...errorMessages(fault.cause)];
}

/** By what this server proves itself at the issuer: a secret, or its private key as a JWK. */
export type SignInCredential = { readonly secret: string } | { readonly key: JWK };

/** Who asks whom, and for what. */
export type SignInDeps = {
  readonly issuer: string;
  readonly clientId: string;
  readonly credential: () => SignInCredential;
  /** Where the issuer sends the browser back to, and to whom it sends it when it has signed out. */
  readonly returnUrl: string;
  readonly homeUrl: string;
  /** For which interface the token is (RFC 8707). */
  readonly resource: string;
  readonly scope: string;
  readonly httpFetch: HttpFetch;
  readonly clock: Clock;
  /** By which the library goes. */
  readonly machineClock: Clock;
};

const timeoutSeconds = 5;
const maxDocumentBytes = 262_144;
const metadataLifeMs = 600_000;
/** An issuer whose metadata could not be had is left alone for a while, however many citizens come. */
const failureRetryMs = 5_000;
/** So many may wait for the issuer at a time: one that is slow keeps no more of the requests that this process takes at once. */
const maxWaiting = 200;
/** What an issuer that does not say for how long its tokens are good is taken to mean. */
const defaultTokenLifeSeconds = 600;

/**
 * Sign-in by the authorization code flow of OpenID Connect with PKCE (RFC 7636), by a pushed request (RFC 9126) where the issuer
 * takes one. Nothing is fetched before the first citizen comes.
 */
export function createCitizenSignIn(deps: SignInDeps): CitizenSignIn {
  const { clock, issuer, returnUrl, homeUrl, resource, scope, clientId } = deps;
  const callIssuer = createIssuerCall(issuer);
  let metadata: IssuerMetadata | undefined;

  function loadConfiguration(): Promise<Configuration> {
    const ahead = Math.round((clock.now() - deps.machineClock.now()) / 1_000);
    if (
      metadata === undefined ||
      elapsedMs(metadata.at, clock) > metadata.liveMs ||
      Math.abs(ahead - metadata.ahead) > clockDriftSeconds
    ) {
      const fresh = { configuration: discover(deps, ahead), at: clock.now(), ahead, liveMs: metadataLifeMs };
      metadata = fresh;
      fresh.configuration.catch(() => {
        fresh.liveMs = failureRetryMs;
      });
    }
    return metadata.configuration;
  }

  return {
    begin: async (silently = false) => {
      const client = await import('openid-client');
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const parameters = {
        ...{ redirect_uri: returnUrl, scope, resource, state: attempt.state, nonce: attempt.nonce },
        code_challenge: hash('sha256', attempt.verifier, 'base64url'),
        code_challenge_method: 'S256',
        ...(silently ? { prompt: 'none' } : {}),
      };
      return await callIssuer(async () => {
        const configuration = await loadConfiguration();
        const pushes = configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined;
        const url = pushes
          ? await client.buildAuthorizationUrlWithPAR(configuration, parameters)
          : client.buildAuthorizationUrl(configuration, parameters);
        return { url: url.href, attempt };
      });
    },
    finish: async (query, { state, nonce, verifier }) => {
      // What a page elsewhere made up, or an attempt of long ago.
      if (new URLSearchParams(query).get('state') !== state) return undefined;
      const client = await import('openid-client');
      return await callIssuer(async () => {
        const configuration = await loadConfiguration();
        const checks = {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
        };
        try {
          const callbackUrl = new URL(`${returnUrl}?${query}`);
          const tokenResponse = await client.authorizationCodeGrant(configuration, callbackUrl, checks, { resource });
          const lifeSeconds = tokenResponse.expires_in ?? defaultTokenLifeSeconds;
          return { accessToken: tokenResponse.access_token, endsAt: clock.now() + Math.floor(lifeSeconds * 1_000) };
        } catch (fault) {
          if (isRefusal(client, fault)) return undefined;
          throw fault;
        }
      });
    },
    signOutUrl: async () => {
      const client = await import('openid-client');
      return await callIssuer(async () => {
        const configuration = await loadConfiguration();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        return client.buildEndSessionUrl(configuration, {
          client_id: clientId,
          post_logout_redirect_uri: homeUrl,
        }).href;
      });
    },
  };
}

type Library = typeof import('openid-client');

/** What an issuer says of itself, or that it does not; `ahead`: by so many seconds the machine's clock was behind the one that counts. */
type IssuerMetadata = {
  readonly configuration: Promise<Configuration>;
  readonly at: number;
  readonly ahead: number;
  liveMs: number;
};

/** A machine's clock that was set since has what is known of the issuer read anew. */
const clockDriftSeconds = 5;

async function discover(
  { issuer, clientId, credential, httpFetch }: SignInDeps,
  ahead: number,
): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  const signInCredential = credential();
  const proof =
    'secret' in signInCredential
      ? client.ClientSecretBasic(signInCredential.secret)
      : client.PrivateKeyJwt(await privateKey(signInCredential.key));
  // TRUSTED_ISSUERS takes plain http for this machine alone.
  const execute = [
    client.enableNonRepudiationChecks,
    ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
  ];
  return await client.discovery(url, clientId, { [client.clockSkew]: ahead }, proof, {
    execute,
    timeout: timeoutSeconds,
    [client.customFetch]: (address, options) => fetchLimited(httpFetch, address, options as RequestInit),
  });
}

/** The key for the algorithm that the profiles of today allow it (FAPI 2.0, section 5.4.1). */
async function privateKey(jwk: JWK) {
  const { importJWK } = await import('jose/key/import');
  const alg = jwk.kty === 'RSA' ? 'PS256' : jwk.kty === 'OKP' ? 'Ed25519' : 'ES256';
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array || key.type !== 'private') throw new TypeError('a private key was expected');
  return jwk.kid === undefined || jwk.kid === '' ? key : { key, kid: jwk.kid };
}

/** Nobody downstream reads an endless body. */
async function fetchLimited(httpFetch: HttpFetch, url: string, options: RequestInit): Promise<Response> {
  const response = await httpFetch(url, { ...options, redirect: 'error' });
  const bytes = await readBytesUpTo(response.body, maxDocumentBytes);
  if (bytes === undefined) throw new Error(`${url} has more than ${maxDocumentBytes} bytes`);
  return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
    status: response.status,
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  });
}

/** What the citizen decides at the issuer, or a code that was used before, as by a page that is loaded again. */
function isRefusal(client: Library, fault: unknown): boolean {
  if (fault instanceof client.AuthorizationResponseError) return declinedCodes.has(fault.error);
  return fault instanceof client.ResponseBodyError && fault.error === 'invalid_grant';
}

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6; every other one is for the operator. */
const declinedCodes: ReadonlySet<string> = new Set([
  'access_denied',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
]);

type IssuerCall = <T>(ask: () => Promise<T>) => Promise<T>;

/** Has what the issuer does not answer as it should be told as a fault of it. */
function createIssuerCall(issuer: string): IssuerCall {
  let waiting = 0;
  return async (call) => {
    try {
      waiting += 1;
      if (waiting > maxWaiting) throw new Error(`${maxWaiting} others wait for its answers`);
      return await call();
    } catch (cause) {
      throw new SignInFault(issuer, { cause });
    } finally {
      waiting -= 1;
    }
  };
}
