import type { KeyObject } from 'node:crypto';

/** An issuer that an operator trusts. */
export const trustedIssuerUrl = 'https://login.example.org/realm';

/** An issuer outside, as its answers: what a request to each of its URLs gives. */
export function createInMemoryIssuer(publicKey: KeyObject, kid: string) {
  const asked: string[] = [];
  const documents: Record<string, object> = {
    'https://login.example.org/realm/.well-known/openid-configuration': {
      issuer: trustedIssuerUrl,
      jwks_uri: 'https://login.example.org/keys',
    },
    'https://login.example.org/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' }] },
  };
  const fetching = (url: string) => {
    asked.push(url);
    const document = documents[url];
    return Promise.resolve(document === undefined ? new Response(null, { status: 404 }) : Response.json(document));
  };
  return { asked, documents, fetching };
}
