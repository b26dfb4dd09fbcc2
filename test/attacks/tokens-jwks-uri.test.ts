import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { findCredentialTimes } from '../../src/auth/client-credential-store.ts';
import { createFetchedClientKeys } from '../../src/auth/fetched-client-keys.ts';
import { createPublicFetch } from '../../src/net/fetch-public.ts';
import { createHostResolver } from '../../src/net/resolve-host.ts';
import { engines } from '../support/database-engines.ts';
import { assertionForm, signClientAssertion, startTokenServer, type TokenServer } from '../support/token-app.ts';

/** A server of a client that publishes its keys; `answer.body` and `answer.status` can change. */
async function startKeyServer(t: TestContext) {
  const answer = { status: 200, body: '' };
  const requests: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const publish = (keys: Readonly<Record<string, KeyObject>>) => {
    const jwks = Object.entries(keys).map(([kid, key]) => ({ ...key.export({ format: 'jwk' }), kid }));
    answer.body = JSON.stringify({ keys: [{ kty: 'RSA', use: 'enc', n: 'AQAB', e: 'AQAB' }, ...jwks] });
  };
  return { answer, requests, publish, url: `http://127.0.0.1:${port}/keys` };
}

async function addUrlClient(served: TokenServer, jwksUri: string): Promise<string> {
  const credential = { by: 'jwks-uri', jwksUri } as const;
  const { client } = await served.addClient({ name: 'Live', kind: 'live', scopes: ['documents:read'], credential });
  return client.clientId;
}

const newKey = () => generateKeyPairSync('ed25519');

for (const engine of engines) {
  test(`${engine.name}: a client rotates the keys at its jwks_uri, and a removed key ends within ten minutes`, async (t) => {
    const served = await startTokenServer(t, engine);
    const keyServer = await startKeyServer(t);
    const [first, second] = [newKey(), newKey()];
    const clientId = await addUrlClient(served, keyServer.url);
    const ask = async (key: KeyObject, kid?: string) => {
      const header = kid === undefined ? {} : { header: { kid } };
      const assertion = await signClientAssertion(served, clientId, key, header);
      return (await served.ask(assertionForm(assertion))).status;
    };
    keyServer.publish({ one: first.publicKey });
    assert.deepEqual([await ask(first.privateKey, 'one'), await ask(first.privateKey)], [200, 200]);
    assert.equal(keyServer.requests.length, 1, 'the keys are kept in memory');
    keyServer.publish({ one: first.publicKey, two: second.publicKey });
    served.clock.at += 31_000;
    assert.equal(await ask(second.privateKey, 'two'), 200);
    assert.equal(await ask(first.privateKey, 'two'), 401, 'signed with another key than kid names');
    keyServer.publish({ two: second.publicKey });
    served.clock.at += 601_000;
    assert.deepEqual([await ask(first.privateKey, 'one'), await ask(second.privateKey, 'two')], [401, 200]);
    // The client sees which of its keys are in use. A use is stored once an hour.
    const start = served.clock.at - 632_000;
    assert.deepEqual(
      [...(await findCredentialTimes(served.db.read, clientId))].map(([id, { lastUsedAt = 0 }]) => [
        id,
        lastUsedAt - start,
      ]),
      [
        ['two', 31_000],
        ['one', 0],
      ],
    );
  });
}

test('assertions with invented key ids cause one fetch of the keys in 30 seconds, and do not lock the client out', async (t) => {
  const served = await startTokenServer(t);
  const keyServer = await startKeyServer(t);
  const { privateKey, publicKey } = newKey();
  const clientId = await addUrlClient(served, keyServer.url);
  const ask = async (kid: string, key = privateKey) => {
    const assertion = await signClientAssertion(served, clientId, key, { header: { kid } });
    return (await served.ask(assertionForm(assertion))).status;
  };
  keyServer.publish({ one: publicKey });
  assert.equal(await ask('one'), 200);
  const storm = async () => {
    const forged = newKey().privateKey;
    const answers = await Promise.all(Array.from({ length: 40 }, (_, count) => ask(`invented-${count}`, forged)));
    assert.deepEqual(new Set(answers), new Set([401]));
  };
  await storm();
  assert.equal(keyServer.requests.length, 1);
  served.clock.at += 31_000;
  await storm();
  await storm();
  assert.equal(keyServer.requests.length, 2);
  // A failed fetch causes a pause too, and leaves the known keys valid.
  keyServer.answer.status = 500;
  served.clock.at += 31_000;
  await storm();
  await storm();
  assert.deepEqual([keyServer.requests.length, await ask('one')], [3, 200]);
});

test('a jwks_uri that redirects, is too large or has no accepted key opens nothing, and answers like an unknown client', async (t) => {
  const served = await startTokenServer(t);
  const { privateKey, publicKey } = newKey();
  const unknown = await served.ask(assertionForm(await signClientAssertion(served, 'nobody-abcdefgh', privateKey)));
  const { keys } = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] };
  const padding = 'x'.repeat(300_000);
  for (const [status, body] of [
    [302, JSON.stringify({ keys })],
    [200, JSON.stringify({ keys, padding })],
    [200, JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })],
    [200, JSON.stringify({ keys: [] })],
    [200, '<html>'],
  ] as const) {
    const keyServer = await startKeyServer(t);
    Object.assign(keyServer.answer, { status, body });
    const clientId = await addUrlClient(served, keyServer.url);
    const { body: answer, status: answered } = await served.ask(
      assertionForm(await signClientAssertion(served, clientId, privateKey)),
    );
    assert.deepEqual([answered, answer], [unknown.status, unknown.body], body.slice(0, 40));
    assert.deepEqual(keyServer.requests, ['/keys']);
    assert.equal(served.refusals.at(-1)?.reason, 'keys-unavailable');
  }
});

test('keys are never fetched from a private host, an internal name or without https', async (t) => {
  const keyServer = await startKeyServer(t);
  const asked: string[] = [];
  const resolve = (host: string) => {
    asked.push(host);
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  };
  const faults: Error[] = [];
  const keys = createFetchedClientKeys({
    httpFetch: createPublicFetch({ allowPrivate: false, resolve }),
    clock: { now: () => 0 },
    onFault: (fault) => faults.push(fault),
  });
  const { port } = new URL(keyServer.url);
  const refused = [
    `https://127.0.0.1:${port}/keys`,
    `http://keys.example.com:${port}/keys`,
    `https://localhost:${port}/keys`,
    `https://[::1]:${port}/keys`,
    // Its public name resolves to a private address.
    `https://rebound.example.com:${port}/keys`,
  ];
  for (const url of refused) await assert.rejects(keys.current(url), { name: 'ClientKeysUnavailable' });
  assert.deepEqual([keyServer.requests, asked, faults.length], [[], ['rebound.example.com'], refused.length]);
  const allowed = createPublicFetch({ allowPrivate: true, resolve: createHostResolver(true) });
  assert.equal((await allowed(keyServer.url, {})).status, 200);
});
