import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { CompactEncrypt, compactVerify, importJWK, importX509, type JWK } from 'jose';
import { sandboxIssuer } from '../../client/src/sandbox-issuer.ts';
import { bindToHolder, concealClaims, type Disclosure, signEs256 } from './sd-jwt-issuer.ts';

/** The claims of the request object that the wallet uses. */
export type RequestObject = {
  readonly client_id: string;
  readonly response_uri: string;
  readonly nonce: string;
  readonly state: string;
  readonly wallet_nonce?: string;
  readonly aud: string;
  readonly verifier_info?: readonly { readonly format: string; readonly data: string }[];
  readonly dcql_query: { readonly credentials: readonly { readonly id: string; readonly format: string }[] };
  readonly client_metadata: { readonly jwks: { readonly keys: readonly [JWK] } };
};

/** A person in the wallet: the claims of a PID as SD-JWT VC. */
export const walletMary = {
  given_name: 'Mary',
  family_name: 'Smith',
  birthdate: '1981-04-25',
  place_of_birth: { locality: 'Bristol', country: 'GB' },
  nationalities: ['GB'],
  address: { street_address: '12 High Street', postal_code: 'BS1 4ST', locality: 'Bristol', country: 'GB' },
  issuing_country: 'UT',
  issuing_authority: 'Sandbox',
  personal_administrative_number: 'UT-4711',
} as const;

/** The differences of a dishonest or broken wallet. */
export type WalletChanges = {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly issuerKey?: KeyObject;
  readonly proof?: Readonly<Record<string, unknown>>;
  readonly state?: string;
  readonly payload?: object;
  /** The id in the response, by default that of the SD-JWT query. */
  readonly queryId?: string;
};

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** The address of the request object in a link to a wallet. */
export function requestUriOf(walletUrl: string): string {
  return new URL(walletUrl).searchParams.get('request_uri') ?? '';
}

/** Fetches a request object with POST, and verifies it as a wallet does: signature, type, and client id. */
export async function fetchRequest(walletUrl: string): Promise<RequestObject> {
  const walletNonce = randomBytes(16).toString('base64url');
  const body = new URLSearchParams({ wallet_nonce: walletNonce });
  const response = await fetch(requestUriOf(walletUrl), { method: 'POST', headers: formHeaders, body });
  if (response.status !== 200) throw new TypeError(`expected a request object, received ${response.status}`);
  const request = await readRequestObject(await response.text());
  if (request.wallet_nonce !== walletNonce || request.client_id !== new URL(walletUrl).searchParams.get('client_id'))
    throw new TypeError('expected the request object of this link');
  return request;
}

/** The payload of a signed request object. */
async function readRequestObject(jws: string): Promise<RequestObject> {
  const header = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as {
    x5c: [string];
    typ: string;
  };
  const pem = `-----BEGIN CERTIFICATE-----\n${header.x5c[0]}\n-----END CERTIFICATE-----`;
  const { payload } = await compactVerify(jws, await importX509(pem, 'ES256'));
  if (header.typ !== 'oauth-authz-req+jwt') throw new TypeError(`expected a request object, received ${header.typ}`);
  return JSON.parse(Buffer.from(payload).toString()) as RequestObject;
}

/** A presentation of an SD-JWT VC for this request. */
export function presentCredential(request: RequestObject, changes: WalletChanges = {}): string {
  const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const disclosures: Disclosure[] = [];
  const claims = { ...walletMary, ...changes.claims };
  const concealed = concealClaims(claims, { _sd: Object.keys(claims) }, { disclosures }) as object;
  const seconds = Math.floor(Date.now() / 1_000);
  const { x, y } = holder.publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const payload = {
    ...concealed,
    vct: 'urn:eudi:pid:1',
    iat: seconds,
    exp: seconds + 3_600,
    cnf: { jwk },
    ...changes.payload,
  };
  const issuerKey =
    changes.issuerKey ?? createPrivateKey({ key: sandboxIssuer.privateKey as JsonWebKey, format: 'jwk' });
  const issued = signEs256(
    { typ: 'dc+sd-jwt', x5c: sandboxIssuer.chain },
    { _sd_alg: 'sha-256', ...payload },
    issuerKey,
  );
  const presented = `${[issued, ...disclosures.map(({ text }) => text)].join('~')}~`;
  const proof = { aud: request.client_id, nonce: request.nonce, iat: seconds, ...changes.proof };
  return bindToHolder(presented, proof, { key: holder.privateKey });
}

/** The encrypted response with a presentation. */
export async function encryptResponse(request: RequestObject, changes: WalletChanges = {}): Promise<string> {
  const id = changes.queryId ?? request.dcql_query.credentials.find(({ format }) => format === 'dc+sd-jwt')?.id ?? '';
  const content = { vp_token: { [id]: [presentCredential(request, changes)] }, state: changes.state ?? request.state };
  return await encryptContent(request, content);
}

/** Encrypts the content of a response for the key of a request. */
export async function encryptContent(request: RequestObject, content: object): Promise<string> {
  const [key] = request.client_metadata.jwks.keys;
  return await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid ?? '' })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

/** The status of the answer to a wallet, and its body. */
type AnswerToWallet = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** Sends a form to the response URI of a request. */
export async function postResponse(
  responseUri: string,
  form: Readonly<Record<string, string>>,
): Promise<AnswerToWallet> {
  const response = await fetch(responseUri, { method: 'POST', headers: formHeaders, body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

/** Plays a whole wallet: fetches the request of a link, and sends a presentation. */
export async function answerWithWallet(walletUrl: string, changes: WalletChanges = {}): Promise<AnswerToWallet> {
  const request = await fetchRequest(walletUrl);
  return await postResponse(request.response_uri, { response: await encryptResponse(request, changes) });
}
