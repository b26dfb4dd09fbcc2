import type { IncomingMessage } from 'node:http';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../db/database.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { accessTokenSeconds, type Confirmation, issueAccessToken, resourceOf, tokenPath } from './access-token.ts';
import {
  type ClientAuthenticationDeps,
  createClientAuthenticator,
  type PresentedClientCredential,
  presentedCredential,
} from './authenticate-client.ts';
import type { Client } from './client.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { checkDpopProof, type DpopProof, type DpopProofFault } from './dpop-proof.ts';
import type { SigningKeys } from './signing-key-store.ts';
import { invalidRequest, readTokenRequest, type TokenError, type TokenRequest } from './token-request.ts';
import { createReplayDetector } from './used-proof-store.ts';

/** Dependencies of the token endpoint. */
export type TokenEndpointDeps = ClientAuthenticationDeps & {
  readonly keys: SigningKeys;
  readonly random: RandomBytes;
  readonly nonces?: DpopNonces | undefined;
  readonly report: (fault: unknown) => void;
  /** Called for each refused request. */
  readonly onRefused: (refused: TokenRefusal) => void;
};

/** The log fields of a refused token request. An id that is not of the form of our client ids is left out. */
export type TokenRefusal = Pick<TokenError, 'error' | 'reason'> & { readonly clientId?: string };

/** A response of the token endpoint; `body` becomes JSON, header names are in lower case. */
export type TokenResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
};

/** Creates the handler of `POST /oauth2/token` (RFC 6749, section 4.4; RFC 9068). It never rejects. */
export function createTokenEndpoint(deps: TokenEndpointDeps): (request: IncomingMessage) => Promise<TokenResponse> {
  const issueToken = createTokenIssuer(deps);
  return async (request) => {
    try {
      const proof = await checkRequestProof(deps, request.headers['dpop']);
      const result = await issueToken(request, proof);
      if ('error' in result) deps.onRefused(tokenRefusalOf(result));
      const realm = request.headers.authorization === undefined ? undefined : deps.publicUrl;
      const response = 'error' in result ? errorResponse(result, realm) : { status: 200, headers: {}, ...result };
      return { ...response, headers: { ...response.headers, ...nextNonceHeader(deps.nonces, proof) } };
    } catch (fault) {
      deps.report(fault);
      return serverErrorResponse(fault);
    }
  };
}

/** A client id of this server. Other texts in its place can be a secret or personal data, and are not logged. */
const clientIdPattern = /^[a-z0-9][a-z0-9-]{0,31}-[a-z0-9]{8}$/;

function tokenRefusalOf({ error, reason, clientId = '' }: TokenError): TokenRefusal {
  return clientIdPattern.test(clientId) ? { clientId, error, reason } : { error, reason };
}

type TokenResult = { readonly body: object } | TokenError;

/** Issues a token: resolves to a successful response (RFC 6749, section 5.1), or to the error to answer. */
function createTokenIssuer(deps: TokenEndpointDeps) {
  const grantToken = createTokenGranter(deps);
  return async (request: IncomingMessage, proof: DpopProof | DpopProofFault | undefined): Promise<TokenResult> => {
    const parameters = await readTokenRequest(request);
    if ('error' in parameters) return parameters;
    const presented = presentedCredential(request.headers, parameters, () => deps.certificates?.read(request));
    if ('error' in presented) return presented;
    const { clientId } = presented;
    // Before authentication, so that a client may repeat its assertion with the nonce of this answer.
    if (proof !== undefined && 'error' in proof) return { ...proof, reason: 'dpop-proof', clientId };
    const result = await grantToken(request, parameters, presented, proof);
    return 'error' in result ? { ...result, clientId } : result;
  };
}

function createTokenGranter(deps: TokenEndpointDeps) {
  const { publicUrl, certificates } = deps;
  const authenticateClient = createClientAuthenticator(deps);
  const isFirstProof = createReplayDetector(deps, 'DPoP');
  return async (
    request: IncomingMessage,
    parameters: TokenRequest,
    presented: PresentedClientCredential,
    proof: DpopProof | undefined,
  ): Promise<TokenResult> => {
    const client = await authenticateClient(presented);
    if ('error' in client) return client;
    // Clients are servers. A web page of another origin that holds the credential of a client is a leak, and gets no token. The page
    // /docs requests tokens with the credential that its reader enters.
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(publicUrl).origin)
      return invalidRequest(`origin ${origin} not allowed for client: ${client.clientId}`, 'origin');
    const scopes = grantedScopes(parameters, client, resourceOf(publicUrl));
    if ('error' in scopes) return scopes;
    const thumbprint = client.binding === 'mtls' ? certificates?.read(request)?.thumbprint : undefined;
    const confirmation = senderConstraint(client, proof, thumbprint);
    if ('error' in confirmation) return confirmation;
    if (proof !== undefined && !(await isFirstProof(proof.jkt, proof.jti, proof.endsAt))) return usedProof;
    const body = {
      access_token: issueAccessToken(deps, { clientId: client.clientId, scopes, confirmation }),
      expires_in: accessTokenSeconds,
      scope: scopes.join(' '),
      token_type: proof === undefined ? 'Bearer' : 'DPoP',
    };
    return { body };
  };
}

const usedProof: TokenError = {
  error: 'invalid_dpop_proof',
  reason: 'dpop-proof',
  description: 'this proof was used before; create a new one for each request',
};

const missingProof: TokenError = {
  error: 'invalid_dpop_proof',
  reason: 'dpop-proof-missing',
  description: 'the tokens of this client are bound to a key; send a proof of this key in the DPoP header (RFC 9449)',
};

/** Checks the DPoP proof of a token request (RFC 9449, section 5); undefined if the client sent none. Reuse is checked later. */
async function checkRequestProof(
  { publicUrl, clock, nonces }: TokenEndpointDeps,
  header: string | string[] | undefined,
): Promise<DpopProof | DpopProofFault | undefined> {
  if (header === undefined) return undefined;
  return checkDpopProof(String(header), { method: 'POST', url: `${publicUrl}${tokenPath}` }, { clock, nonces });
}

/** A new nonce for the next proof (RFC 9449, section 8.2), if the proof did not carry the current one. */
function nextNonceHeader(
  nonces: DpopNonces | undefined,
  proof: DpopProof | DpopProofFault | undefined,
): Readonly<Record<string, string>> {
  if (nonces === undefined || proof === undefined) return {};
  const current = nonces.current();
  return 'nonce' in proof && proof.nonce === current ? {} : { 'dpop-nonce': current };
}

/**
 * Checks the grant type (RFC 6749, section 4.4.2), the resource and the scope. Returns the scopes of the new token: the
 * requested ones, or all of the client. A scope that the client may not have is an error, and is not dropped silently
 * (RFC 6749, section 3.3).
 */
function grantedScopes(
  { grantType, scope, resources }: TokenRequest,
  client: Client,
  ourResource: string,
): readonly string[] | TokenError {
  if (grantType === undefined) return invalidRequest("missing required parameter 'grant_type'", 'grant-type');
  if (grantType !== 'client_credentials') {
    const description = 'grant_type must be client_credentials';
    return { error: 'unsupported_grant_type', reason: 'grant-type', description };
  }
  if (scope !== undefined && !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope)) {
    return { error: 'invalid_scope', reason: 'scope', description: 'scope contains invalid characters' };
  }
  // RFC 8707, section 2: every resource must be this interface; without one it is the default.
  if (resources.some((resource) => resource !== ourResource)) {
    return { error: 'invalid_target', reason: 'resource', description: `resource must be ${ourResource}, or absent` };
  }
  const scopes = scope === undefined ? client.scopes : [...new Set(scope.split(' '))];
  const refused = scopes.find((one) => !client.scopes.includes(one));
  if (refused === undefined) return scopes;
  const description = `this client may request: ${client.scopes.join(' ')}`;
  return { error: 'invalid_scope', reason: 'scope', description, scope: refused.slice(0, 100) };
}

/** The key or certificate that the new token is bound to (RFC 9449, section 6; RFC 8705, section 3); empty for neither. */
function senderConstraint(
  { binding }: Client,
  proof: DpopProof | undefined,
  thumbprint: string | undefined,
): Confirmation | TokenError {
  if (binding === 'dpop' && proof === undefined) return missingProof;
  if (binding === 'mtls' && thumbprint === undefined)
    return invalidRequest(
      'the tokens of this client are bound to a client certificate (RFC 8705), and the connection has none',
      'certificate-missing',
    );
  if (thumbprint !== undefined && proof !== undefined) {
    return invalidRequest('multiple proof-of-possession mechanisms are not allowed');
  }
  if (proof !== undefined) return { jkt: proof.jkt };
  return thumbprint === undefined ? {} : { x5t: thumbprint };
}

/** An error response (RFC 6749, section 5.2). `realm` is set if the request has an `Authorization` header. */
function errorResponse(refused: TokenError, realm: string | undefined): TokenResponse {
  const { error, description, scope, retryAfter } = refused;
  const body = { error, error_description: description, ...(scope === undefined ? {} : { scope }) };
  if (retryAfter !== undefined) return { status: 429, headers: { 'retry-after': retryAfter }, body };
  if (error !== 'invalid_client') return { status: 400, headers: {}, body };
  if (realm === undefined) return { status: 401, headers: {}, body };
  const challenge = `Basic realm="${realm}", error="${error}", error_description="${description}"`;
  return { status: 401, headers: { 'www-authenticate': challenge }, body };
}

/** The response to a fault of the server: 503 if the database does not respond, otherwise 500. */
function serverErrorResponse(fault: unknown): TokenResponse {
  if (fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown) {
    const description = 'the database does not respond, and no token was issued; repeat the request';
    const body = { error: 'temporarily_unavailable', error_description: description };
    return { status: 503, headers: { 'retry-after': '2' }, body };
  }
  const description = 'the server failed; its log has the error';
  return { status: 500, headers: {}, body: { error: 'server_error', error_description: description } };
}
