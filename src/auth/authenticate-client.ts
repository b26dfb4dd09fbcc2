import type { IncomingMessage } from 'node:http';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { percentDecode } from '../kernel/percent-decode.ts';
import { isExternalId } from './access-token.ts';
import { type Client, type Credential, isClientSecret } from './client.ts';
import {
  type AssertionSigner,
  assertionClaimsFault,
  assertionReplayWindowMs,
  findSigner,
  parseClientAssertion,
  type UnverifiedAssertion,
} from './client-assertion.ts';
import { type CertificateReader, type ClientCertificate, matchesCertificateProof } from './client-certificate.ts';
import { usedCredentialId } from './client-credential.ts';
import { createCredentialUseRecorder } from './client-credential-store.ts';
import { findClient } from './client-store.ts';
import { ClientKeysUnavailable, type FetchedClientKeys } from './fetched-client-keys.ts';
import type { QuotaLimiter } from './quota.ts';
import {
  invalidClient,
  invalidRequest,
  type TokenError,
  type TokenRefusalReason,
  type TokenRequest,
} from './token-request.ts';
import { createReplayDetector } from './used-proof-store.ts';

/** Dependencies of client authentication at the token endpoint. */
export type ClientAuthenticationDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Whether client secrets are accepted: in the demo, and in a sandbox. */
  readonly secrets: boolean;
  /** Reads the client certificate of a request. Without a reader, no client can authenticate by certificate. */
  readonly certificates?: CertificateReader | undefined;
  readonly quotas: QuotaLimiter;
  readonly clientKeys: FetchedClientKeys;
};

/** The methods that the metadata lists (FAPI 2.0, section 5.3.2.1). Secrets only if the operator allows them. */
export function authMethodsOf(secrets: boolean) {
  const methods = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'] as const;
  return secrets ? ([...methods, 'client_secret_basic', 'client_secret_post'] as const) : methods;
}

/** How many tokens one client gets. A token lives ten minutes, so a program needs few. */
const tokenQuota = { perSecond: 10, burst: 100 } as const;

/**
 * Creates the client authentication of one process. All processes share the used assertions and the quota. A request takes from the
 * quota after its credential is proven, so nobody can use up the quota of another client. The assertion is stored after that, so a
 * request over quota leaves no row.
 */
export function createClientAuthenticator(deps: ClientAuthenticationDeps) {
  const isFirstUse = createReplayDetector(deps, 'ReplayDetection');
  const recordUse = createCredentialUseRecorder(deps);
  return async (presented: PresentedClientCredential): Promise<Client | TokenError> => {
    if (presented.by === 'secret' && !deps.secrets) return secretsNotAccepted;
    const { clientId } = presented;
    const client = isExternalId(clientId) ? await findClient(deps.db.read, clientId) : undefined;
    if (client === undefined) return authenticationFailed(presented, 'unknown-client');
    if (client.disabledAt !== undefined) return authenticationFailed(presented, 'disabled-client');
    const checked = await checkCredential(deps, client, presented);
    if ('error' in checked) return checked;
    const { refusal } = await deps.quotas.take({ clientId, quota: tokenQuota }, 'token');
    if (refusal !== undefined) return overQuota(refusal.headers?.['retry-after']);
    if (presented.by === 'assertion') {
      // RFC 7523, section 3, item 7: the jti is stored, and an assertion is accepted once.
      const endsAt = deps.clock.now() + assertionReplayWindowMs;
      if (!(await isFirstUse(clientId, String(presented.claims['jti']), endsAt))) return usedAssertion;
    }
    await recordUse(clientId, checked.usedId);
    return client;
  };
}

const secretsNotAccepted = invalidClient(
  'secrets-not-accepted',
  'this server accepts no client_secret: use private_key_jwt or a client certificate',
);

const usedAssertion = invalidClient(
  'used-assertion',
  'this client_assertion was used before; create a new one for each request',
);

function overQuota(retryAfter: string | string[] = '1'): TokenError {
  const { perSecond, burst } = tokenQuota;
  const description = `a client gets ${perSecond} tokens in a second, and ${burst} at once: use each token until it expires`;
  return { error: 'temporarily_unavailable', reason: 'quota', description, retryAfter: String(retryAfter) };
}

/**
 * The same answer for an unknown client, a disabled one, one with another method and a wrong credential, so that nobody finds out
 * which clients exist. `reason` is for the log only.
 */
function authenticationFailed({ by }: PresentedClientCredential, reason: TokenRefusalReason): TokenError {
  switch (by) {
    case 'secret':
      return invalidClient(reason, 'client_id or client_secret is wrong, or this client must use another method');
    case 'assertion':
      return invalidClient(
        reason,
        'no registered key of the client in sub signed the client_assertion; check sub, kid and the registered keys',
      );
    case 'certificate':
      return invalidClient(reason, 'the client certificate is not registered for this client_id');
  }
}

type CredentialCheck = { readonly usedId: string } | TokenError;

/** The id of the proven credential, or its fault. A client authenticates by the one method that it is registered for, and by no other. */
async function checkCredential(
  { publicUrl, clock, clientKeys }: ClientAuthenticationDeps,
  { clientId, credential }: Client,
  presented: PresentedClientCredential,
): Promise<CredentialCheck> {
  switch (presented.by) {
    case 'secret': {
      if (credential.by !== 'secret') return authenticationFailed(presented, 'wrong-method');
      const isRight = isClientSecret(clientId, credential.hash, presented.secret);
      return isRight ? { usedId: usedCredentialId(credential) } : authenticationFailed(presented, 'secret');
    }
    case 'assertion': {
      const signer = await findAssertionSigner(clientKeys, credential, presented);
      if ('fault' in signer) return authenticationFailed(presented, signer.fault);
      // The faults of the claims are reported only to a client that holds a key.
      return assertionClaimsFault(presented, publicUrl, clock.now()) ?? { usedId: signer.signedBy };
    }
    case 'certificate': {
      if (credential.by !== 'certificate') return authenticationFailed(presented, 'wrong-method');
      const isRight = matchesCertificateProof(presented.certificate, credential.certificate);
      return isRight ? { usedId: usedCredentialId(credential) } : authenticationFailed(presented, 'certificate');
    }
  }
}

async function findAssertionSigner(
  clientKeys: FetchedClientKeys,
  credential: Credential,
  presented: UnverifiedAssertion,
): Promise<AssertionSigner> {
  if (credential.by === 'keys') return await findSigner(presented, credential.jwks);
  if (credential.by !== 'jwks-uri') return { fault: 'wrong-method' };
  try {
    const signer = await findSigner(presented, await clientKeys.current(credential.jwksUri));
    if ('signedBy' in signer || signer.fault !== 'unknown-key') return signer;
    const newer = await clientKeys.newerKeys(credential.jwksUri);
    return newer === undefined ? signer : await findSigner(presented, newer);
  } catch (fault) {
    if (fault instanceof ClientKeysUnavailable) return { fault: 'keys-unavailable' };
    throw fault;
  }
}

/** The credential of a token request, before it is verified. */
export type PresentedClientCredential =
  | { readonly by: 'secret'; readonly clientId: string; readonly secret: string }
  | ({ readonly by: 'assertion' } & UnverifiedAssertion)
  | { readonly by: 'certificate'; readonly clientId: string; readonly certificate: ClientCertificate };

type ReadCertificate = () => ClientCertificate | undefined;

/**
 * The credential of the request. RFC 6749, section 2.3: a request uses one authentication method only. The certificate of the
 * connection is the credential only if the request has no other one.
 */
export function presentedCredential(
  { authorization }: IncomingMessage['headers'],
  parameters: TokenRequest,
  readCertificate: ReadCertificate,
): PresentedClientCredential | TokenError {
  const { clientId, clientSecret, clientAssertion } = parameters;
  const mechanisms = [authorization, clientSecret, clientAssertion].filter((value) => value !== undefined);
  if (mechanisms.length > 1)
    return invalidRequest('client authentication must only be provided using one mechanism', 'several-credentials');
  const presented = parseCredential(authorization, parameters, readCertificate);
  if ('error' in presented) return { clientId, ...presented };
  const isOther = clientId !== undefined && clientId !== presented.clientId;
  return isOther ? invalidRequest('client_id mismatch', 'client-id-mismatch') : presented;
}

function parseCredential(
  authorization: string | undefined,
  { clientId, clientSecret, clientAssertion, clientAssertionType }: TokenRequest,
  readCertificate: ReadCertificate,
): PresentedClientCredential | TokenError {
  if (authorization !== undefined) return parseBasicCredential(authorization);
  if (clientAssertion !== undefined) return parseAssertionCredential(clientAssertion, clientAssertionType);
  if (clientId === undefined) return invalidRequest('no client authentication mechanism provided', 'no-credential');
  return postedCredential(clientId, clientSecret, readCertificate);
}

/** `client_secret_post` (RFC 6749, section 2.3.1); without a secret the certificate of the connection (RFC 8705, section 2). */
function postedCredential(
  clientId: string,
  secret: string | undefined,
  readCertificate: ReadCertificate,
): PresentedClientCredential | TokenError {
  if (secret !== undefined) return { by: 'secret', clientId, secret };
  const certificate = readCertificate();
  if (certificate !== undefined) return { by: 'certificate', clientId, certificate };
  return invalidClient(
    'certificate-missing',
    'the request has no credential: no client_assertion, no client_secret and no client certificate on its connection',
  );
}

/** `client_secret_basic`: id and secret are form-encoded before HTTP Basic joins them (RFC 6749, section 2.3.1). */
function parseBasicCredential(authorization: string): PresentedClientCredential | TokenError {
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
  if (clientId === '') return invalidRequest('no client authentication mechanism provided', 'no-credential');
  return { by: 'secret', clientId, secret };
}

/** Decodes an id or secret, which has visible ASCII characters and spaces only (RFC 6749, appendix A.1 and A.2). */
function formDecode(text: string): string | undefined {
  const decoded = percentDecode(text.replaceAll('+', '%20'));
  return decoded !== undefined && /^[\x20-\x7e]*$/.test(decoded) ? decoded : undefined;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** `private_key_jwt` (RFC 7523, section 2.2): the claim `sub` names the client (section 3). */
function parseAssertionCredential(assertion: string, type: string | undefined): PresentedClientCredential | TokenError {
  if (type === undefined) return invalidRequest('client_assertion_type must be provided');
  if (type !== assertionType) return invalidRequest(`client_assertion_type must have value ${assertionType}`);
  const parsed = parseClientAssertion(assertion);
  return 'error' in parsed ? parsed : { by: 'assertion', ...parsed };
}
