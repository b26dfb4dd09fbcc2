import * as errors from 'jose/errors';
import type { RemoteJWKSet } from 'jose/jwks/remote';
import { compactVerify } from 'jose/jws/compact/verify';
import { bytesWithin } from '../kernel/bytes-within.ts';
import { ageOf, type Clock } from '../kernel/clock.ts';
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
export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

const timeoutMs = 5_000;
const largestDocument = 262_144;
/** An unknown key id makes the keys be fetched again at most this often; so does an issuer that does not answer. */
const cooldownMs = 30_000;
const keysLiveMs = 600_000;
/** So many tokens may wait for an issuer that is slow: more would keep all the requests that this process takes at once. */
const mostWaiting = 200;

/** A clock, and milliseconds that never go back; without these the machine's. */
type Time = Clock & { stopwatch?(): number };

/**
 * The issuer behind that URL. Nothing is fetched before its first token; then its metadata (RFC 8414, else OpenID Connect
 * Discovery) and keys, each with a deadline, a size limit and no redirect. `onFault` is told why they cannot be had.
 */
export function createTrustedIssuer(
  issuer: string,
  fetching: Fetch,
  clock: Time,
  onFault: (fault: IssuerUnavailable) => void,
): TrustedIssuer {
  const { stopwatch = () => performance.now() } = clock;
  let askedAt = stopwatch();
  let keys: Promise<RemoteJWKSet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  let waiting = 0;
  let underWay = 0;
  const reading: Fetch = async (url, options) => {
    underWay += 1;
    try {
      return await fetchDocument(fetching, url, options);
    } finally {
      underWay -= 1;
    }
  };

  const isPaused = () => ageOf(failedAt, clock) < cooldownMs;

  // jose counts by the machine's clock: keys that it fetched while that was ahead are new to it until the clock comes there again.
  const passedMs = () => stopwatch() - askedAt;
  const onAsk = () => {
    askedAt = stopwatch();
  };

  function discovered(): Promise<RemoteJWKSet> {
    if (passedMs() > keysLiveMs + cooldownMs) keys = undefined;
    if (keys === undefined && isPaused()) return Promise.reject(new IssuerUnavailable(issuer));
    keys ??= discover(issuer, reading, { isPaused, onAsk }).catch(leaveAlone);
    return keys;
  }

  /** Asks nothing for a while, and then from the start: the keys may have moved. */
  function leaveAlone(cause: unknown): never {
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
      if (!(cause instanceof errors.JWKSNoMatchingKey) || passedMs() < cooldownMs) throw cause;
      await keySet.reload();
      await compactVerify(token, keySet, options);
    }
  }

  async function hasSigned(token: string): Promise<boolean> {
    const asked = discovered();
    const keySet = await asked;
    try {
      await verify(token, keySet);
      return true;
    } catch (cause) {
      // What says something about the token, and not about the way to the keys.
      const verdicts = [
        errors.JWKSNoMatchingKey,
        errors.JWKSMultipleMatchingKeys,
        errors.JWSInvalid,
        errors.JWSSignatureVerificationFailed,
        errors.JOSEAlgNotAllowed,
        errors.JOSENotSupported,
      ];
      if (verdicts.some((verdict) => cause instanceof verdict)) return false;
      // An unknown key id had them fetched: those that are known are good for the other tokens. Or another token that waited
      // for the same ones has told already.
      if (!keySet.fresh && keys === asked) return leaveAlone(cause);
      if (!isPaused()) failedAt = clock.now();
      throw new IssuerUnavailable(issuer, { cause });
    }
  }

  return {
    issuer,
    hasSigned: async (token) => {
      if (underWay > 0 && waiting >= mostWaiting) throw new IssuerUnavailable(issuer);
      waiting += 1;
      try {
        return await hasSigned(token);
      } finally {
        waiting -= 1;
      }
    },
  };
}

type Asking = { isPaused(): boolean; onAsk(): void };

async function discover(issuer: string, reading: Fetch, { isPaused, onAsk }: Asking): Promise<RemoteJWKSet> {
  onAsk();
  const jwksUri = await jwksUriOf(issuer, reading);
  const { createRemoteJWKSet, customFetch } = await import('jose/jwks/remote');
  const keySet = createRemoteJWKSet(jwksUri, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: keysLiveMs,
    [customFetch]: async (url: string, options: RequestInit) => {
      // jose counts its own pause from the last keys that came: while the issuer fails, each token with an unknown key id, which
      // anybody can write, would have it asked again. Keys that are too old are asked for all the same: good tokens wait for them,
      // and where they do not come nothing is asked for a while.
      if (keySet.fresh && isPaused()) throw new Error(`${url} failed a moment ago, and is asked again after a while`);
      onAsk();
      return await reading(url, options);
    },
  });
  return keySet;
}

async function jwksUriOf(issuer: string, reading: Fetch): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const response = await reading(place, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.status !== 200) continue;
    const metadata: unknown = await response.json();
    if (typeof metadata !== 'object' || metadata === null || !('issuer' in metadata) || metadata.issuer !== issuer) {
      throw new Error(`${place} is not the metadata of that issuer`);
    }
    const jwksUri =
      'jwks_uri' in metadata && typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null;
    if (jwksUri === null || (jwksUri.protocol !== 'https:' && jwksUri.origin !== origin)) {
      throw new Error(`${place} names no jwks_uri with https`);
    }
    return jwksUri;
  }
  throw new Error(`no metadata at ${places.join(' or ')}`);
}

/** Fetches a small document; the body is read to its limit here, so that nobody downstream reads an endless one. */
async function fetchDocument(fetching: Fetch, url: string, options: RequestInit): Promise<Response> {
  const response = await fetching(url, {
    ...options,
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  const bytes = await bytesWithin(response.body, largestDocument);
  if (bytes === undefined) throw new Error(`${url} has more than ${largestDocument} bytes`);
  return new Response(new Uint8Array(bytes), { status: response.status });
}
