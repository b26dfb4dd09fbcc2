import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { createHttpClient } from '../../test/support/http-client.ts';
import { refuse } from '../kernel/refusal.ts';
import { createAdminServer, createHostCheck } from './admin-server.ts';

test('a request for a page that fails or is refused gets 500, and the next request is answered', async (t) => {
  const admin = createAdminServer();
  t.after(() => admin.close());
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [
    { path: '/fails', get: () => Promise.reject(new Error('gone')) },
    { path: '/refused', get: async () => refuse('not-found') },
    { path: '/well', get: async () => ({ status: 200, headers: {}, body: 'well' }) },
  ]);
  const answers = [];
  for (const path of ['/fails', '/refused', '/well']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    answers.push([answer.status, await answer.text()]);
  }
  assert.deepEqual(answers, [
    [500, ''],
    [500, ''],
    [200, 'well'],
  ]);
});

test('HEAD and a query string get the answer of GET, and other methods get a list of the allowed ones', async (t) => {
  const admin = createAdminServer();
  t.after(() => admin.close());
  const headers = { 'content-type': 'text/plain; version=0.0.4' };
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [
    { path: '/metrics', get: async () => ({ status: 200, headers, body: 'größer' }) },
  ]);
  const asked = async (method: string, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    const headers = ['content-type', 'content-length', 'allow'].map((name) => answer.headers.get(name));
    return [answer.status, ...headers, await answer.text()];
  };
  const type = headers['content-type'];
  assert.deepEqual(await asked('GET', '/metrics'), [200, type, '8', null, 'größer']);
  assert.deepEqual(await asked('GET', '/metrics?name[]=a?b'), [200, type, '8', null, 'größer']);
  assert.deepEqual(await asked('HEAD', '/metrics?'), [200, type, '8', null, '']);
  assert.deepEqual(await asked('POST', '/metrics?x'), [405, null, '0', 'GET, HEAD', '']);
  assert.deepEqual(await asked('HEAD', '/metrics/'), [404, null, '0', null, '']);
});

test('a server on loopback refuses a request whose Host header has another name (DNS rebinding)', async (t) => {
  const admin = createAdminServer();
  t.after(() => admin.close());
  const page = { path: '/metrics', get: async () => ({ status: 200, headers: {}, body: 'headers' }) };
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [page]);
  const ask = createHttpClient(`http://127.0.0.1:${port}`);
  const here = ['127.0.0.1', 'localhost', 'LocalHost.', 'metrics.localhost', '[::1]', '10.1.2.3', hostname()];
  for (const name of here) {
    for (const host of [name, `${name}:${port}`]) {
      assert.deepEqual([(await ask({ path: '/metrics', headers: { host } })).status, host], [200, host]);
    }
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '?',
  ]) {
    const { status, body } = await ask({ path: '/metrics', headers: { host } });
    assert.deepEqual([status, host], [421, host]);
    assert.match(String(body), /^Use the address, such as http:\/\/127\.0\.0\.1/);
  }
});

test('a server that other machines can reach accepts any Host header, and a server on loopback only its own name', () => {
  for (const address of ['0.0.0.0', '::', '10.1.2.3', 'fd00::1'])
    assert.equal(createHostCheck(address, address)('service.example:9090'), true, address);
  const isForUs = createHostCheck('Gov-1.example', '127.0.1.1');
  assert.deepEqual(
    [isForUs('gov-1.example:9090'), isForUs('gov-2.example:9090'), isForUs(undefined)],
    [true, false, true],
  );
});

test('a server closes despite a slow page and an open connection', async () => {
  const admin = createAdminServer();
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  const get = () => {
    asked.resolve();
    return never;
  };
  const port = await admin.listen({ host: '127.0.0.1', port: 0 }, [{ path: '/metrics', get }]);
  const cutOff = assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`));
  await asked.promise;
  await admin.close();
  await cutOff;
});
