import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { SignJWT } from 'jose';
import { createAuthorizationServer } from '../../src/auth/authorization-server.ts';
import { parseClientKeys } from '../../src/auth/client-keys.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type Engine, engines } from './database-engines.ts';
import { openTokenApp, publicUrl, type TokenApp, type TokenAppOptions } from './token-app.ts';

export const scopes = ['documents:read', 'documents:write', 'notifications:send'];

/** A `TokenApp` whose authorization server listens on loopback. */
export type TokenServer = TokenApp & {
  readonly origin: string;
  readonly reportedErrors: unknown[];
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
  const server = createAuthorizationServer({
    ...app,
    random: systemRandom,
    publicUrl,
    scopes,
    trustedIssuers: [],
    secrets: true,
    report: (fault) => reportedErrors.push(fault),
  });
  const { origin, ask } = await listenOnLoopback(t, server.handler);
  return { ...app, origin, reportedErrors, ask, handler: server.handler, issueAccessToken: server.issueAccessToken };
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

/** A valid assertion of that client for a minute, with these changes of its claims. */
export async function signClientAssertion(
  { clock }: Pick<TokenServer, 'clock'>,
  clientId: string,
  privateKey: KeyObject,
  changes: Record<string, unknown> = {},
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
  return await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
}
