import type { KeyObject } from 'node:crypto';

/** The URL of the trusted issuer in tests. */
export const trustedIssuerUrl = 'https://login.example.org/realm';

/** A trusted issuer without a network: `documents` has the response for each URL. */
export function createInMemoryIssuer(publicKey: KeyObject, kid: string) {
  const requests: string[] = [];
  const documents: Record<string, object> = {
    'https://login.example.org/realm/.well-known/openid-configuration': {
      issuer: trustedIssuerUrl,
      jwks_uri: 'https://login.example.org/keys',
    },
    'https://login.example.org/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' }] },
  };
  const httpFetch = (url: string) => {
    requests.push(url);
    const document = documents[url];
    return Promise.resolve(document === undefined ? new Response(null, { status: 404 }) : Response.json(document));
  };
  return { requests, documents, httpFetch };
}
