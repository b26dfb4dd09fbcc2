import type { IncomingMessage } from 'node:http';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';

/** An error of the token endpoint (RFC 6749, section 5.2). `invalid_client` is answered with 401, all others with 400. */
export type TokenError = {
  readonly error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'unsupported_grant_type'
    | 'invalid_scope'
    | 'invalid_target'
    | 'invalid_dpop_proof'
    | 'use_dpop_nonce';
  readonly description: string;
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
export const invalidRequest = (description: string): TokenError => ({ error: 'invalid_request', description });

/** Client authentication failed. Without a description the answer is the same for an unknown client and a wrong credential. */
export const invalidClient = (description = 'client authentication failed'): TokenError => ({
  error: 'invalid_client',
  description,
});

/** Reads the form of a token request, at most 56 KiB. Without `secrets`, `client_secret` is an unknown parameter. */
export async function readTokenRequest(request: IncomingMessage, secrets: boolean): Promise<TokenRequest | TokenError> {
  const contentType = request.headers['content-type'];
  if (contentType === undefined) return parseTokenRequest(new URLSearchParams(), secrets);
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== formType) {
    return invalidRequest(`only ${formType} content-type bodies are supported on POST /oauth2/token`);
  }
  const body = await readBody(request);
  if (body === undefined) return invalidRequest('failed to parse the request body');
  return parseTokenRequest(new URLSearchParams(body.toString('utf8')), secrets);
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

function parseTokenRequest(form: URLSearchParams, secrets: boolean): TokenRequest | TokenError {
  const single = ['client_id', 'client_assertion', 'client_assertion_type', 'grant_type', 'scope'];
  if (secrets) single.push('client_secret');
  // RFC 6749, section 3.2: parameters must not be included more than once.
  const repeated = single.find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) return invalidRequest(`'${repeated}' parameter must not be provided twice`);
  const value = (name: string) => form.get(name) || undefined;
  return {
    grantType: value('grant_type'),
    scope: value('scope'),
    resources: form.getAll('resource').filter((resource) => resource !== ''),
    clientId: value('client_id'),
    clientSecret: secrets ? value('client_secret') : undefined,
    clientAssertion: value('client_assertion'),
    clientAssertionType: value('client_assertion_type'),
  };
}
