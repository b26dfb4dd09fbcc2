import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { engines } from '../../test/support/database-engines.ts';
import { queryServer } from '../../test/support/postgres-databases.ts';
import {
  addKeyClient,
  assertionForm,
  basicAuthHeader,
  openTokenApp,
  publicUrl,
  rotateTestSigningKey,
  scopes,
  signClientAssertion,
  startTokenServer,
  type TokenResponse,
} from '../../test/support/token-app.ts';
import { ReadUnavailable } from '../db/database.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import { setClientDisabled } from './client-store.ts';
import { createQuotaLimiter } from './quota.ts';

for (const engine of engines) {
  test(`${engine.name}: a client with a secret gets an RFC 9068 token that the interface accepts`, async (t) => {
    const served = await startTokenServer(t, engine);
    const { clientId } = served.client.client;
    const { status, headers, body } = await served.ask({}, basicAuthHeader(served));
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.deepEqual(
      [...headers.keys()].filter(
        (name) => name.startsWith('access-control') || name === 'set-cookie' || name === 'vary',
      ),
      [],
    );
    const token = String(body['access_token']);
    assert.deepEqual(
      { ...body, access_token: '' },
      {
        access_token: '',
        expires_in: 600,
        token_type: 'Bearer',
        scope: 'documents:read notifications:send',
      },
    );
    const { kid } = served.keys.current('access-token');
    assert.deepEqual(decodeProtectedHeader(token), { alg: 'ES256', typ: 'at+jwt', kid });
    const now = served.clock.at / 1_000;
    const claims = decodeJwt(token);
    assert.match(String(claims.jti), /^[A-Za-z0-9_-]{22}$/);
    assert.deepEqual(
      { ...claims, jti: '' },
      {
        iss: publicUrl,
        aud: `${publicUrl}/v1`,
        sub: clientId,
        client_id: clientId,
        scope: 'documents:read notifications:send',
        iat: now,
        exp: now + 600,
        jti: '',
      },
    );
    const caller = await served.checker.authenticate(`Bearer ${token}`);
    assert.equal('clientId' in caller && caller.clientId, clientId);
    assert.deepEqual(served.reportedErrors, []);
  });
}

test('client_secret_post is accepted, and a wrong secret or the stored hash as secret is refused', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, credential } = served.client.client;
  const secret = served.client.secret?.reveal() ?? '';
  assert.equal((await served.ask({ client_id: clientId, client_secret: secret })).status, 200);
  assert.ok(credential.by === 'secret');
  const hash = Buffer.from(credential.hash);
  for (const wrong of [`${secret}x`, secret.slice(1), hash.toString('hex'), hash.toString('base64url')]) {
    const { status, body, headers } = await served.ask({}, basicAuthHeader(served, wrong));
    assert.deepEqual(
      [status, body],
      [
        401,
        {
          error: 'invalid_client',
          error_description: 'client_id or client_secret is wrong, or this client must use another method',
        },
      ],
    );
    assert.match(headers.get('www-authenticate') ?? '', /^Basic realm=/);
  }
  assert.equal((await served.ask({ client_id: 'nobody', client_secret: secret })).status, 401);
  assert.equal((await served.ask({})).status, 400);
});

test('[R54] an unknown or foreign scope is invalid_scope, and a narrower scope is granted', async (t) => {
  const served = await startTokenServer(t);
  for (const scope of ['documents:write', 'made:up', 'documents:read made:up', 'openid']) {
    const { status, body } = await served.ask({ scope }, basicAuthHeader(served));
    assert.deepEqual(
      [status, body['error'], body['error_description']],
      [400, 'invalid_scope', 'this client may request: documents:read notifications:send'],
    );
  }
  const { body } = await served.ask({ scope: 'documents:read' }, basicAuthHeader(served));
  assert.equal(body['scope'], 'documents:read');
  assert.equal(decodeJwt(String(body['access_token']))['scope'], 'documents:read');
});

test('the resource of this interface is accepted, another one is invalid_target, and other grant types are refused', async (t) => {
  const served = await startTokenServer(t);
  assert.equal((await served.ask({ resource: `${publicUrl}/v1` }, basicAuthHeader(served))).status, 200);
  assert.equal(
    (await served.ask({ resource: 'https://other.example.org' }, basicAuthHeader(served))).body['error'],
    'invalid_target',
  );
  for (const grant of [
    'password',
    'authorization_code',
    'refresh_token',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]) {
    const { body } = await served.ask({ grant_type: grant }, basicAuthHeader(served));
    assert.equal(body['error'], 'unsupported_grant_type', grant);
  }
});

test('a disabled client gets no token', async (t) => {
  const served = await startTokenServer(t);
  assert.equal((await served.ask({}, basicAuthHeader(served))).status, 200);
  await served.db.write([setClientDisabled(served.client.client.clientId, served.clock.at)]);
  assert.equal((await served.ask({}, basicAuthHeader(served))).status, 401);
});

test('postgres: a token request gets 503 while the database is unreachable, and a token afterwards', async (t) => {
  const served = await startTokenServer(t, engines.find(({ name }) => name === 'postgres') ?? assert.fail());
  const [row] = await served.db.read('select current_database() as name');
  const name = String(row?.['name']);
  const admit = (whom: boolean) => queryServer(`alter database ${name} with allow_connections ${whom}`);
  await admit(false);
  await queryServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  const { status, headers, body } = await served.ask({}, basicAuthHeader(served));
  assert.deepEqual(
    [status, headers.get('retry-after'), headers.get('cache-control'), body],
    [
      ...[503, '2', 'no-store'],
      {
        error: 'temporarily_unavailable',
        error_description: 'the database does not respond, and no token was issued; repeat the request',
      },
    ],
  );
  assert.deepEqual(
    served.reportedErrors.map((fault) => fault instanceof ReadUnavailable),
    [true],
  );
  await admit(true);
  assert.equal((await served.ask({}, basicAuthHeader(served))).status, 200);
});

test('a fault of the server is answered with 500 and reported', async (t) => {
  const served = await startTokenServer(t);
  await served.db.write([{ sql: 'alter table client rename to somewhere_else' }]);
  const { status, headers, body } = await served.ask({}, basicAuthHeader(served));
  assert.deepEqual(
    [status, headers.get('retry-after'), body],
    [500, null, { error: 'server_error', error_description: 'the server failed; its log has the error' }],
  );
  assert.equal(served.reportedErrors.length, 1);
});

test('an error is JSON for a browser, a JSON body, another method and another path', async (t) => {
  const { origin, reportedErrors } = await startTokenServer(t);
  const html = await fetch(`${origin}/oauth2/token`, {
    method: 'POST',
    headers: { accept: 'text/html', origin: 'https://evil.example' },
  });
  assert.deepEqual(
    [html.status, await html.json()],
    [400, { error: 'invalid_request', error_description: 'no client authentication mechanism provided' }],
  );
  assert.equal(html.headers.get('access-control-allow-origin'), null);
  const json = await fetch(`${origin}/oauth2/token`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual([json.status, ((await json.json()) as TokenResponse['body'])['error']], [400, 'invalid_request']);
  const get = await fetch(`${origin}/oauth2/token`);
  assert.deepEqual(
    [get.status, get.headers.get('allow'), await get.json()],
    [405, 'POST, OPTIONS', { error: 'invalid_request' }],
  );
  const options = await fetch(`${origin}/oauth2/token`, { method: 'OPTIONS' });
  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'POST, OPTIONS']);
  for (const path of ['/auth', '/session/end', '/oauth2/token/', '/jwks', '/.well-known/openid-configuration']) {
    assert.equal((await fetch(`${origin}${path}`)).status, 404, path);
  }
  assert.deepEqual(reportedErrors, []);
});

test('[R9] the metadata lists the endpoints, and the key set the signing keys before and after a rotation', async (t) => {
  const served = await startTokenServer(t);
  const metadata = await fetch(`${served.origin}/.well-known/oauth-authorization-server`);
  assert.deepEqual(await metadata.json(), {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth2/token`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: [
      'private_key_jwt',
      'tls_client_auth',
      'self_signed_tls_client_auth',
      'client_secret_basic',
      'client_secret_post',
    ],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
    dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
    tls_client_certificate_bound_access_tokens: true,
    protected_resources: [`${publicUrl}/v1`],
    service_documentation: `${publicUrl}/docs`,
  });
  const keySet = async () => {
    const response = await fetch(`${served.origin}/.well-known/jwks.json`);
    assert.equal(response.headers.get('content-type'), 'application/jwk-set+json; charset=utf-8');
    return (await response.json()) as { keys: { kid: string }[] };
  };
  const kidNow = async () =>
    decodeProtectedHeader(String((await served.ask({}, basicAuthHeader(served))).body['access_token'])).kid;
  const old = await kidNow();
  await rotateTestSigningKey(served.signingKeyDeps, 'access-token');
  await served.keys.reload();
  served.clock.at += 600_000;
  const next = await kidNow();
  assert.notEqual(next, old);
  const kids = (await keySet()).keys.map(({ kid }) => kid);
  assert.ok(kids.includes(String(old)) && kids.includes(String(next)));
});

test('a token that is issued without a request is accepted like one of the endpoint', async (t) => {
  const served = await startTokenServer(t);
  const { clientId } = served.client.client;
  const token = await served.issueAccessToken(clientId, ['documents:read']);
  const caller = await served.checker.authenticate(`Bearer ${token}`);
  assert.deepEqual('scopes' in caller && [...caller.scopes], ['documents:read']);
});

test('the handler issues a token when Fastify mounts it and leaves the body unread', async (t) => {
  const app = await openTokenApp(t);
  const report = (fault: unknown) => assert.ifError(fault);
  const quotas = createQuotaLimiter(app.clock, systemRandom);
  const onRefused = () => assert.fail('no request is refused');
  const shared = { ...app, random: systemRandom, publicUrl, scopes, trustedIssuers: [], secrets: true };
  const parts = { ...shared, quotas, report, onRefused };
  const server = createAuthorizationServer(parts);
  const fastify = Fastify();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  for (const url of server.routes.flatMap(({ paths }) => paths)) {
    fastify.route({
      method: ['GET', 'HEAD', 'POST', 'OPTIONS'],
      url,
      handler: (request, reply) => {
        reply.hijack();
        server.handler(request.raw, reply.raw);
      },
    });
  }
  const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => fastify.close());
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const response = await fetch(`${origin}/oauth2/token`, { method: 'POST', body, headers: basicAuthHeader(app) });
  assert.equal(response.status, 200);
});

test('a request from the page of the reference gets a token with the correct secret only, and no CORS header', async (t) => {
  const served = await startTokenServer(t);
  const right = await served.ask({}, { ...basicAuthHeader(served), origin: publicUrl });
  assert.deepEqual([right.status, right.headers.get('access-control-allow-origin')], [200, null]);
  const { clientId } = served.client.client;
  const wrong = `Basic ${Buffer.from(`${clientId}:wrong`).toString('base64')}`;
  assert.equal((await served.ask({}, { authorization: wrong, origin: publicUrl })).status, 401);
});

test('a request from a web page of another origin gets no token, even with the correct secret', async (t) => {
  const served = await startTokenServer(t);
  const { clientId } = served.client.client;
  const { status, headers, body } = await served.ask(
    {},
    { ...basicAuthHeader(served), origin: 'https://page.example' },
  );
  assert.deepEqual(
    [status, headers.get('access-control-allow-origin'), body],
    [
      400,
      null,
      {
        error: 'invalid_request',
        error_description: `origin https://page.example not allowed for client: ${clientId}`,
      },
    ],
  );
});

test('a repeated parameter and a body of more than 56 KiB are invalid_request', async (t) => {
  const served = await startTokenServer(t);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...basicAuthHeader(served) };
  const send = async (body: string) => {
    const response = await fetch(`${served.origin}/oauth2/token`, { method: 'POST', headers, body });
    return await response.json();
  };
  const form = 'grant_type=client_credentials';
  assert.deepEqual(await send(`${form}&${form}`), {
    error: 'invalid_request',
    error_description: "'grant_type' parameter must not be provided twice",
  });
  assert.deepEqual(await send(`${form}&padding=${'x'.repeat(57_344)}`), {
    error: 'invalid_request',
    error_description: 'failed to parse the request body',
  });
});

test('a token request is refused unless its only authentication method is the registered one', async (t) => {
  const served = await startTokenServer(t);
  const { clientId, privateKey } = await addKeyClient(served);
  const assertion = async () => assertionForm(await signClientAssertion(served, clientId, privateKey));
  const both = await served.ask(await assertion(), basicAuthHeader(served));
  assert.deepEqual([both.status, both.body['error']], [400, 'invalid_request']);
  const otherId = await served.ask({ ...(await assertion()), client_id: served.client.client.clientId });
  assert.deepEqual([otherId.status, otherId.body['error_description']], [400, 'client_id mismatch']);
  assert.equal((await served.ask({ client_id: clientId })).status, 401);
  assert.equal((await served.ask({ client_id: clientId, client_secret: 'x' })).status, 401);
});

test('token requests print nothing', async (t) => {
  const lines: unknown[] = [];
  for (const name of ['log', 'info', 'warn', 'error'] as const)
    t.mock.method(console, name, (...line: unknown[]) => lines.push(line));
  const served = await startTokenServer(t);
  await served.ask({}, basicAuthHeader(served));
  await served.ask({}, basicAuthHeader(served, 'wrong'));
  const { clientId, privateKey } = await addKeyClient(served);
  await served.ask(assertionForm(await signClientAssertion(served, clientId, privateKey)));
  await served.ask({ scope: 'made:up' }, basicAuthHeader(served));
  assert.deepEqual(lines, []);
});
