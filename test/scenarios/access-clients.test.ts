import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CryptoKey, importPKCS8 } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

type LiveClient = { readonly clientId: string; readonly key: CryptoKey };

/** Creates a live client with its own key, by the command line. */
async function liveClient(home: ServerFixture, binding: string): Promise<LiveClient> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(home.dataDir, 'jwks.json'), JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  const made = await runCommandInProcess(
    home,
    ...['clients', 'create', 'Tax Office', '--kind', 'live', '--scopes', 'notifications:read'],
    ...['--jwks', join(home.dataDir, 'jwks.json'), '--binding', binding, '--json'],
  );
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  return { clientId, key: await importPKCS8(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'ES256') };
}

async function openHome(t: CleanupScope, engine: 'sqlite' | 'postgres', settings: Record<string, string>) {
  const home = await makeServerFixture(t, { engine, settings });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  return home;
}

for (const { name: engine } of engines) {
  test(`[R43] [R51] ${engine}: openid-client gets a token by private_key_jwt and calls the API, with and without DPoP and nonces`, async (t) => {
    const home = await openHome(t, engine, { DPOP_NONCES: 'true' });
    const plain = await liveClient(home, 'none');
    const bound = await liveClient(home, 'dpop');
    await home.start('start');
    const discover = ({ clientId, key }: LiveClient) =>
      openid.discovery(new URL(home.url), clientId, undefined, openid.PrivateKeyJwt(key), {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
    const url = new URL(`${home.url}/v1/notifications`);
    const config = await discover(plain);
    const token = await openid.clientCredentialsGrant(config, { scope: 'notifications:read' });
    assert.equal(token.token_type, 'bearer');
    assert.equal((await openid.fetchProtectedResource(config, token.access_token, url, 'GET')).status, 200);

    const boundConfig = await discover(bound);
    await assert.rejects(openid.clientCredentialsGrant(boundConfig), { error: 'invalid_dpop_proof' });
    const DPoP = openid.getDPoPHandle(boundConfig, await openid.randomDPoPKeyPair('ES256'));
    const tokens = await openid.clientCredentialsGrant(boundConfig, {}, { DPoP });
    assert.equal(tokens.token_type, 'dpop');
    for (let calls = 0; calls < 3; calls += 1) {
      const answer = await openid.fetchProtectedResource(
        ...([boundConfig, tokens.access_token, url, 'GET', null, undefined, { DPoP }] as const),
      );
      assert.equal(answer.status, 200);
    }
    const stolen = await fetch(url, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    assert.equal(stolen.status, 401);
    assert.match(stolen.headers.get('www-authenticate') ?? '', /^DPoP .*error="invalid_token"/);
  });
}

test('[R9] [R51] oauth4webapi discovers the server and can use DPoP until the operator requires another binding', async (t) => {
  const home = await openHome(t, 'postgres', {});
  const { clientId, key } = await liveClient(home, 'dpop');
  await home.start('start');
  const loose = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(home.url);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...loose });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = { client_id: clientId };
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('EdDSA'));
  const ask = async () => {
    const answer = await oauth.clientCredentialsGrantRequest(
      ...([server, client, oauth.PrivateKeyJwt(key), new URLSearchParams(), { DPoP, ...loose }] as const),
    );
    return await oauth.processClientCredentialsResponse(server, client, answer);
  };
  const { access_token: token } = await ask();
  const url = new URL(`${home.url}/v1/notifications?limit=1`);
  const call = () => oauth.protectedResourceRequest(token, 'GET', url, undefined, undefined, { DPoP, ...loose });
  assert.equal((await call()).status, 200);
  assert.equal((await runCommandInProcess(home, 'clients', 'bind', clientId, 'mtls')).code, 0);
  await assert.rejects(ask(), { error: 'invalid_request', error_description: /client certificate/ });
});

test('[R43] without CLIENT_SECRETS a client secret is refused, and the metadata does not offer it', async (t) => {
  const home = await openHome(t, 'sqlite', { CLIENT_SECRETS: '' });
  const made = await runCommandInProcess(
    home,
    'clients',
    'create',
    'x',
    '--scopes',
    'notifications:read',
    '--secret',
    '--json',
  );
  const client = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
  await home.start('start');
  const metadata = await fetchOnce(`${home.url}/.well-known/oauth-authorization-server`);
  const { token_endpoint_auth_methods_supported: methods } = (await metadata.json()) as Record<string, unknown>;
  assert.deepEqual(methods, ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth']);
  await assert.rejects(home.fetchAccessToken([], client), /invalid_client/);
});
