import type { IncomingMessage } from 'node:http';
import { decodeJwt } from 'jose/jwt/decode';
import { percentDecode } from '../kernel/percent-decode.ts';
import { isExternalId } from './access-token.ts';
import { type Client, isClientSecret } from './client.ts';
import { type AssertionDeps, createAssertionVerifier } from './client-assertion.ts';
import { type CertificateReader, matchesCertificateProof } from './client-certificate.ts';
import { findClient } from './client-store.ts';
import { invalidClient, invalidRequest, type TokenError, type TokenRequest } from './token-request.ts';

/** Dependencies of client authentication at the token endpoint. */
export type ClientAuthenticationDeps = AssertionDeps & {
  /** Whether client secrets are accepted: in the demo, and in a sandbox. */
  readonly secrets: boolean;
  /** Reads the client certificate of a request. Without a reader, no client can authenticate by certificate. */
  readonly certificates?: CertificateReader | undefined;
};

/** The methods that the metadata lists (FAPI 2.0, section 5.3.2.1). Secrets only if the operator allows them. */
export function authMethodsOf(secrets: boolean) {
  const methods = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'] as const;
  return secrets ? ([...methods, 'client_secret_basic', 'client_secret_post'] as const) : methods;
}

/** Creates the client authentication of one process. Used assertions are shared with all other processes. */
export function createClientAuthenticator(deps: ClientAuthenticationDeps) {
  const verifyAssertion = createAssertionVerifier(deps);
  return async (request: IncomingMessage, parameters: TokenRequest): Promise<Client | TokenError> => {
    const presented = presentedCredential(request.headers.authorization, parameters);
    if ('error' in presented) return presented;
    const { clientId } = presented;
    const client = isExternalId(clientId) ? await findClient(deps.db.read, clientId) : undefined;
    if (client === undefined || client.disabledAt !== undefined) return invalidClient();
    const { credential } = client;
    // A client authenticates by the one method that it is registered for, and by no other.
    switch (credential.by) {
      case 'secret': {
        if (!deps.secrets || presented.by !== 'secret') return invalidClient();
        return isClientSecret(clientId, credential.hash, presented.secret) ? client : invalidClient();
      }
      case 'keys': {
        if (presented.by !== 'assertion') return invalidClient();
        return (await verifyAssertion(presented.assertion, clientId, credential.jwks)) ?? client;
      }
      case 'certificate': {
        const certificate = presented.by === 'certificate' ? deps.certificates?.read(request) : undefined;
        if (certificate === undefined) return invalidClient();
        return matchesCertificateProof(certificate, credential.certificate) ? client : invalidClient();
      }
      case 'issuer':
        return invalidClient();
    }
  };
}

type PresentedCredential =
  | { readonly by: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly by: 'assertion'; readonly clientId: string; readonly assertion: string }
  | { readonly by: 'certificate'; readonly clientId: string };

/** The credential of the request. RFC 6749, section 2.3: a request uses one authentication method only. */
function presentedCredential(
  authorization: string | undefined,
  parameters: TokenRequest,
): PresentedCredential | TokenError {
  const { clientId, clientSecret, clientAssertion } = parameters;
  const mechanisms = [authorization, clientSecret, clientAssertion].filter((value) => value !== undefined);
  if (mechanisms.length > 1) {
    return invalidRequest('client authentication must only be provided using one mechanism');
  }
  const presented =
    authorization !== undefined
      ? parseBasicCredential(authorization)
      : clientAssertion !== undefined
        ? parseAssertionCredential(clientAssertion, parameters.clientAssertionType)
        : clientId === undefined
          ? invalidRequest('no client authentication mechanism provided')
          : postedCredential(clientId, clientSecret);
  if ('error' in presented) return presented;
  const isOther = clientId !== undefined && clientId !== presented.clientId;
  return isOther ? invalidRequest('client_id mismatch') : presented;
}

/** `client_secret_post` (RFC 6749, section 2.3.1); without a secret the certificate of the connection (RFC 8705, section 2). */
function postedCredential(clientId: string, secret: string | undefined): PresentedCredential {
  return secret === undefined ? { by: 'certificate', clientId } : { by: 'secret', clientId, secret };
}

/** `client_secret_basic`: id and secret are form-encoded before HTTP Basic joins them (RFC 6749, section 2.3.1). */
function parseBasicCredential(authorization: string): PresentedCredential | TokenError {
  const base64 = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1] ?? '';
  const [, encodedId, encodedSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(base64, 'base64').toString('utf8')) ?? [];
  if (encodedId === undefined || encodedSecret === undefined) {
    return invalidRequest('invalid authorization header value format');
  }
  const clientId = formDecode(encodedId);
  const secret = formDecode(encodedSecret);
  if (clientId === undefined || secret === undefined) {
    return invalidRequest('client_id and client_secret in the authorization header are not properly encoded');
  }
  if (secret === '') return invalidRequest('client_secret must be provided in the Authorization header');
  if (clientId === '') return invalidRequest('no client authentication mechanism provided');
  return { by: 'secret', clientId, secret };
}

/** Decodes an id or secret, which has visible ASCII characters and spaces only (RFC 6749, appendix A.1 and A.2). */
function formDecode(text: string): string | undefined {
  const decoded = percentDecode(text.replaceAll('+', '%20'));
  return decoded !== undefined && /^[\x20-\x7e]*$/.test(decoded) ? decoded : undefined;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** `private_key_jwt` (RFC 7523, section 2.2): the claim `sub` names the client (section 3). Nothing is verified yet. */
function parseAssertionCredential(assertion: string, type: string | undefined): PresentedCredential | TokenError {
  let clientId: string | undefined;
  try {
    clientId = decodeJwt(assertion).sub;
  } catch {
    return invalidRequest('invalid client_assertion format');
  }
  if (typeof clientId !== 'string' || clientId === '') return invalidClient();
  if (type === undefined) return invalidRequest('client_assertion_type must be provided');
  if (type !== assertionType) return invalidRequest(`client_assertion_type must have value ${assertionType}`);
  return { by: 'assertion', clientId, assertion };
}
