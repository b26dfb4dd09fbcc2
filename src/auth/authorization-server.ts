import type { RequestListener, ServerResponse } from 'node:http';
import { requestPath } from '../kernel/request-target.ts';
import { accessTokenClaims, audienceOf, signAccessToken } from './access-token.ts';
import { authorizationServerMetadata, type MetadataOptions } from './server-metadata.ts';
import type { SigningKeys } from './signing-key-store.ts';
import { createTokenEndpoint, type TokenEndpointDeps, tokenPath } from './token-endpoint.ts';

/** Our own authorization server, mounted by the API on `places`. */
export type AuthorizationServer = {
  /** Where it stands, and for which methods; the API answers the others. */
  readonly routes: readonly { readonly paths: readonly string[]; readonly methods: readonly string[] }[];
  readonly handler: RequestListener;
  /** An access token without a request, with the claims and the key of any other: for the lines that the demo prints. */
  issueAccessToken(clientId: string, scopes: readonly string[]): Promise<string>;
};

/** What it needs: the token endpoint's things, the keys it signs with, and the site for its metadata. */
export type AuthorizationServerDeps = TokenEndpointDeps &
  Pick<MetadataOptions, 'trustedIssuers'> & { readonly keys: SigningKeys };

const metadataPath = '/.well-known/oauth-authorization-server';
const jwksPath = '/.well-known/jwks.json';

/** Makes the server; the token endpoint itself is built at its first request, and again when the signing key changes. */
export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  const { keys, publicUrl, clock, random } = deps;
  let built: { readonly kid: string; readonly endpoint: Promise<RequestListener> } | undefined;

  async function endpoint(): Promise<RequestListener> {
    const key = keys.current('access-token');
    if (built?.kid !== key.kid) built = { kid: key.kid, endpoint: createTokenEndpoint(deps, key) };
    return await built.endpoint;
  }

  const handler: RequestListener = (request, response) => {
    response.setHeader('cache-control', 'no-store');
    const path = requestPath(request.url);
    if (path === tokenPath && request.method === 'POST') {
      endpoint()
        .then((listener) => listener(request, response))
        .catch((fault: unknown) => {
          deps.report(fault);
          built = undefined;
          sendError(response, 500, 'server_error');
        });
    } else if (path === tokenPath) sendAllowedMethods(response, request.method, 'POST, OPTIONS');
    else if (path !== metadataPath && path !== jwksPath) sendError(response, 404, 'invalid_request');
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      sendAllowedMethods(response, request.method, 'GET, HEAD, OPTIONS');
    else {
      const jwks = path === jwksPath;
      const body = jwks ? keys.publicJwks() : authorizationServerMetadata(deps);
      response.setHeader('cache-control', 'public, max-age=300');
      response.setHeader('access-control-allow-origin', '*');
      sendJson(response, { status: 200, type: jwks ? 'application/jwk-set+json' : 'application/json', body });
    }
  };

  return {
    routes: [
      { paths: [tokenPath], methods: ['POST'] },
      { paths: [metadataPath, jwksPath], methods: ['GET', 'HEAD'] },
    ],
    handler,
    issueAccessToken: async (clientId, scopes) =>
      signAccessToken(keys, accessTokenClaims(audienceOf(publicUrl), { clientId, scopes }, clock, random)),
  };
}

function sendAllowedMethods(response: ServerResponse, method: string | undefined, allow: string): void {
  response.setHeader('allow', allow);
  if (method === 'OPTIONS') response.writeHead(204).end();
  else sendError(response, 405, 'invalid_request');
}

/** An error in the form of RFC 6749, section 5.2. */
function sendError(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, { status, type: 'application/json', body: { error } });
}

function sendJson(
  response: ServerResponse,
  { status, type, body }: { status: number; type: string; body: object },
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(text) });
  // Node leaves the body out for HEAD by itself.
  response.end(text);
}
