import type { IncomingMessage } from 'node:http';
import { ReadUnavailable, WriteBusy, WriteUnknown } from '../db/database.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { accessTokenSeconds, type Confirmation, issueAccessToken, resourceOf } from './access-token.ts';
import { type ClientAuthenticationDeps, createClientAuthenticator } from './authenticate-client.ts';
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
};

/** A response of the token endpoint; `body` becomes JSON, header names are in lower case. */
export type TokenResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
};

/** The path of the token endpoint, below the public URL. */
export const tokenPath = '/oauth2/token';

/** Creates the handler of `POST /oauth2/token` (RFC 6749, section 4.4; RFC 9068). It never rejects. */
export function createTokenEndpoint(deps: TokenEndpointDeps): (request: IncomingMessage) => Promise<TokenResponse> {
  const issueToken = createTokenIssuer(deps);
  return async (request) => {
    try {
      const proof = checkRequestProof(deps, request.headers['dpop']);
      const result = proof !== undefined && 'error' in proof ? proof : await issueToken(request, proof);
      const realm = request.headers.authorization === undefined ? undefined : deps.publicUrl;
      const response = 'error' in result ? errorResponse(result, realm) : { status: 200, headers: {}, ...result };
      return { ...response, headers: { ...response.headers, ...nextNonceHeader(deps.nonces, proof) } };
    } catch (fault) {
      deps.report(fault);
      return serverErrorResponse(fault);
    }
  };
}

/** Issues a token: resolves to a successful response (RFC 6749, section 5.1), or to the error to answer. */
function createTokenIssuer(deps: TokenEndpointDeps) {
  const { publicUrl, certificates, secrets } = deps;
  const authenticateClient = createClientAuthenticator(deps);
  const isFirstProof = createReplayDetector(deps, 'DPoP');
  return async (request: IncomingMessage, proof?: DpopProof): Promise<{ readonly body: object } | TokenError> => {
    const parameters = await readTokenRequest(request, secrets);
    if ('error' in parameters) return parameters;
    const client = await authenticateClient(request, parameters);
    if ('error' in client) return client;
    // Clients are servers. A web page that holds the credential of a client is a leak, and gets no token.
    const { origin } = request.headers;
    if (origin !== undefined) return invalidRequest(`origin ${origin} not allowed for client: ${client.clientId}`);
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
  description: 'this proof was used before; make a new one for every request',
};

/** Checks the DPoP proof of a token request (RFC 9449, section 5); undefined if the client sent none. Reuse is checked later. */
function checkRequestProof(
  { publicUrl, clock, nonces }: TokenEndpointDeps,
  header: string | string[] | undefined,
): DpopProof | DpopProofFault | undefined {
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
  if (grantType === undefined) return invalidRequest("missing required parameter 'grant_type'");
  if (grantType !== 'client_credentials') {
    return { error: 'unsupported_grant_type', description: 'unsupported grant_type requested' };
  }
  if (scope !== undefined && !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope)) {
    return { error: 'invalid_scope', description: 'scope contains invalid characters' };
  }
  // RFC 8707, section 2: every resource must be this interface; without one it is the default.
  if (resources.some((resource) => resource !== ourResource)) {
    return { error: 'invalid_target', description: 'resource indicator is missing, or unknown' };
  }
  const scopes = scope === undefined ? client.scopes : [...new Set(scope.split(' '))];
  const refused = scopes.find((one) => !client.scopes.includes(one));
  if (refused === undefined) return scopes;
  const description = `this client may ask for: ${client.scopes.join(' ')}`;
  return { error: 'invalid_scope', description, scope: refused.slice(0, 100) };
}

/** The key or certificate that the new token is bound to (RFC 9449, section 6; RFC 8705, section 3); empty for neither. */
function senderConstraint(
  { binding }: Client,
  proof: DpopProof | undefined,
  thumbprint: string | undefined,
): Confirmation | TokenError {
  const isProofMissing = binding === 'mtls' ? thumbprint === undefined : binding === 'dpop' && proof === undefined;
  if (isProofMissing) return { error: 'invalid_grant', description: 'grant request is invalid' };
  if (thumbprint !== undefined && proof !== undefined) {
    return invalidRequest('multiple proof-of-possession mechanisms are not allowed');
  }
  if (proof !== undefined) return { jkt: proof.jkt };
  return thumbprint === undefined ? {} : { x5t: thumbprint };
}

/** An error response (RFC 6749, section 5.2). `realm` is set if the request has an `Authorization` header. */
function errorResponse({ error, description, scope }: TokenError, realm: string | undefined): TokenResponse {
  const body = { error, error_description: description, ...(scope === undefined ? {} : { scope }) };
  if (error !== 'invalid_client') return { status: 400, headers: {}, body };
  if (realm === undefined) return { status: 401, headers: {}, body };
  const challenge = `Basic realm="${realm}", error="${error}", error_description="${description}"`;
  return { status: 401, headers: { 'www-authenticate': challenge }, body };
}

/** The response to a fault of the server: 503 if the database does not respond, and else 500. */
function serverErrorResponse(fault: unknown): TokenResponse {
  if (fault instanceof ReadUnavailable || fault instanceof WriteBusy || fault instanceof WriteUnknown) {
    const description = 'the database does not respond; no token was issued; repeat the request';
    const body = { error: 'temporarily_unavailable', error_description: description };
    return { status: 503, headers: { 'retry-after': '2' }, body };
  }
  const description = 'the server failed; its log has the error';
  return { status: 500, headers: {}, body: { error: 'server_error', error_description: description } };
}
