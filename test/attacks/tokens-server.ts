import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { SignJWT } from 'jose';
import { createAuthorizationServer } from '../../src/access/authorization-server.ts';
import { readClientKeys } from '../../src/access/client-keys.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { type Engine, engines } from '../engines.ts';
import { type HouseWanted, openTokenHouse, publicUrl, type TokenHouse } from './tokens-house.ts';

export const scopes = ['documents:read', 'documents:write', 'notifications:send'];

/** A house of access whose authorization server listens on loopback. */
export type Served = TokenHouse & {
  readonly origin: string;
  readonly faults: unknown[];
  readonly handler: RequestListener;
  readonly issueAccessToken: (clientId: string, scopes: readonly string[]) => Promise<string>;
  /** Posts a form to the token endpoint. */
  readonly ask: (form: Record<string, string>, headers?: Record<string, string>) => Promise<Answer>;
};
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };

export async function serve(
  t: TestContext,
  engine: Engine | undefined = engines[0],
  wanted: HouseWanted = {},
): Promise<Served> {
  const house = await openTokenHouse(t, { engine, ...wanted });
  const faults: unknown[] = [];
  const server = createAuthorizationServer({
    ...house,
    random: systemRandom,
    publicUrl,
    scopes,
    trustedIssuers: [],
    secrets: true,
    report: (fault) => faults.push(fault),
  });
  const { origin, ask } = await listening(t, server.handler);
  return { ...house, origin, faults, ask, handler: server.handler, issueAccessToken: server.issueAccessToken };
}

/** Lets an authorization server listen on loopback until the test is over. */
export async function listening(t: TestContext, handler: RequestListener): Promise<Pick<Served, 'origin' | 'ask'>> {
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
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };
  return { origin, ask };
}

/** The header of HTTP Basic for the first client. */
export const basic = ({ client }: Pick<TokenHouse, 'client'>, secret = client.secret?.reveal()) => ({
  authorization: `Basic ${Buffer.from(`${client.client.clientId}:${secret}`).toString('base64')}`,
});

/** The form of a signed assertion (RFC 7523). */
export const formOf = (assertion: string) => ({
  client_assertion: assertion,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
});

/** Adds a live client with a key pair of its own. */
export async function clientWithKeys(served: Served): Promise<{ clientId: string; privateKey: KeyObject }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwks = readClientKeys(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  assert.ok('keys' in jwks);
  const { client } = await served.add({
    name: 'Live',
    kind: 'live',
    scopes: ['documents:read'],
    credential: { by: 'keys', jwks },
  });
  return { clientId: client.clientId, privateKey };
}

/** An assertion of that client, good for a minute, but for the changes. */
export async function assertionOf(
  { clock }: Pick<Served, 'clock'>,
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
