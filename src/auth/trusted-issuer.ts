import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { compactVerify } from 'jose/jws/compact/verify';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { acceptedAlgs } from './client-keys.ts';
import { fetchDocument, type HttpFetch, IssuerDocumentInvalid } from './fetch-document.ts';

/** An issuer of TRUSTED_ISSUERS, whose access tokens are accepted. */
export type TrustedIssuer = {
  readonly issuer: string;
  /** Whether a published key of the issuer signed the token; throws `IssuerUnavailable` if that is unknown. */
  hasSigned(token: string): Promise<boolean>;
};

/** The issuer's metadata or keys could not be fetched, or are invalid. */
export class IssuerUnavailable extends Error {
  constructor(issuer: string, options?: ErrorOptions) {
    super(`the server could not fetch the metadata or keys of the trusted issuer ${issuer}`, options);
    this.name = 'IssuerUnavailable';
  }
}

const timeoutMs = 5_000;
/** The pause after a failed fetch, and between two fetches for unknown key ids, which any client can make up. */
const cooldownMs = 30_000;
const keysLifeMs = 600_000;
/** At most this number of tokens waits for a slow issuer, so that they do not use up the request limit of the process. */
const maxWaiting = 200;

/** Creates a trusted issuer. `clock` must be monotonic. `onFault` receives the fault when no valid keys are left. */
export function createTrustedIssuer(
  issuer: string,
  httpFetch: HttpFetch,
  clock: Clock,
  onFault: (fault: IssuerUnavailable) => void,
): TrustedIssuer {
  const cache = createKeyCache(issuer, httpFetch, clock, onFault);
  let waiting = 0;

  async function hasSigned(token: string): Promise<boolean> {
    const result = await verify(issuer, token, await cache.current());
    if (result !== 'unknown key') return result;
    const newer = await cache.newerKeys();
    return newer !== undefined && (await verify(issuer, token, newer)) === true;
  }

  return {
    issuer,
    hasSigned: async (token) => {
      if (cache.isLoading() && waiting >= maxWaiting) throw new IssuerUnavailable(issuer);
      waiting += 1;
      try {
        return await hasSigned(token);
      } finally {
        waiting -= 1;
      }
    },
  };
}

type KeySet = ReturnType<typeof createLocalJWKSet>;
type IssuerKeys = { readonly jwksUri: URL; readonly keySet: KeySet; readonly fetchedAt: number };

async function verify(issuer: string, token: string, keySet: KeySet): Promise<boolean | 'unknown key'> {
  try {
    await compactVerify(token, keySet, { algorithms: [...acceptedAlgs] });
    return true;
  } catch (cause) {
    if (cause instanceof JWKSNoMatchingKey) return 'unknown key';
    if (cause instanceof JOSEError) return false;
    // A published key that cannot be imported.
    throw new IssuerUnavailable(issuer, { cause });
  }
}

/**
 * The keys of an issuer in memory. `createRemoteJWKSet` of jose is not used, since it counts by the clock of the machine,
 * which may be corrected, and fetches again for each unknown key id while the issuer fails.
 */
function createKeyCache(
  issuer: string,
  httpFetch: HttpFetch,
  clock: Clock,
  onFault: (fault: IssuerUnavailable) => void,
) {
  let keys: IssuerKeys | undefined;
  let loading: Promise<KeySet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const isPaused = () => elapsedMs(failedAt, clock) < cooldownMs;
  const isUsable = ({ fetchedAt }: IssuerKeys) => elapsedMs(fetchedAt, clock) <= keysLifeMs;

  function load(): Promise<KeySet> {
    loading ??= fetchKeys().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function fetchKeys(): Promise<KeySet> {
    const fetchedAt = clock.now();
    try {
      const jwksUri = keys?.jwksUri ?? (await discoverJwksUri(issuer, httpFetch));
      keys = { jwksUri, keySet: await fetchKeySet(jwksUri.href, httpFetch), fetchedAt };
      return keys.keySet;
    } catch (cause) {
      failedAt = clock.now();
      const fault = new IssuerUnavailable(issuer, { cause });
      // A failed load for an unknown key id leaves the known keys valid. Otherwise discovery starts again: the keys may have moved.
      if (keys === undefined || !isUsable(keys)) {
        keys = undefined;
        onFault(fault);
      }
      throw fault;
    }
  }

  return {
    isLoading: () => loading !== undefined,
    current: async (): Promise<KeySet> => {
      if (keys !== undefined && isUsable(keys)) return keys.keySet;
      if (keys === undefined && loading === undefined && isPaused()) throw new IssuerUnavailable(issuer);
      return await load();
    },
    /** Loads the keys for an unknown key id; undefined if they were loaded a moment ago. */
    newerKeys: async (): Promise<KeySet | undefined> => {
      if (keys !== undefined && elapsedMs(keys.fetchedAt, clock) < cooldownMs) return undefined;
      if (loading === undefined && isPaused()) throw new IssuerUnavailable(issuer);
      return await load();
    },
  };
}

async function fetchJson(url: string, httpFetch: HttpFetch): Promise<unknown> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await fetchDocument(httpFetch, url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  return response.status === 200 ? await response.json() : undefined;
}

async function fetchKeySet(jwksUri: string, httpFetch: HttpFetch): Promise<KeySet> {
  const document = await fetchJson(jwksUri, httpFetch);
  const list = isObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(list)) throw new IssuerDocumentInvalid(`${jwksUri} returned no key set`);
  return createLocalJWKSet({ keys: list });
}

/** The `jwks_uri` of the metadata (RFC 8414, section 3.1; OpenID Connect Discovery, section 4). It must be https, or of the issuer's origin. */
async function discoverJwksUri(issuer: string, httpFetch: HttpFetch): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const metadataUrls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const url of metadataUrls) {
    const metadata = await fetchJson(url, httpFetch);
    if (metadata === undefined) continue;
    // RFC 8414, section 3.3: the issuer of the metadata must be identical.
    if (!isObject(metadata) || metadata['issuer'] !== issuer) {
      throw new IssuerDocumentInvalid(`${url} is not the metadata of ${issuer}`);
    }
    const jwksUri = URL.parse(String(metadata['jwks_uri']));
    if (jwksUri === null || (jwksUri.protocol !== 'https:' && jwksUri.origin !== origin)) {
      throw new IssuerDocumentInvalid(`the metadata at ${url} has no jwks_uri with https`);
    }
    return jwksUri;
  }
  throw new IssuerDocumentInvalid(`no metadata at ${metadataUrls.join(' or ')}`);
}
