import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { compactVerify } from 'jose/jws/compact/verify';
import type { Clock } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { acceptedAlgs } from './client-keys.ts';
import { fetchDocument, type HttpFetch, IssuerDocumentInvalid } from './fetch-document.ts';
import { createKeyCache } from './key-cache.ts';

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
/** At most this number of tokens waits for a slow issuer, so that they do not use up the request limit of the process. */
const maxWaiting = 200;

/** Creates a trusted issuer. `clock` must be monotonic. `onFault` receives the fault when no valid keys are left. */
export function createTrustedIssuer(
  issuer: string,
  httpFetch: HttpFetch,
  clock: Clock,
  onFault: (fault: IssuerUnavailable) => void,
): TrustedIssuer {
  const cache = createKeyCache({
    fetchKeys: (earlier: IssuerKeys | undefined) => fetchIssuerKeys(issuer, httpFetch, earlier),
    unavailable: (cause) => new IssuerUnavailable(issuer, cause === undefined ? undefined : { cause }),
    clock,
    onFault,
  });
  let waiting = 0;

  async function hasSigned(token: string): Promise<boolean> {
    const result = await verify(issuer, token, (await cache.current()).keySet);
    if (result !== 'unknown key') return result;
    const newer = await cache.newerKeys();
    return newer !== undefined && (await verify(issuer, token, newer.keySet)) === true;
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

type IssuerKeys = { readonly jwksUri: URL; readonly keySet: KeySet };

/** Fetches the keys; without earlier ones, discovery comes first. */
async function fetchIssuerKeys(
  issuer: string,
  httpFetch: HttpFetch,
  earlier: IssuerKeys | undefined,
): Promise<IssuerKeys> {
  const jwksUri = earlier?.jwksUri ?? (await discoverJwksUri(issuer, httpFetch));
  return { jwksUri, keySet: await fetchKeySet(jwksUri.href, httpFetch) };
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
