import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import {
  createInMemoryIssuer,
  makeJws,
  openTokenApp,
  signWithServerKey,
  type TokenApp,
  trustedIssuerUrl,
  validTokenClaims,
} from '../../test/support/token-app.ts';
import { invalidAccessToken } from './challenge.ts';
import { createTrustedIssuer } from './trusted-issuer.ts';

const scope = 'documents:read';

function tokenOf(app: TokenApp, changes: Record<string, unknown> = {}): string {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: app.keys.current('access-token').kid };
  return `Bearer ${makeJws(header, { ...validTokenClaims(app), ...changes }, signWithServerKey(app))}`;
}

test('a token of a trusted issuer is accepted for its own clients only', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const outside = createInMemoryIssuer(publicKey);
  const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, { now: () => 0 }, assert.fail);
  const app = await openTokenApp(t, { trustedIssuers: [issuer] });
  const theirs = await app.addClient({
    name: 'From outside',
    kind: 'live',
    scopes: [scope],
    credential: { by: 'issuer', issuer: trustedIssuerUrl },
  });
  const tokenFor = (clientId: string, header: object = {}, more: object = {}) => {
    const claims = {
      ...validTokenClaims(app),
      iss: trustedIssuerUrl,
      client_id: clientId,
      sub: 'service-account-7',
      ...more,
    };
    const signed = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1', ...header }, claims, (input) =>
      sign(null, input, privateKey),
    );
    return `Bearer ${signed}`;
  };
  const answer = await app.checker.authenticate(tokenFor(theirs.client.clientId));
  assert.equal('clientId' in answer && answer.clientId, theirs.client.clientId);
  assert.deepEqual(await app.checker.authenticate(tokenFor(app.client.client.clientId)), invalidAccessToken());
  const elsewhere = await app.addClient({
    name: 'From elsewhere',
    kind: 'live',
    scopes: [scope],
    credential: { by: 'issuer', issuer: 'https://other.example.org' },
  });
  assert.deepEqual(await app.checker.authenticate(tokenFor(elsewhere.client.clientId)), invalidAccessToken());
  // Only a trusted issuer can name the citizen; the claim is ignored in our own tokens.
  const citizenOf = async (token: string) => {
    const caller = await app.checker.authenticate(token);
    return 'slug' in caller ? caller.slug : caller.citizenId;
  };
  assert.equal(await citizenOf(tokenFor(theirs.client.clientId, {}, { citizen_id: 'anna' })), 'anna');
  for (const citizen_id of [['anna'], 'an\u0000na', 'an\ud800na']) {
    const token = tokenFor(theirs.client.clientId, {}, { citizen_id });
    assert.equal(await citizenOf(token), 'invalid-access-token', JSON.stringify(citizen_id));
  }
  assert.equal(await citizenOf(tokenOf(app, { citizen_id: 'anna' })), undefined);
  // Tokens of one session at the issuer, and otherwise a token, identify the sign-in of the citizen. Our own tokens never do.
  const sessionOf = async (token: string) => {
    const caller = await app.checker.authenticate(token);
    return 'slug' in caller ? caller.slug : caller.session;
  };
  const inSession = (claims: object) => sessionOf(tokenFor(theirs.client.clientId, {}, claims));
  const [first, renewed] = [await inSession({ sid: 's1', jti: 'a' }), await inSession({ sid: 's1', jti: 'b' })];
  const [next, token] = [await inSession({ sid: 's2', jti: 'b' }), await inSession({ jti: 'b' })];
  assert.match(first ?? '', /^[\w-]{43}$/);
  assert.equal(first, renewed);
  assert.equal(new Set([first, next, token, await inSession({ jti: 'c' })]).size, 4);
  assert.equal(await inSession({ sid: 7, jti: 'b' }), token);
  assert.equal(await sessionOf(tokenOf(app, { sid: 's1' })), undefined);
  const { clientId } = theirs.client;
  assert.deepEqual(
    await app.checker.authenticate(tokenOf(app, { client_id: clientId, sub: clientId })),
    invalidAccessToken(),
  );
  assert.deepEqual(await app.checker.authenticate(tokenFor(clientId, { kid: 'k2' })), invalidAccessToken());
  assert.deepEqual(await app.checker.authenticate(tokenFor(clientId, { kid: 'k3' })), invalidAccessToken());
  assert.deepEqual(outside.requests, [
    'https://login.example.org/.well-known/oauth-authorization-server/realm',
    'https://login.example.org/realm/.well-known/openid-configuration',
    'https://login.example.org/keys',
  ]);
});

test('a request with a token gets 503 while the keys of its issuer cannot be fetched', async (t) => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const clock = { at: 1_000_000, now: () => clock.at };
  let fetches = 0;
  const faults: string[] = [];
  const fetching = () => {
    fetches += 1;
    return Promise.reject(new TypeError('no way there'));
  };
  const trustedIssuers = [
    createTrustedIssuer(trustedIssuerUrl, fetching, clock, ({ message }) => faults.push(message)),
  ];
  const app = await openTokenApp(t, { trustedIssuers });
  const claims = { ...validTokenClaims(app), iss: trustedIssuerUrl };
  const token = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, claims, (input) => sign(null, input, privateKey));
  const refusal = {
    slug: 'capacity-reduced',
    detail: "The server could not fetch the keys of the token's issuer. It did not process the request.",
    headers: { 'retry-after': '5' },
  };
  assert.deepEqual(await app.checker.authenticate(`Bearer ${token}`), refusal);
  assert.deepEqual(await app.checker.authenticate(`Bearer ${token}`), refusal);
  assert.equal(fetches, 1, 'an issuer that fails is fetched again after a pause');
  assert.deepEqual(faults, [
    `the server could not fetch the metadata or keys of the trusted issuer ${trustedIssuerUrl}`,
  ]);
  clock.at += 30_000;
  assert.deepEqual(await app.checker.authenticate(`Bearer ${token}`), refusal);
  assert.equal(fetches, 2);
  // A clock that was set back does not extend the pause.
  clock.at -= 3_600_000;
  await app.checker.authenticate(`Bearer ${token}`);
  assert.equal(fetches, 3);
});

test('metadata of another issuer, keys over plain HTTP and documents that are too large are refused', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const well = 'https://login.example.org/realm/.well-known/openid-configuration';
  const keys = 'https://login.example.org/keys';
  const faults: ReadonlyArray<readonly [string, object]> = [
    [well, { issuer: 'https://login.example.org/other', jwks_uri: keys }],
    [well, { issuer: trustedIssuerUrl, jwks_uri: 'http://elsewhere.example.org/keys' }],
    [well, { issuer: trustedIssuerUrl }],
    [keys, { keys: [], padding: 'x'.repeat(300_000) }],
  ];
  for (const [url, document] of faults) {
    const outside = createInMemoryIssuer(publicKey);
    outside.documents['http://elsewhere.example.org/keys'] = { keys: [] };
    outside.documents[url] = document;
    const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, { now: () => 0 }, () => undefined);
    const app = await openTokenApp(t, { trustedIssuers: [issuer] });
    const claims = { ...validTokenClaims(app), iss: trustedIssuerUrl };
    const token = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, claims, (input) => sign(null, input, privateKey));
    const answer = await app.checker.authenticate(`Bearer ${token}`);
    assert.equal('slug' in answer && answer.slug, 'capacity-reduced');
  }
});

test('a cached token is verified again after 60 s', async (t) => {
  let verified = 0;
  const hasSigned = () => {
    verified += 1;
    return Promise.resolve(true);
  };
  const app = await openTokenApp(t, { trustedIssuers: [{ issuer: trustedIssuerUrl, hasSigned }] });
  const credential = { by: 'issuer', issuer: trustedIssuerUrl } as const;
  const { client } = await app.addClient({ name: 'x', kind: 'live', scopes: [scope], credential });
  const token = tokenOf(app, { iss: trustedIssuerUrl, client_id: client.clientId });
  for (const wait of [0, 30_000, 30_000]) {
    app.clock.at += wait;
    assert.ok('clientId' in (await app.checker.authenticate(token)));
  }
  assert.equal(verified, 1);
  app.clock.at += 1;
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  assert.equal(verified, 2);
});

test('[R56] a new key of a trusted issuer is fetched once, and many unknown key ids cause no further fetch', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const [old, next] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const outside = createInMemoryIssuer(old.publicKey);
  const issuer = createTrustedIssuer(trustedIssuerUrl, outside.httpFetch, { now: () => Date.now() }, assert.fail);
  const token = (kid: string, { privateKey }: typeof old) =>
    makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, { iss: trustedIssuerUrl }, (input) => sign(null, input, privateKey));
  const fetches = () => outside.requests.filter((url) => url === 'https://login.example.org/keys').length;
  assert.equal(await issuer.hasSigned(token('k1', old)), true);
  outside.documents['https://login.example.org/keys'] = {
    keys: [old, next].map(({ publicKey }, at) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: `k${at + 1}`,
      use: 'sig',
    })),
  };
  t.mock.timers.tick(31_000);
  assert.deepEqual(
    [await issuer.hasSigned(token('k2', next)), await issuer.hasSigned(token('k1', old)), fetches()],
    [true, true, 2],
  );
  for (let count = 0; count < 50; count += 1) {
    assert.equal(await issuer.hasSigned(token(`unknown-${count}`, next)), false);
  }
  assert.equal(fetches(), 2);
});

test('at most two hundred tokens wait for a slow issuer, and further tokens do not pause its requests', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const outside = createInMemoryIssuer(publicKey);
  const answer = Promise.withResolvers<void>();
  const slow = async (url: string) => {
    await answer.promise;
    return await outside.httpFetch(url);
  };
  const issuer = createTrustedIssuer(trustedIssuerUrl, slow, { now: () => 0 }, assert.fail);
  const token = makeJws({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, {}, (input) => sign(null, input, privateKey));
  const waiting = Array.from({ length: 200 }, () => issuer.hasSigned(token));
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(issuer.hasSigned(token), { name: 'IssuerUnavailable' });
  answer.resolve();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([true]));
  const many = Array.from({ length: 500 }, () => issuer.hasSigned(token));
  assert.deepEqual(new Set(await Promise.all(many)), new Set([true]));
});
