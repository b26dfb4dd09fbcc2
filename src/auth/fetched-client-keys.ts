import type { Clock } from '../kernel/clock.ts';
import { type ClientKeySet, parseFetchedKeys } from './client-keys.ts';
import { fetchDocument, type HttpFetch, IssuerDocumentInvalid } from './fetch-document.ts';
import { createKeyCache } from './key-cache.ts';

/** The keys at the `jwks_uri` of a client could not be fetched, or none of them is accepted. */
export class ClientKeysUnavailable extends Error {
  override readonly name = 'ClientKeysUnavailable';

  constructor(jwksUri: string, options?: ErrorOptions) {
    super(`the server could not fetch the public keys of a client at ${jwksUri}`, options);
  }
}

/** The keys that clients publish at a URL (RFC 7591, section 2, `jwks_uri`). Each function throws `ClientKeysUnavailable`. */
export type FetchedClientKeys = {
  current(jwksUri: string): Promise<ClientKeySet>;
  /** Fetches the keys again for an unknown key id; undefined if they were fetched within the last 30 seconds. */
  newerKeys(jwksUri: string): Promise<ClientKeySet | undefined>;
};

const timeoutMs = 5_000;
/** At most this number of token requests waits for slow key servers, so that they do not use up the request limit of the process. */
const maxWaiting = 100;

type FetchedKeysDeps = {
  /** Checks the address before it connects (`createPublicFetch`). */
  readonly httpFetch: HttpFetch;
  /** Must be monotonic. */
  readonly clock: Clock;
  onFault(fault: ClientKeysUnavailable): void;
};

/**
 * Creates the caches of the keys, one for each URL. The operator registers the URLs, so their number is limited. Keys are valid for ten
 * minutes. A client rotates its keys by publishing the new key first: its unknown `kid` makes the server fetch the keys again, at most
 * every 30 seconds (OpenID Connect Core, section 10.1.1). Attack: assertions with invented key ids, which need no credential
 * (test/attacks/tokens-jwks-uri.test.ts).
 */
export function createFetchedClientKeys({ httpFetch, clock, onFault }: FetchedKeysDeps): FetchedClientKeys {
  const caches = new Map<string, ReturnType<typeof createCache>>();
  let waiting = 0;

  function createCache(jwksUri: string) {
    return createKeyCache({
      fetchKeys: () => fetchClientKeys(jwksUri, httpFetch),
      unavailable: (cause) => new ClientKeysUnavailable(jwksUri, cause === undefined ? undefined : { cause }),
      clock,
      onFault,
    });
  }

  async function use<T>(jwksUri: string, read: (cache: ReturnType<typeof createCache>) => Promise<T>): Promise<T> {
    const cache = caches.get(jwksUri) ?? createCache(jwksUri);
    caches.set(jwksUri, cache);
    if (cache.isLoading() && waiting >= maxWaiting) throw new ClientKeysUnavailable(jwksUri);
    waiting += 1;
    try {
      return await read(cache);
    } finally {
      waiting -= 1;
    }
  }

  return {
    current: (jwksUri) => use(jwksUri, (cache) => cache.current()),
    newerKeys: (jwksUri) => use(jwksUri, (cache) => cache.newerKeys()),
  };
}

async function fetchClientKeys(jwksUri: string, httpFetch: HttpFetch): Promise<ClientKeySet> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await fetchDocument(httpFetch, jwksUri, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (response.status !== 200) throw new IssuerDocumentInvalid(`${jwksUri} answered with status ${response.status}`);
  const keys = parseFetchedKeys(await response.text());
  if ('fault' in keys) throw new IssuerDocumentInvalid(`${jwksUri}: ${keys.fault}`);
  return keys;
}
