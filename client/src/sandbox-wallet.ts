import { CompactEncrypt, calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { chooseCredential } from './credential-choice.ts';
import { readText, sendRequest } from './http-request.ts';
import { sandboxIssuer } from './sandbox-issuer.ts';
import { presentMdocPid } from './sandbox-mdoc.ts';
import type { PidAttributes } from './sandbox-people.ts';
import type { PidIssuer, StatusReference } from './sandbox-pid.ts';
import { presentSdJwtPid } from './sandbox-sd-jwt.ts';
import { SandboxWalletError, type WalletFault, type WalletFormat } from './wallet-faults.ts';
import { fetchRequestObject, parseWalletLink, type WalletRequestObject } from './wallet-request.ts';

/** The sandbox wallet of one person, who has a fresh PID for each request. */
export type SandboxWallet = {
  readonly attributes: PidAttributes;
  /** The only format that it has. Default: both. */
  readonly format?: WalletFormat | undefined;
  /** A fault that the wallet makes on purpose. */
  readonly fault?: WalletFault | undefined;
  /** The issuer of the PID. Default: the sandbox issuer, with its CA. */
  readonly issuer?: (PidIssuer & { readonly authorityKeyId: string }) | undefined;
  readonly status?: StatusReference | undefined;
  /** The content encryption of the response. Default: the first that the server lists. */
  readonly encryption?: string | undefined;
};

/** The credential that a wallet presented, and the answer of the server. */
export type WalletOutcome = {
  readonly format: WalletFormat;
  /** The names of the disclosed claims. */
  readonly disclosed: readonly string[];
  readonly status: number;
  /** The address to which the wallet sends the citizen. */
  readonly redirectUri: string | undefined;
};

/** Plays a wallet (OpenID4VP 1.0, HAIP 1.0): fetches the request of the link, presents a PID, and sends it encrypted. */
export async function answerWalletRequest(walletUrl: string, wallet: SandboxWallet): Promise<WalletOutcome> {
  const request = await fetchRequestObject(parseWalletLink(walletUrl));
  const { content, choice } = await createVpToken(request, wallet);
  const response = await encryptForServer(request, content, wallet);
  const { status, redirectUri } = await sendToServer(request, { response });
  const disclosed = choice.paths.map((path) => path.filter((step) => step !== null).join('.'));
  return { format: choice.format, disclosed, status, redirectUri };
}

/** Plays a citizen who declines: sends the error `access_denied` (OpenID4VP 1.0, section 8.5). */
export async function declineWalletRequest(walletUrl: string): Promise<Pick<WalletOutcome, 'status' | 'redirectUri'>> {
  const request = await fetchRequestObject(parseWalletLink(walletUrl));
  return await sendToServer(request, { error: 'access_denied', state: request.state });
}

async function createVpToken(request: WalletRequestObject, wallet: SandboxWallet) {
  const { attributes, format, fault, issuer = sandboxIssuer, status } = wallet;
  const choice = chooseCredential(request, { attributes, format, authorityKeyId: issuer.authorityKeyId });
  const pid = {
    attributes,
    type: choice.type,
    paths: fault === 'missing-attribute' ? choice.paths.slice(1) : choice.paths,
    issuer,
    status,
    now: Date.now(),
    fault,
    clientId: request.client_id,
    nonce: request.nonce,
    responseUri: request.response_uri,
    keyThumbprint: Buffer.from(await calculateJwkThumbprint(keyOf(request)), 'base64url'),
  };
  const presentation = choice.format === 'mso_mdoc' ? presentMdocPid(pid) : presentSdJwtPid(pid);
  const state = fault === 'wrong-state' ? `${request.state}-other` : request.state;
  return { content: { vp_token: { [choice.queryId]: [presentation] }, state }, choice };
}

function keyOf({ client_metadata: { jwks } }: WalletRequestObject): JWK {
  const key = jwks.keys.find(({ alg, crv }) => alg === 'ECDH-ES' && crv === 'P-256');
  if (key === undefined)
    throw new SandboxWalletError('Expected a key for ECDH-ES on the curve P-256 in the request object.');
  return key;
}

/** Encrypts a response for the key of the request (OpenID4VP 1.0, section 8.3). */
async function encryptForServer(
  request: WalletRequestObject,
  content: object,
  { encryption, fault }: Pick<SandboxWallet, 'encryption' | 'fault'>,
): Promise<string> {
  const key = keyOf(request);
  const { encrypted_response_enc_values_supported: supported } = request.client_metadata;
  const enc = encryption ?? supported[0] ?? 'A128GCM';
  // The coordinates of the base point of P-256: a valid key that the server does not have.
  const otherKey = {
    x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
    y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  };
  const recipient = fault === 'wrong-key' ? { ...key, ...otherKey } : key;
  return await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc, ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .encrypt(await importJWK(recipient, 'ECDH-ES'));
}

async function sendToServer(
  { response_uri: url }: WalletRequestObject,
  form: Readonly<Record<string, string>>,
): Promise<Pick<WalletOutcome, 'status' | 'redirectUri'>> {
  const request = { fetch, url, init: { method: 'POST', body: new URLSearchParams(form) } };
  return await sendRequest(request, { timeoutMs: 30_000 }, async (response) => {
    const { redirect_uri: redirectUri } = parseAnswer(await readText(response));
    return { status: response.status, redirectUri: typeof redirectUri === 'string' ? redirectUri : undefined };
  });
}

function parseAnswer(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new SandboxWalletError('Expected JSON as the answer to the response. Check the proxies before the server.');
  }
}
