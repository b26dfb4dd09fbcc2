import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createHttpClient } from '../../test/support/http-client.ts';
import { storelessServerOptions } from '../../test/support/storeless-app.ts';
import { createApiServer } from './api-server.ts';
import { bindOperation, defineOperation } from './operation.ts';

test('with an https URL every response has Strict-Transport-Security, and nothing is redirected', async (t) => {
  const server = createApiServer({
    ...storelessServerOptions,
    publicUrl: 'https://api.example.gov',
  });
  const ask = createHttpClient(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  for (const path of ['/', '/v1/nowhere', '/%zz', `/${'x'.repeat(9_000)}`]) {
    const { status, headers } = await ask({ path });
    assert.ok(status >= 400);
    assert.deepEqual([headers['strict-transport-security'], headers.location], ['max-age=31536000', undefined]);
  }
});

test('a media type that Accept excludes by name is not sent, even if a wider range allows it', async (t) => {
  const operation = defineOperation({
    name: 'readThing',
    since: '1.0',
    method: 'GET',
    path: '/v1/thing',
    scope: 'events:read',
    callers: ['clients'],
    summary: '',
    description: '',
    request: {},
    refusals: [],
    citizenData: false,
    responses: { 200: { description: '', schema: Type.Object({}) } },
    run: async () => ({ plain: { status: 200, json: {} } }),
  });
  const server = createApiServer({
    ...storelessServerOptions,
    operations: [bindOperation(operation, null)],
    publicUrl: 'https://api.example.gov',
  });
  const ask = createHttpClient(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  const statusOf = async (accept: string) => (await ask({ path: '/v1/thing', headers: { accept } })).status;
  for (const accept of ['', '*/*', 'application/*', 'text/html, application/json;q=0.1', '*/*;q=0, application/json'])
    assert.notEqual(await statusOf(accept), 406, accept);
  for (const accept of ['text/html', 'application/json;q=0', 'application/json;q=0, */*', '*/*;q=0.0'])
    assert.equal(await statusOf(accept), 406, accept);
});

test('a response of a mounted handler has the common headers, except those that the handler sets itself', async (t) => {
  const handler: RequestListener = (_request, response) => {
    response.writeHead(200, { 'cache-control': 'public' }).end('{}');
  };
  const server = createApiServer({
    ...storelessServerOptions,
    publicUrl: 'https://api.example.gov',
    mounts: [{ paths: ['/oauth2/token'], methods: ['POST'], handler }],
  });
  const ask = createHttpClient(`http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`);
  t.after(() => server.stop(1_000));
  for (const [method, status, cache] of [
    ['POST', 200, 'public'],
    ['OPTIONS', 204, 'no-store'],
    ['GET', 405, 'no-store'],
  ] as const) {
    const { headers, ...answer } = await ask({ method, path: '/oauth2/token' });
    const named = ['api-version', 'strict-transport-security', 'x-content-type-options', 'x-frame-options'];
    assert.deepEqual(
      [answer.status, headers['cache-control'], ...named.map((name) => headers[name])],
      [status, cache, '1.0.0', 'max-age=31536000', 'nosniff', 'DENY'],
      method,
    );
    assert.match(String(headers['request-id']), /^urn:uuid:[0-9a-f-]{36}$/, method);
  }
});
