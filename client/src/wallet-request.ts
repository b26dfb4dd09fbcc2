import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, type JWK } from 'jose';
import { readText, sendRequest } from './http-request.ts';
import type { DcqlPath } from './sandbox-pid.ts';
import { SandboxWalletError } from './wallet-faults.ts';

/** One credential that a request asks for (OpenID4VP 1.0, section 6). */
export type CredentialQuery = {
  readonly id: string;
  readonly format: string;
  readonly meta: { readonly vct_values?: readonly string[]; readonly doctype_value?: string };
  readonly claims?: readonly { readonly id?: string; readonly path: DcqlPath }[];
  readonly claim_sets?: readonly (readonly string[])[];
  readonly trusted_authorities?: readonly { readonly type: string; readonly values: readonly string[] }[];
};

/** The claims of a request object that the wallet uses. */
export type WalletRequestObject = {
  readonly client_id: string;
  readonly response_uri: string;
  readonly nonce: string;
  readonly state: string;
  readonly dcql_query: {
    readonly credentials: readonly CredentialQuery[];
    readonly credential_sets?: readonly { readonly options: readonly (readonly string[])[] }[];
  };
  readonly client_metadata: {
    readonly jwks: { readonly keys: readonly JWK[] };
    readonly encrypted_response_enc_values_supported: readonly string[];
  };
};

/** How a wallet fetches the request object: `post` sends a nonce, which the server repeats. */
export type RequestMethod = 'get' | 'post';

/** The parts of a link that opens a wallet (OpenID4VP 1.0, section 5.10). */
export type WalletLink = { readonly clientId: string; readonly requestUri: string; readonly method: RequestMethod };

const timeoutMs = 30_000;

/** Reads the link. Throws a `SandboxWalletError` if a part is missing. */
export function parseWalletLink(text: string): WalletLink {
  const query = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams();
  const [clientId, requestUri] = [query.get('client_id'), query.get('request_uri')];
  if (clientId === null || requestUri === null || !URL.canParse(requestUri))
    throw new SandboxWalletError(
      'Expected the walletUrl of a presentation, with client_id and request_uri. Put it in quotation marks, because it contains "&".',
    );
  return { clientId, requestUri, method: query.get('request_uri_method') === 'post' ? 'post' : 'get' };
}

/** Fetches the request object of a link, and checks it as a wallet does. Throws a `SandboxWalletError`. */
export async function fetchRequestObject({ clientId, requestUri, method }: WalletLink): Promise<WalletRequestObject> {
  const walletNonce = randomBytes(16).toString('base64url');
  const form = { method: 'POST', body: new URLSearchParams({ wallet_nonce: walletNonce }) };
  const request = { fetch, url: requestUri, init: method === 'post' ? form : {} };
  const { status, text } = await sendRequest(request, { timeoutMs }, async (response) => ({
    status: response.status,
    text: await readText(response),
  }));
  if (status !== 200)
    throw new SandboxWalletError(
      `Expected a request object, received status ${status}. The presentation has ended, or its time is over: ask for a new one.`,
    );
  const { payload, leaf } = await verifyRequestObject(text);
  requireThat(payload['client_id'] === clientId, 'the client_id of the link');
  requireThat(method === 'get' || payload['wallet_nonce'] === walletNonce, 'the wallet_nonce that the wallet sent');
  requireClientId(payload, leaf);
  requireProtocol(payload);
  // The checks above read the members that the type names. A wrong inner member fails where the wallet uses it.
  return payload as WalletRequestObject;
}

type Payload = Readonly<Record<string, unknown>>;

function requireThat(condition: boolean, expected: string): void {
  if (!condition)
    throw new SandboxWalletError(`Expected ${expected} in the request object, received another value or none.`);
}

/**
 * Verifies the signature by the first certificate, and that each certificate is issued by the next one. A real wallet also compares the
 * last one with its list of access certificate authorities, which a sandbox does not have.
 */
async function verifyRequestObject(
  jws: string,
): Promise<{ readonly payload: Payload; readonly leaf: X509Certificate }> {
  const { typ, x5c } = readHeader(jws);
  requireThat(typ === 'oauth-authz-req+jwt', 'typ oauth-authz-req+jwt');
  const chain = (x5c ?? []).map((der) => new X509Certificate(Buffer.from(der, 'base64')));
  const [leaf, ...issuers] = chain;
  if (leaf === undefined) throw new SandboxWalletError('Expected certificates (x5c) in the request object.');
  chain.forEach((certificate, index) => {
    const issuer = issuers[index];
    requireThat(!certificate.checkIssued(certificate), 'certificates that are not self-signed (HAIP 1.0, section 5)');
    requireThat(issuer === undefined || certificate.verify(issuer.publicKey), 'a chain of certificates');
    const now = Date.now();
    requireThat(
      Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo),
      'valid certificates',
    );
  });
  const verified = await compactVerify(jws, leaf.publicKey, { algorithms: ['ES256'] }).catch(() => undefined);
  if (verified === undefined)
    throw new SandboxWalletError('Expected a request object signed with ES256 by the key of its certificate.');
  return { payload: JSON.parse(Buffer.from(verified.payload).toString()) as Payload, leaf };
}

function readHeader(jws: string) {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    throw new SandboxWalletError('Expected a signed request object (JWS), received another text.');
  }
}

/** The client id names the certificate, by its hash or by a DNS name (OpenID4VP 1.0, section 5.9.3). */
function requireClientId({ client_id: clientId, response_uri: responseUri }: Payload, leaf: X509Certificate): void {
  const [, prefix, name = ''] = /^(x509_hash|x509_san_dns):(.+)$/.exec(String(clientId)) ?? [];
  if (prefix === undefined)
    throw new SandboxWalletError('Expected a client_id with the prefix x509_hash or x509_san_dns.');
  requireThat(URL.canParse(String(responseUri)), 'a URL as response_uri');
  const hash = createHash('sha256').update(leaf.raw).digest('base64url');
  if (prefix === 'x509_hash') requireThat(name === hash, 'a client_id with the hash of the certificate');
  else
    requireThat(
      leaf.checkHost(name) !== undefined && new URL(String(responseUri)).hostname === name,
      'a DNS name of the certificate as client_id, and the same host in response_uri',
    );
}

function requireProtocol(payload: Payload): void {
  const { nonce, state, dcql_query: query, client_metadata: metadata } = payload;
  const secret = /^[\w.~-]{22,}$/;
  requireThat(payload['aud'] === 'https://self-issued.me/v2', 'aud https://self-issued.me/v2');
  requireThat(payload['response_type'] === 'vp_token', 'response_type vp_token');
  requireThat(payload['response_mode'] === 'direct_post.jwt', 'response_mode direct_post.jwt');
  requireThat(secret.test(String(nonce)) && secret.test(String(state)), 'nonce and state of at least 128 bits');
  requireThat(typeof query === 'object' && query !== null && 'credentials' in query, 'a dcql_query');
  requireThat(typeof metadata === 'object' && metadata !== null && 'jwks' in metadata, 'a key in client_metadata');
}
