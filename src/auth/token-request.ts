import type { IncomingMessage } from 'node:http';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { tokenPath } from './access-token.ts';

/** The check that a token request failed, for the log of the operator. docs/operate/troubleshooting.md explains each. */
export type TokenRefusalReason =
  | 'malformed-request'
  | 'no-credential'
  | 'several-credentials'
  | 'client-id-mismatch'
  | 'unknown-client'
  | 'disabled-client'
  | 'wrong-method'
  | 'secret'
  | 'secrets-not-accepted'
  | 'certificate'
  | 'certificate-missing'
  | 'assertion-form'
  | 'assertion-typ'
  | 'algorithm'
  | 'unknown-key'
  | 'keys-unavailable'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'jti'
  | 'times'
  | 'used-assertion'
  | 'dpop-proof'
  | 'dpop-proof-missing'
  | 'origin'
  | 'grant-type'
  | 'scope'
  | 'resource'
  | 'quota';

/**
 * An error of the token endpoint (RFC 6749, section 5.2). `invalid_client` is answered with 401, `temporarily_unavailable` with
 * 429, and all others with 400.
 */
export type TokenError = {
  readonly error:
    | 'invalid_request'
    | 'invalid_client'
    | 'unsupported_grant_type'
    | 'invalid_scope'
    | 'invalid_target'
    | 'invalid_dpop_proof'
    | 'use_dpop_nonce'
    | 'temporarily_unavailable';
  readonly description: string;
  readonly reason: TokenRefusalReason;
  /** The client that the request names, for the log. It may not exist. */
  readonly clientId?: string | undefined;
  /** Seconds until the request can succeed; only for `temporarily_unavailable`. */
  readonly retryAfter?: string;
  /** The first scope that the client may not have; only for `invalid_scope`. */
  readonly scope?: string;
};

/** The parameters of a token request. A parameter without a value counts as omitted (RFC 6749, section 3.2). */
export type TokenRequest = {
  readonly grantType: string | undefined;
  readonly scope: string | undefined;
  /** May appear several times (RFC 8707, section 2). */
  readonly resources: readonly string[];
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly clientAssertion: string | undefined;
  readonly clientAssertionType: string | undefined;
};

const maxBodyBytes = 56 * 1_024;
const formType = 'application/x-www-form-urlencoded';

/** The request is malformed (RFC 6749, section 5.2). */
export const invalidRequest = (description: string, reason: TokenRefusalReason = 'malformed-request'): TokenError => ({
  error: 'invalid_request',
  reason,
  description,
});

/** Client authentication failed. */
export const invalidClient = (reason: TokenRefusalReason, description: string): TokenError => ({
  error: 'invalid_client',
  reason,
  description,
});

/** Reads the form of a token request, at most 56 KiB. */
export async function readTokenRequest(request: IncomingMessage): Promise<TokenRequest | TokenError> {
  const contentType = request.headers['content-type'];
  if (contentType === undefined) return parseTokenRequest(new URLSearchParams());
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== formType) {
    return invalidRequest(`only ${formType} content-type bodies are supported on POST ${tokenPath}`);
  }
  const body = await readBody(request);
  if (body === undefined) return invalidRequest('failed to parse the request body');
  return parseTokenRequest(new URLSearchParams(body.toString('utf8')));
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > maxBodyBytes) return undefined;
  try {
    // The connection stays open after the limit is passed, so that the client can read the error.
    return await readBytesUpTo(request.iterator({ destroyOnReturn: false }), maxBodyBytes);
  } catch {
    // Reading fails only when the client closes the connection. That is no fault of the server, and no response arrives.
    return undefined;
  }
}

function parseTokenRequest(form: URLSearchParams): TokenRequest | TokenError {
  const single = ['client_id', 'client_assertion', 'client_assertion_type', 'client_secret', 'grant_type', 'scope'];
  // RFC 6749, section 3.2: parameters must not be included more than once.
  const repeated = single.find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) return invalidRequest(`'${repeated}' parameter must not be provided twice`);
  const value = (name: string) => form.get(name) || undefined;
  return {
    grantType: value('grant_type'),
    scope: value('scope'),
    resources: form.getAll('resource').filter((resource) => resource !== ''),
    clientId: value('client_id'),
    clientSecret: value('client_secret'),
    clientAssertion: value('client_assertion'),
    clientAssertionType: value('client_assertion_type'),
  };
}
