import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { engines } from '../../test/support/database-engines.ts';
import { WriteRefused } from '../db/database.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { type Client, type ClientOptions, isClientSecret, newClient } from './client.ts';
import { createClientCache } from './client-cache.ts';
import { parseClientKeys } from './client-keys.ts';
import { allClients, findClient, insertClient, setClientDisabled } from './client-store.ts';
import { applyClientUpdate } from './client-update.ts';

const clock = { at: Date.UTC(2026, 10, 20), now: () => clock.at };
const wanted: ClientOptions = {
  name: 'Café & Tax  Office!',
  kind: 'test',
  scopes: ['b:x', 'a:x', 'b:x'],
  credential: 'secret',
};

function made(changes: Partial<ClientOptions> = {}): { client: Client; secret: string } {
  const result = newClient({ ...wanted, ...changes }, clock, systemRandom);
  assert.ok('client' in result, 'fault' in result ? result.fault : '');
  return { client: result.client, secret: result.secret?.reveal() ?? '' };
}

test('a new client has a readable id, each scope once, and a secret of 256 bits that is stored as a hash', () => {
  const { client, secret } = made();
  assert.match(client.clientId, /^cafe-tax-office-[a-z0-9]{8}$/);
  assert.deepEqual(client.scopes, ['a:x', 'b:x']);
  assert.match(secret, /^cs_test_[A-Za-z0-9_-]{43}$/);
  assert.ok(client.credential.by === 'secret');
  assert.equal(isClientSecret(client.clientId, client.credential.hash, secret), true);
  assert.equal(isClientSecret(client.clientId, client.credential.hash, `${secret}x`), false);
  assert.equal(isClientSecret('another-client', client.credential.hash, secret), false);
  assert.equal(inspect(client, { depth: 9 }).includes(secret), false);
  assert.match(made({ kind: 'demo' }).secret, /^cs_demo_/);
});

test('a name in any script gets an id, and a name with control characters is refused', () => {
  assert.match(made({ name: 'Île Bürgeramt' }).client.clientId, /^ile-burgeramt-[a-z0-9]{8}$/);
  assert.match(made({ name: '税務署' }).client.clientId, /^client-[a-z0-9]{8}$/);
  assert.match(made({ name: 'x'.repeat(100) }).client.clientId, /^x{32}-[a-z0-9]{8}$/);
  for (const name of ['', 'a\nb', 'a\0', 'x'.repeat(101), '\ud800']) {
    assert.ok('fault' in newClient({ ...wanted, name }, clock, systemRandom), JSON.stringify(name));
  }
});

test('a secret for a team or live client, no scope, and a quota out of bounds are refused', () => {
  const fault = (changes: Partial<ClientOptions>) => {
    const result = newClient({ ...wanted, ...changes }, clock, systemRandom);
    return 'fault' in result ? result.fault : undefined;
  };
  assert.match(fault({ kind: 'live' }) ?? '', /a live client authenticates with its own keys/);
  assert.match(fault({ kind: 'team' }) ?? '', /a team client authenticates with its own keys/);
  assert.match(fault({ scopes: [] }) ?? '', /at least one scope/);
  assert.match(fault({ quota: { perSecond: 0, burst: 1 } }) ?? '', /a quota is 1 to/);
  assert.match(fault({ quota: { perSecond: 1.5, burst: 2 } }) ?? '', /a quota is 1 to/);
});

test('a client with citizen:self and any scope except documents:read is refused, when created and when changed', () => {
  const credential = { by: 'issuer', issuer: 'https://login.example.gov' } as const;
  const portal = { ...wanted, scopes: ['citizen:self', 'documents:read'], credential } as const;
  const { client } = made(portal);
  for (const extra of ['identity:verify', 'notifications:send', 'documents:write', 'events:read', 'access-log:hide']) {
    const mixed = ['documents:read', extra, 'citizen:self'];
    for (const result of [
      newClient({ ...portal, scopes: mixed }, clock, systemRandom),
      applyClientUpdate(client, { scopes: mixed }),
      applyClientUpdate({ ...client, scopes: [extra] }, { scopes: [extra, 'citizen:self'] }),
    ])
      assert.match('fault' in result ? result.fault : '', new RegExp(`no other scope, but has ${extra}`));
  }
});

const jwkOf = (key: { export(options: { format: 'jwk' }): object }) => key.export({ format: 'jwk' });
const setOf = (...keys: readonly unknown[]) => JSON.stringify({ keys });

test('a key set accepts public P-256, Ed25519 and RSA keys, and a key without kid gets its thumbprint', () => {
  const ec = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
  const ed = jwkOf(generateKeyPairSync('ed25519').publicKey);
  const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey);
  const read = parseClientKeys(
    setOf({ ...ec, kid: 'one', alg: 'ES256', x5u: 'https://x' }, { ...ed, kid: 'two' }, rsa),
  );
  assert.ok('keys' in read, 'fault' in read ? read.fault : '');
  assert.deepEqual(read.keys.slice(0, 2), [
    { ...ec, kid: 'one', alg: 'ES256', use: 'sig' },
    { ...ed, kid: 'two', use: 'sig' },
  ]);
  const [, , third] = read.keys;
  assert.deepEqual(third, { ...rsa, kid: third?.kid, alg: 'PS256', use: 'sig' });
  assert.match(third?.kid ?? '', /^[A-Za-z0-9_-]{43}$/);
});

test('a key set with any other content is refused with the reason', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ec = jwkOf(pair.publicKey);
  const cases: Record<string, string> = {
    'not JSON': '{',
    'no list "keys"': '{}',
    '1 to 10 keys': setOf(),
    'private member "d"': setOf(jwkOf(pair.privateKey)),
    'private member "k"': setOf({ kty: 'oct', k: 'AAAA' }),
    'its "use" is not "sig"': setOf({ ...ec, use: 'enc' }),
    'is not a public key': setOf({ ...ec, y: 'AAAA' }),
    'fewer than 2048 bits': setOf(jwkOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey)),
    'more than 8192 bits': setOf({
      kty: 'RSA',
      n: randomBytes(1_025).fill(255, 0, 1).toString('base64url'),
      e: 'AQAB',
    }),
    'public exponent': setOf({ kty: 'RSA', n: randomBytes(256).fill(255, 0, 1).toString('base64url'), e: 'AQAAAAE' }),
    'no accepted type': setOf(jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)),
    '"alg" other than ES256': setOf({ ...ec, alg: 'RS256' }),
    '"kid" that is not': setOf({ ...ec, kid: 'a\nb' }),
    'occurs twice': setOf(ec, ec),
    'is not a JWK': setOf('key'),
  };
  for (const [reason, text] of Object.entries(cases)) {
    const read = parseClientKeys(text);
    assert.ok(
      'fault' in read && read.fault.includes(reason),
      `${reason}: ${'fault' in read ? read.fault : 'accepted'}`,
    );
  }
});

for (const engine of engines) {
  test(`${engine.name}: a stored client of each kind is read back unchanged`, async (t) => {
    const db = await engine.open(t);
    const keys = parseClientKeys(setOf(jwkOf(generateKeyPairSync('ed25519').publicKey)));
    assert.ok('keys' in keys);
    const clients = [
      made().client,
      made({ kind: 'live', credential: { by: 'keys', jwks: keys }, purposes: ['tax', 'benefits', 'tax'] }).client,
      made({
        kind: 'team',
        credential: { by: 'issuer', issuer: 'https://x.example' },
        quota: { perSecond: 5, burst: 9 },
      }).client,
    ];
    for (const client of clients) await db.write([insertClient(client)]);
    for (const client of clients)
      assert.deepEqual(withBytes(await findClient(db.read, client.clientId)), withBytes(client));
    const stored = await allClients(db.read);
    assert.deepEqual(
      stored.map(({ clientId }) => clientId),
      clients.map(({ clientId }) => clientId).sort(),
    );
    assert.equal(await findClient(db.read, 'nobody'), undefined);
  });

  test(`${engine.name}: a client is disabled once, and can still be read`, async (t) => {
    const db = await engine.open(t);
    const { client } = made();
    await db.write([insertClient(client)]);
    await db.write([setClientDisabled(client.clientId, clock.at + 5)]);
    assert.equal((await findClient(db.read, client.clientId))?.disabledAt, clock.at + 5);
    await assert.rejects(db.write([setClientDisabled(client.clientId, clock.at + 9)]), WriteRefused);
    await assert.rejects(db.write([setClientDisabled('nobody', clock.at)]), WriteRefused);
  });

  test(`${engine.name}: the list of clients contains each stored client`, async (t) => {
    const db = await engine.open(t);
    // Distinct names, since the random suffix alone could repeat among this many clients.
    const many = Array.from({ length: 501 }, (_, at) => insertClient(made({ name: `Office ${at}` }).client));
    await db.write(many);
    assert.equal((await allClients(db.read)).length, 501);
  });
}

test('a client cache that is invalidated during a read is read again', async () => {
  let reads = 0;
  const view = createClientCache(async () => {
    reads += 1;
    if (reads === 1) view.invalidate();
    return [];
  }, clock);
  await view.refresh();
  assert.equal(reads, 2);
  assert.equal(view.isFresh(), true);
});

test('a client cache older than a minute is not fresh, and a failed read rejects its refresh', async () => {
  let broken = false;
  const view = createClientCache(
    () => (broken ? Promise.reject(new Error('no database')) : Promise.resolve([])),
    clock,
  );
  await view.refresh();
  broken = true;
  clock.at += 45_000;
  assert.equal(view.isFresh(), true);
  clock.at += 15_001;
  assert.equal(view.isFresh(), false);
  await assert.rejects(view.refresh(), /no database/);
});

/** The engines return hashes as Buffer or Uint8Array; this compares their bytes. */
function withBytes(client: Client | undefined): unknown {
  if (client?.credential.by !== 'secret') return client;
  return { ...client, credential: { by: 'secret', hash: Buffer.from(client.credential.hash).toString('hex') } };
}
