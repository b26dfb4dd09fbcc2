import * as errors from 'jose/errors';
import type { RemoteJWKSet } from 'jose/jwks/remote';
import { compactVerify } from 'jose/jws/compact/verify';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { acceptedAlgs } from './client-keys.ts';

/** An issuer besides our own whose access tokens are accepted, because the operator named it in TRUSTED_ISSUERS. */
export type TrustedIssuer = {
  readonly issuer: string;
  /** Whether the token is signed by a key that the issuer publishes; throws `IssuerUnavailable` when that cannot be known. */
  hasSigned(token: string): Promise<boolean>;
};

/** The issuer's metadata or keys could not be fetched, or are not what they must be. */
export class IssuerUnavailable extends Error {
  constructor(issuer: string, options?: ErrorOptions) {
    super(`the metadata or keys of the trusted issuer ${issuer} could not be fetched`, options);
    this.name = 'IssuerUnavailable';
  }
}

/** What fetches; `globalThis.fetch` in the running server. */
export type HttpFetch = (url: string, options: RequestInit) => Promise<Response>;

const timeoutMs = 5_000;
const maxDocumentBytes = 262_144;
/** An unknown key id makes the keys be fetched again at most this often; so does an issuer that does not answer. */
const cooldownMs = 30_000;
const keysLifeMs = 600_000;
/** So many tokens may wait for an issuer that is slow: more would keep all the requests that this process takes at once. */
const maxWaiting = 200;

/** A clock, and milliseconds that never go back; without these the machine's. */
type IssuerClock = Clock & { stopwatch?(): number };

/**
 * The issuer behind that URL. Nothing is fetched before its first token; then its metadata (RFC 8414, else OpenID Connect
 * Discovery) and keys, each with a deadline, a size limit and no redirect. `onFault` is told why they cannot be had.
 */
export function createTrustedIssuer(
  issuer: string,
  httpFetch: HttpFetch,
  clock: IssuerClock,
  onFault: (fault: IssuerUnavailable) => void,
): TrustedIssuer {
  const { stopwatch = () => performance.now() } = clock;
  let fetchedAt = stopwatch();
  let keys: Promise<RemoteJWKSet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  let waiting = 0;
  let inFlight = 0;
  const fetchLimited: HttpFetch = async (url, options) => {
    inFlight += 1;
    try {
      return await fetchDocument(httpFetch, url, options);
    } finally {
      inFlight -= 1;
    }
  };

  const isPaused = () => elapsedMs(failedAt, clock) < cooldownMs;

  // jose counts by the machine's clock: keys that it fetched while that was ahead are new to it until the clock comes there again.
  const sinceFetchMs = () => stopwatch() - fetchedAt;
  const onFetch = () => {
    fetchedAt = stopwatch();
  };

  function loadKeys(): Promise<RemoteJWKSet> {
    if (sinceFetchMs() > keysLifeMs + cooldownMs) keys = undefined;
    if (keys === undefined && isPaused()) return Promise.reject(new IssuerUnavailable(issuer));
    keys ??= discover(issuer, fetchLimited, { isPaused, onFetch }).catch(pauseAndThrow);
    return keys;
  }

  /** Asks nothing for a while, and then from the start: the keys may have moved. */
  function pauseAndThrow(cause: unknown): never {
    keys = undefined;
    failedAt = clock.now();
    const fault = new IssuerUnavailable(issuer, { cause });
    onFault(fault);
    throw fault;
  }

  /** Verifies the token, with the keys as they are now where its own is unknown and they were not fetched a moment ago. */
  async function verify(token: string, keySet: RemoteJWKSet): Promise<void> {
    const options = { algorithms: [...acceptedAlgs] };
    try {
      await compactVerify(token, keySet, options);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey) || sinceFetchMs() < cooldownMs) throw cause;
      await keySet.reload();
      await compactVerify(token, keySet, options);
    }
  }

  async function hasSigned(token: string): Promise<boolean> {
    const loading = loadKeys();
    const keySet = await loading;
    try {
      await verify(token, keySet);
      return true;
    } catch (cause) {
      // What says something about the token, and not about the way to the keys.
      const tokenErrors = [
        errors.JWKSNoMatchingKey,
        errors.JWKSMultipleMatchingKeys,
        errors.JWSInvalid,
        errors.JWSSignatureVerificationFailed,
        errors.JOSEAlgNotAllowed,
        errors.JOSENotSupported,
      ];
      if (tokenErrors.some((tokenError) => cause instanceof tokenError)) return false;
      // An unknown key id had them fetched: those that are known are good for the other tokens. Or another token that waited
      // for the same ones has told already.
      if (!keySet.fresh && keys === loading) return pauseAndThrow(cause);
      if (!isPaused()) failedAt = clock.now();
      throw new IssuerUnavailable(issuer, { cause });
    }
  }

  return {
    issuer,
    hasSigned: async (token) => {
      if (inFlight > 0 && waiting >= maxWaiting) throw new IssuerUnavailable(issuer);
      waiting += 1;
      try {
        return await hasSigned(token);
      } finally {
        waiting -= 1;
      }
    },
  };
}

type FetchControl = { isPaused(): boolean; onFetch(): void };

async function discover(
  issuer: string,
  fetchLimited: HttpFetch,
  { isPaused, onFetch }: FetchControl,
): Promise<RemoteJWKSet> {
  onFetch();
  const jwksUri = await discoverJwksUri(issuer, fetchLimited);
  const { createRemoteJWKSet, customFetch } = await import('jose/jwks/remote');
  const keySet = createRemoteJWKSet(jwksUri, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: keysLifeMs,
    [customFetch]: async (url: string, options: RequestInit) => {
      // jose counts its own pause from the last keys that came: while the issuer fails, each token with an unknown key id, which
      // anybody can write, would have it asked again. Keys that are too old are asked for all the same: good tokens wait for them,
      // and where they do not come nothing is asked for a while.
      if (keySet.fresh && isPaused()) throw new Error(`${url} failed a moment ago, and is asked again after a while`);
      onFetch();
      return await fetchLimited(url, options);
    },
  });
  return keySet;
}

async function discoverJwksUri(issuer: string, fetchLimited: HttpFetch): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const metadataUrls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const url of metadataUrls) {
    const response = await fetchLimited(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.status !== 200) continue;
    const metadata: unknown = await response.json();
    if (typeof metadata !== 'object' || metadata === null || !('issuer' in metadata) || metadata.issuer !== issuer) {
      throw new Error(`${url} is not the metadata of that issuer`);
    }
    const jwksUri =
      'jwks_uri' in metadata && typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null;
    if (jwksUri === null || (jwksUri.protocol !== 'https:' && jwksUri.origin !== origin)) {
      throw new Error(`${url} names no jwks_uri with https`);
    }
    return jwksUri;
  }
  throw new Error(`no metadata at ${metadataUrls.join(' or ')}`);
}

/** Fetches a small document; the body is read to its limit here, so that nobody downstream reads an endless one. */
async function fetchDocument(httpFetch: HttpFetch, url: string, options: RequestInit): Promise<Response> {
  const response = await httpFetch(url, {
    ...options,
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  const bytes = await readBytesUpTo(response.body, maxDocumentBytes);
  if (bytes === undefined) throw new Error(`${url} has more than ${maxDocumentBytes} bytes`);
  return new Response(new Uint8Array(bytes), { status: response.status });
}
