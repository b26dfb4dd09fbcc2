import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { SignJWT } from 'jose';
import { createAuthorizationServer } from '../../src/auth/authorization-server.ts';
import { createTokenChecker, type TokenChecker } from '../../src/auth/check-token.ts';
import { type ClientOptions, type NewClient, newClient } from '../../src/auth/client.ts';
import { createClientCache } from '../../src/auth/client-cache.ts';
import { parseClientKeys } from '../../src/auth/client-keys.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { createDpopNonces, type DpopNonces } from '../../src/auth/dpop-nonces.ts';
import { createFetchedClientKeys, type FetchedClientKeys } from '../../src/auth/fetched-client-keys.ts';
import { createQuotaLimiter } from '../../src/auth/quota.ts';
import {
  createMissingSigningKeys,
  openSigningKeys,
  replaceSigningKeyStatements,
  type SigningKeyDeps,
  type SigningKeys,
} from '../../src/auth/signing-key-store.ts';
import type { TokenRefusal } from '../../src/auth/token-endpoint.ts';
import type { TrustedIssuer } from '../../src/auth/trusted-issuer.ts';
import { createReplayDetector } from '../../src/auth/used-proof-store.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { type SigningUse, signBytes } from '../../src/crypto/signing-key.ts';
import type { Database } from '../../src/db/database.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createPublicFetch } from '../../src/net/fetch-public.ts';
import { createHostResolver } from '../../src/net/resolve-host.ts';
import { type Engine, engines } from './database-engines.ts';

export const publicUrl = 'https://api.example.gov';

/** Keys, clients and the token check on a fresh database, with a frozen clock and one client with a secret. */
export type TokenApp = {
  readonly db: Database;
  /** Counts the queries to the database. */
  readonly queryCounter: { count: number };
  readonly clock: { at: number; now(): number };
  readonly signingKeyDeps: SigningKeyDeps;
  readonly keys: SigningKeys;
  readonly checker: TokenChecker;
  readonly client: NewClient;
  readonly nonces: DpopNonces | undefined;
  /** Fetches keys from addresses on loopback. */
  readonly clientKeys: FetchedClientKeys;
  readonly addClient: (wanted: ClientOptions) => Promise<NewClient>;
};

type TokenAppOptions = {
  readonly engine?: Engine | undefined;
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** Requires nonces in DPoP proofs. */
  readonly withNonces?: boolean;
};

/** Opens a `TokenApp`, whose database is closed after the test. */
export async function openTokenApp(
  t: TestContext,
  { engine = engines[0], trustedIssuers = [], withNonces = false }: TokenAppOptions = {},
): Promise<TokenApp> {
  assert.ok(engine);
  const opened = await engine.open(t);
  const queryCounter = { count: 0 };
  const db: Database = {
    ...opened,
    write: (unit) => opened.write(unit),
    close: () => opened.close(),
    read: (sql, args) => {
      queryCounter.count += 1;
      return opened.read(sql, args);
    },
  };
  const clock = { at: Math.floor(Date.now() / 1_000) * 1_000, now: () => clock.at };
  const nonces = withNonces ? createDpopNonces(new Uint8Array(32).fill(4), clock) : undefined;
  const signingKeyDeps = { db, root: rootKeyFromBytes(new Uint8Array(32).fill(3)), clock };
  await createMissingSigningKeys(signingKeyDeps, systemRandom);
  const keys = await openSigningKeys(signingKeyDeps);
  const clients = createClientCache(db.read, clock);
  const addClient = async (wanted: ClientOptions) => {
    const made = newClient(wanted, clock, systemRandom);
    assert.ok('client' in made, 'fault' in made ? made.fault : '');
    await db.write([insertClient(made.client)]);
    clients.invalidate();
    return made;
  };
  const client = await addClient({
    name: 'Tax Office',
    kind: 'test',
    scopes: ['documents:read', 'notifications:send'],
    credential: 'secret',
  });
  const isFirstUse = createReplayDetector({ db, clock, stopwatch: clock.now }, 'DPoP');
  const binding = { clock, publicUrl, isFirstUse, nonces };
  const checker = createTokenChecker({ clock, publicUrl, keys, clients, trusted: trustedIssuers, binding });
  const clientKeys = createFetchedClientKeys({
    httpFetch: createPublicFetch({ allowPrivate: true, resolve: createHostResolver(true) }),
    clock,
    onFault: () => undefined,
  });
  return { db, queryCounter, clock, signingKeyDeps, keys, checker, client, addClient, nonces, clientKeys };
}

/** Replaces the key of a use like `keys rotate`, without the ledger event. */
export async function rotateTestSigningKey(signingKeyDeps: SigningKeyDeps, use: SigningUse): Promise<void> {
  await signingKeyDeps.db.write(replaceSigningKeyStatements(signingKeyDeps, { use }, systemRandom).statements);
}

/** The claims of a valid token at this time. */
export function validTokenClaims({ clock, client }: Pick<TokenApp, 'clock' | 'client'>): Record<string, unknown> {
  const now = Math.floor(clock.at / 1_000);
  const { clientId } = client.client;
  return {
    iss: publicUrl,
    aud: `${publicUrl}/v1`,
    sub: clientId,
    client_id: clientId,
    scope: 'documents:read',
    iat: now,
    exp: now + 600,
    jti: 'vZ4eQ0',
  };
}

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** A compact JWS with any header, payload and signature; for attacks. */
export function makeJws(header: object | string, payload: object | string, sign: (input: Buffer) => Buffer): string {
  const text = (part: object | string) => (typeof part === 'string' ? part : JSON.stringify(part));
  const input = `${encode(text(header))}.${encode(text(payload))}`;
  return `${input}.${sign(Buffer.from(input)).toString('base64url')}`;
}

/** Signs with the access token key of the server, as an attacker with a stolen key could. */
export function signWithServerKey({ keys }: Pick<TokenApp, 'keys'>): (input: Buffer) => Buffer {
  return (input) => signBytes(keys.current('access-token'), input);
}

/** The URL of the trusted issuer in tests. */
export const trustedIssuerUrl = 'https://login.example.org/realm';

/** A trusted issuer without a network: `documents` has the response for each URL. */
export function createInMemoryIssuer(publicKey: KeyObject) {
  const requests: string[] = [];
  const documents: Record<string, object> = {
    'https://login.example.org/realm/.well-known/openid-configuration': {
      issuer: trustedIssuerUrl,
      jwks_uri: 'https://login.example.org/keys',
    },
    'https://login.example.org/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] },
  };
  const httpFetch = (url: string) => {
    requests.push(url);
    const document = documents[url];
    return Promise.resolve(document === undefined ? new Response(null, { status: 404 }) : Response.json(document));
  };
  return { requests, documents, httpFetch };
}

export const scopes = ['documents:read', 'documents:write', 'notifications:send'];

/** A `TokenApp` whose authorization server listens on loopback. */
export type TokenServer = TokenApp & {
  readonly origin: string;
  readonly reportedErrors: unknown[];
  /** The log fields of each refused token request. */
  readonly refusals: TokenRefusal[];
  readonly handler: RequestListener;
  readonly issueAccessToken: (clientId: string, scopes: readonly string[]) => Promise<string>;
  /** Posts a form with `grant_type=client_credentials` to the token endpoint. */
  readonly ask: (form: Record<string, string>, headers?: Record<string, string>) => Promise<TokenResponse>;
};
export type TokenResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
};

/** Starts an authorization server that accepts secrets; it stops after the test. */
export async function startTokenServer(
  t: TestContext,
  engine: Engine | undefined = engines[0],
  options: TokenAppOptions = {},
): Promise<TokenServer> {
  const app = await openTokenApp(t, { engine, ...options });
  const reportedErrors: unknown[] = [];
  const refusals: TokenRefusal[] = [];
  // Quotas need a monotonic clock, and tests set the clock back.
  let latest = 0;
  const monotonic = {
    now: () => {
      latest = Math.max(latest, app.clock.now());
      return latest;
    },
  };
  const server = createAuthorizationServer({
    ...app,
    random: systemRandom,
    quotas: createQuotaLimiter(monotonic, systemRandom),
    publicUrl,
    scopes,
    trustedIssuers: [],
    secrets: true,
    report: (fault) => reportedErrors.push(fault),
    onRefused: (refused) => refusals.push(refused),
  });
  const { origin, ask } = await listenOnLoopback(t, server.handler);
  return {
    ...app,
    origin,
    reportedErrors,
    refusals,
    ask,
    handler: server.handler,
    issueAccessToken: server.issueAccessToken,
  };
}

/** Lets an authorization server listen on loopback until the end of the test. */
export async function listenOnLoopback(
  t: TestContext,
  handler: RequestListener,
): Promise<Pick<TokenServer, 'origin' | 'ask'>> {
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const address = http.address();
  assert.ok(typeof address === 'object' && address !== null);
  const origin = `http://127.0.0.1:${address.port}`;
  const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
    const response = await fetch(`${origin}/oauth2/token`, { method: 'POST', body, headers });
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TokenResponse['body'],
    };
  };
  return { origin, ask };
}

/** The HTTP Basic header of the first client. */
export const basicAuthHeader = ({ client }: Pick<TokenApp, 'client'>, secret = client.secret?.reveal()) => ({
  authorization: `Basic ${Buffer.from(`${client.client.clientId}:${secret}`).toString('base64')}`,
});

/** The form parameters of a client assertion (RFC 7523, section 2.2). */
export const assertionForm = (assertion: string) => ({
  client_assertion: assertion,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
});

/** Adds a live client with its own key pair. */
export async function addKeyClient(server: TokenServer): Promise<{ clientId: string; privateKey: KeyObject }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwks = parseClientKeys(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  assert.ok('keys' in jwks);
  const { client } = await server.addClient({
    name: 'Live',
    kind: 'live',
    scopes: ['documents:read'],
    credential: { by: 'keys', jwks },
  });
  return { clientId: client.clientId, privateKey };
}

/** A valid assertion of that client for a minute, with these changes of its claims and of its header. */
export async function signClientAssertion(
  { clock }: Pick<TokenServer, 'clock'>,
  clientId: string,
  privateKey: KeyObject,
  { header, ...changes }: Record<string, unknown> & { readonly header?: object } = {},
): Promise<string> {
  const now = clock.at / 1_000;
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: publicUrl,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...changes,
  };
  return await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', ...header }).sign(privateKey);
}
