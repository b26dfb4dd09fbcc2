import type { RequestListener, ServerResponse } from 'node:http';
import { requestPath } from '../kernel/request-target.ts';
import { issueAccessToken, tokenPath } from './access-token.ts';
import { authorizationServerMetadata, type MetadataOptions } from './server-metadata.ts';
import { createTokenEndpoint, type TokenEndpointDeps, type TokenResponse } from './token-endpoint.ts';

type AuthorizationServerDeps = TokenEndpointDeps & Pick<MetadataOptions, 'scopes' | 'trustedIssuers'>;

/** The path of the metadata (RFC 8414), below the public URL. */
export const metadataPath = '/.well-known/oauth-authorization-server';
const jwksPath = '/.well-known/jwks.json';

/** Creates the authorization server of one process. */
export function createAuthorizationServer(deps: AuthorizationServerDeps) {
  const answerTokenRequest = createTokenEndpoint(deps);

  const handler: RequestListener = (request, response) => {
    const { method } = request;
    const path = requestPath(request.url);
    if (path === tokenPath && method === 'POST') {
      void answerTokenRequest(request).then((answer) => sendJson(response, answer));
    } else if (path === tokenPath) sendAllowedMethods(response, method, 'POST, OPTIONS');
    else if (path !== metadataPath && path !== jwksPath) sendError(response, 404);
    else if (method !== 'GET' && method !== 'HEAD') sendAllowedMethods(response, method, 'GET, HEAD, OPTIONS');
    else if (path === jwksPath) sendDocument(response, 'application/jwk-set+json', deps.keys.publicJwks());
    else sendDocument(response, 'application/json', authorizationServerMetadata(deps));
  };

  return {
    /** The paths and methods at which the API server mounts `handler`. */
    routes: [
      { paths: [tokenPath], methods: ['POST'] },
      { paths: [metadataPath, jwksPath], methods: ['GET', 'HEAD'] },
    ],
    handler,
    /** Signs an access token without a request, for the output of the demo. */
    issueAccessToken: async (clientId: string, scopes: readonly string[]) =>
      issueAccessToken(deps, { clientId, scopes }),
  };
}

function sendAllowedMethods(response: ServerResponse, method: string | undefined, allow: string): void {
  response.setHeader('allow', allow);
  if (method === 'OPTIONS') response.writeHead(204, noStore).end();
  else sendError(response, 405);
}

function sendError(response: ServerResponse, status: number): void {
  sendJson(response, { status, headers: {}, body: { error: 'invalid_request' } });
}

/** A public document, which browsers of any origin may read and caches may keep for five minutes. */
function sendDocument(response: ServerResponse, type: string, body: object): void {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
  };
  sendJson(response, { status: 200, headers, body });
}

/** Responses of the token endpoint must not be cached (RFC 6749, section 5.1). */
const noStore = { 'cache-control': 'no-store' };

function sendJson(response: ServerResponse, { status, headers, body }: TokenResponse): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...noStore,
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  // Node.js omits the body of a response to HEAD.
  response.end(text);
}
