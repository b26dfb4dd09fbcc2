import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createInMemoryIssuer, makeJws, trustedIssuerUrl } from '../../test/support/token-app.ts';
import { createTrustedIssuer, IssuerUnavailable } from './trusted-issuer.ts';

test('a failed fetch of keys is repeated after a pause, also from a new jwks_uri', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const outside = createInMemoryIssuer(publicKey);
  const faults: Error[] = [];
  const clock = { now: () => Date.now() };
  const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, clock, (fault) => faults.push(fault));
  const isSigned = (kid = 'k1') =>
    issuer.hasSigned(
      makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, { iss: trustedIssuerUrl }, (input) =>
        sign(null, input, privateKey),
      ),
    );
  const [oldUri, newUri] = ['https://login.example.org/keys', 'https://login.example.org/other-keys'];
  const fetchesFromOld = () => outside.requests.filter((url) => url === oldUri).length;
  assert.equal(await isSigned(), true);
  outside.documents[newUri] = outside.documents[oldUri] ?? {};
  outside.documents['https://login.example.org/realm/.well-known/openid-configuration'] = {
    issuer: trustedIssuerUrl,
    jwks_uri: newUri,
  };
  delete outside.documents[oldUri];
  t.mock.timers.tick(31_000);
  await assert.rejects(isSigned('k2'), IssuerUnavailable);
  for (let count = 0; count < 20; count += 1) await assert.rejects(isSigned(`unknown-${count}`), IssuerUnavailable);
  assert.equal(fetchesFromOld(), 2, 'unknown key ids cause one fetch while the issuer fails');
  assert.equal(await isSigned(), true, 'known keys stay valid until they are too old');
  assert.deepEqual(faults, []);
  t.mock.timers.tick(600_000);
  const together = Array.from({ length: 5 }, () => assert.rejects(isSigned(), IssuerUnavailable));
  await Promise.all(together);
  assert.equal(faults.length, 1, 'concurrent tokens report one fault');
  for (let count = 0; count < 3; count += 1) await assert.rejects(isSigned(), IssuerUnavailable);
  assert.equal(fetchesFromOld(), 3);
  t.mock.timers.tick(30_000);
  assert.equal(await isSigned(), true);
});

test('keys that are too old are fetched at once, even after a failed fetch for an unknown key id', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const outside = createInMemoryIssuer(publicKey);
  const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, { now: () => Date.now() }, () => undefined);
  const isSigned = (kid = 'k1') =>
    issuer.hasSigned(
      makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, { iss: trustedIssuerUrl }, (input) =>
        sign(null, input, privateKey),
      ),
    );
  assert.equal(await isSigned(), true);
  const place = 'https://login.example.org/keys';
  const { [place]: keys = {} } = outside.documents;
  delete outside.documents[place];
  t.mock.timers.tick(585_000);
  await assert.rejects(isSigned('unknown'), IssuerUnavailable);
  outside.documents[place] = keys;
  assert.equal(await isSigned(), true);
  t.mock.timers.tick(16_000);
  assert.equal(await isSigned(), true);
});

test('unknown key ids do not extend the pause after a failed fetch', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const outside = createInMemoryIssuer(publicKey);
  const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, { now: () => Date.now() }, assert.fail);
  const isSigned = (kid: string) =>
    issuer.hasSigned(
      makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, { iss: trustedIssuerUrl }, (input) =>
        sign(null, input, privateKey),
      ),
    );
  assert.equal(await isSigned('k1'), true);
  const place = 'https://login.example.org/keys';
  const { [place]: keys = {} } = outside.documents;
  delete outside.documents[place];
  t.mock.timers.tick(31_000);
  await assert.rejects(isSigned('unknown'), IssuerUnavailable);
  outside.documents[place] = keys;
  t.mock.timers.tick(29_000);
  await assert.rejects(isSigned('unknown'), IssuerUnavailable);
  t.mock.timers.tick(1_000);
  assert.equal(await isSigned('unknown'), false, 'the fetched keys have no such id');
});

for (const [span, ahead] of [
  ['an hour', 3_600_000],
  ['a year', 31_536_000_000],
] as const) {
  test(`keys that were fetched while the machine clock was ${span} ahead are fetched again after the usual pause`, async (t) => {
    const right = Date.now();
    t.mock.timers.enable({ apis: ['Date'], now: right + ahead });
    let passed = 0;
    const [old, next] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    const outside = createInMemoryIssuer(old.publicKey);
    const time = { now: () => passed };
    const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, time, assert.fail);
    const isSigned = (kid: string, { privateKey }: typeof old) =>
      issuer.hasSigned(
        makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, { iss: trustedIssuerUrl }, (input) =>
          sign(null, input, privateKey),
        ),
      );
    const publish = (kid: string, { publicKey }: typeof old) => {
      const key = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' };
      outside.documents['https://login.example.org/keys'] = { keys: [key] };
    };
    assert.equal(await isSigned('k1', old), true);
    t.mock.timers.setTime(right);
    publish('k2', next);
    passed += 31_000;
    assert.equal(await isSigned('k2', next), true, 'a new key is fetched after half a minute');
    assert.equal(await isSigned('k1', old), false);
    const fetches = outside.requests.length;
    for (let count = 0; count < 20; count += 1) assert.equal(await isSigned(`unknown-${count}`, next), false);
    assert.equal(outside.requests.length, fetches, 'unknown key ids cause no further fetch');
  });

  test(`a key that its issuer withdrew is refused after ten minutes, also if the machine clock was ${span} ahead`, async (t) => {
    const right = Date.now();
    t.mock.timers.enable({ apis: ['Date'], now: right + ahead });
    let passed = 0;
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const outside = createInMemoryIssuer(publicKey);
    const time = { now: () => passed };
    const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, time, assert.fail);
    const token = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, { iss: trustedIssuerUrl }, (input) =>
      sign(null, input, privateKey),
    );
    assert.equal(await issuer.hasSigned(token), true);
    t.mock.timers.setTime(right);
    outside.documents['https://login.example.org/keys'] = { keys: [] };
    passed += 11 * 60_000;
    assert.equal(await issuer.hasSigned(token), false);
  });
}

test('redirects of metadata and keys are not followed', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' };
  for (const moved of ['/.well-known/oauth-authorization-server', '/keys']) {
    const paths: string[] = [];
    const server = createServer(({ url: path = '' }, response) => {
      paths.push(path);
      const documents: Record<string, object> = {
        '/.well-known/oauth-authorization-server': { issuer: url, jwks_uri: `${url}/keys` },
        '/keys': { keys: [jwk] },
      };
      if (path === moved) response.writeHead(302, { location: `/elsewhere${moved}` }).end();
      else response.end(JSON.stringify(documents[path.replace('/elsewhere', '')]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    // A server that listens on TCP has an address with a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = createTrustedIssuer(url, fetch, { now: () => Date.now() }, () => undefined);
    const token = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, { iss: url }, (input) =>
      sign(null, input, privateKey),
    );
    await assert.rejects(issuer.hasSigned(token), IssuerUnavailable);
    assert.equal(paths.at(-1), moved);
  }
});
