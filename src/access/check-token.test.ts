import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { test } from 'node:test';
import {
  craft,
  goodClaims,
  openTokenHouse,
  publicUrl,
  rotateSigningKey,
  signedByUs,
  type TokenHouse,
} from '../../test/attacks/tokens-house.ts';
import { toInstant } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { invalidAccessToken } from './challenge.ts';
import { newClient } from './client.ts';
import { changedClient } from './client-change.ts';
import { clientChange, clientCreation, clientDisabling } from './client-store.ts';

const scope = 'documents:read';

function tokenOf(house: TokenHouse, changes: Record<string, unknown> = {}): string {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: house.keys.current('access-token').kid };
  return `Bearer ${craft(header, { ...goodClaims(house), ...changes }, signedByUs(house))}`;
}

test('[R50] no token: the challenge names scope and metadata, and no error', async (t) => {
  const { checker } = await openTokenHouse(t);
  const refusal = {
    slug: 'no-access-token',
    detail:
      "Send 'Authorization: Bearer <ACCESS_TOKEN>'. Get a token from the authorization server named in resource_metadata.",
    headers: {
      'www-authenticate': [
        'Bearer realm="citizen-services"',
        'DPoP realm="citizen-services", algs="ES256 PS256 EdDSA Ed25519"',
      ].map(
        (start) =>
          `${start}, scope="${scope}", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/v1"`,
      ),
    },
  };
  assert.deepEqual(await checker.authenticate(undefined, scope), refusal);
  assert.deepEqual(await checker.authenticate('', scope), refusal);
  assert.deepEqual(await checker.authenticate('Basic YTpi', scope), refusal);
  assert.deepEqual(await checker.authenticate('Bearerabc', scope), refusal);
  assert.deepEqual(await checker.authenticate('Bearer', scope), invalidAccessToken());
  assert.deepEqual(await checker.authenticate('DPoP abc', scope), invalidAccessToken('DPoP'));
});

test('a good token gives its client, whatever the letter case of the scheme', async (t) => {
  const house = await openTokenHouse(t);
  const caller = {
    clientId: house.client.client.clientId,
    scopes: new Set([scope]),
    purposes: undefined,
    quota: { perSecond: 1_000, burst: 2_000 },
    scheme: 'Bearer',
    citizenId: undefined,
  };
  const token = tokenOf(house);
  assert.deepEqual(await house.checker.authenticate(token, scope), caller);
  assert.deepEqual(await house.checker.authenticate(token.replace('Bearer', 'bEARER'), scope), caller);
  assert.deepEqual(await house.checker.authenticate(tokenOf(house, { aud: ['x', `${publicUrl}/v1`] }), scope), caller);
});

test('a scope that the client is no longer allowed is not in its caller, nor is one that was never asked', async (t) => {
  const house = await openTokenHouse(t);
  const answer = await house.checker.authenticate(tokenOf(house, { scope: 'documents:read documents:write' }));
  assert.ok('scopes' in answer);
  assert.deepEqual([...answer.scopes], ['documents:read']);
  const none = await house.checker.authenticate(tokenOf(house, { scope: undefined }));
  assert.ok('scopes' in none);
  assert.deepEqual([...none.scopes], []);
});

test('[R50] a missing scope is told with its challenge', async (t) => {
  const { checker } = await openTokenHouse(t);
  assert.deepEqual(checker.missingScope(scope, {}), {
    slug: 'missing-scope',
    detail: 'This operation needs the scope documents:read.',
    members: { requiredScopes: [scope] },
    headers: {
      'www-authenticate': 'Bearer realm="citizen-services", error="insufficient_scope", scope="documents:read"',
    },
  });
});

test('an expired token is told as expired, with our time, once its signature is verified and not before', async (t) => {
  const house = await openTokenHouse(t);
  const token = tokenOf(house);
  const seen = await house.checker.authenticate(token);
  assert.ok('clientId' in seen);
  house.clock.at += 641_000;
  const expired = {
    slug: 'expired-access-token',
    detail: "The token expired 41 s ago by this server's clock. If this repeats, check your clock against serverTime.",
    members: { serverTime: toInstant(house.clock.at) },
    headers: {
      'www-authenticate':
        'Bearer realm="citizen-services", error="invalid_token", error_description="The access token expired"',
    },
  };
  assert.deepEqual(await house.checker.authenticate(token), expired);
  const forged = `${token.slice(0, -20)}AAAAAAAAAAAAAAAAAAAA`;
  assert.deepEqual(await house.checker.authenticate(forged), invalidAccessToken());
});

test('a token dies with its exp even while it is cached', async (t) => {
  const house = await openTokenHouse(t);
  const now = Math.floor(house.clock.at / 1_000);
  const token = tokenOf(house, { exp: now + 5 });
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  house.clock.at += 4_999;
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  house.clock.at += 1;
  const answer = await house.checker.authenticate(token);
  assert.equal('slug' in answer ? answer.slug : '', 'expired-access-token');
});

test('[R48] a clock that runs 10 s ahead of ours is accepted', async (t) => {
  const house = await openTokenHouse(t);
  const ahead = Math.floor(house.clock.at / 1_000) + 10;
  assert.ok('clientId' in (await house.checker.authenticate(tokenOf(house, { iat: ahead, nbf: ahead }))));
});

test('[R55] a client that was disabled elsewhere is refused within 60 s, and at once where it was disabled here', async (t) => {
  const house = await openTokenHouse(t);
  const token = tokenOf(house);
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  await house.db.write([clientDisabling(house.client.client.clientId, house.clock.at)]);
  house.clock.at += 29_000;
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  house.clock.at += 31_001;
  assert.deepEqual(await house.checker.authenticate(token), invalidAccessToken());
  const other = await house.add({ name: 'Other', kind: 'test', scopes: [scope], credential: 'secret' });
  const { clientId } = other.client;
  const second = tokenOf(house, { client_id: clientId, sub: clientId });
  assert.ok('clientId' in (await house.checker.authenticate(second)));
  await house.db.write([clientDisabling(clientId, house.clock.at)]);
  house.checker.forget();
  assert.deepEqual(await house.checker.authenticate(second), invalidAccessToken());
});

test('a client that was disabled elsewhere is refused within 60 s also when the clock was set back', async (t) => {
  const house = await openTokenHouse(t);
  const iat = house.clock.at / 1_000 - 300;
  const token = tokenOf(house, { iat, exp: iat + 600 });
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  await house.db.write([clientDisabling(house.client.client.clientId, house.clock.at)]);
  house.clock.at -= 300_000;
  assert.deepEqual(await house.checker.authenticate(token), invalidAccessToken());
});

for (const [span, step] of [
  ['an hour', 3_600_000],
  ['a year', 365 * 86_400_000],
] as const) {
  test(`a clock that goes ${span} ahead or back ends a checked token, whose time comes again with the clock and no longer`, async (t) => {
    for (const by of [step, -step]) {
      const house = await openTokenHouse(t);
      const slug = async (token: string) => {
        const answer = await house.checker.authenticate(token);
        return 'slug' in answer ? answer.slug : 'welcome';
      };
      const token = tokenOf(house);
      assert.equal(await slug(token), 'welcome');
      house.clock.at += by;
      const wrong = tokenOf(house);
      const ended = by > 0 ? 'expired-access-token' : 'invalid-access-token';
      assert.deepEqual([await slug(token), await slug(wrong)], [ended, 'welcome']);
      house.clock.at -= by;
      const back = by > 0 ? 'invalid-access-token' : 'expired-access-token';
      assert.deepEqual([await slug(token), await slug(wrong)], ['welcome', back]);
      house.clock.at += 600_000;
      assert.equal(await slug(token), 'expired-access-token');
    }
  });
}

test('what was changed of a client elsewhere counts within 60 s, for tokens that are out too', async (t) => {
  const house = await openTokenHouse(t);
  const token = tokenOf(house);
  const first = await house.checker.authenticate(token);
  assert.ok('scopes' in first);
  assert.deepEqual([[...first.scopes], first.purposes], [[scope], undefined]);
  const { client } = house.client;
  const quota = { perSecond: 7, burst: 14 };
  const changed = changedClient(client, { scopes: ['documents:write'], purposes: ['tax'], quota });
  assert.ok('clientId' in changed);
  await house.db.write([clientChange(client, changed)]);
  house.clock.at += 60_001;
  assert.deepEqual(await house.checker.authenticate(token), {
    ...{ clientId: client.clientId, scopes: new Set(), purposes: new Set(['tax']), quota },
    ...{ scheme: 'Bearer', citizenId: undefined },
  });
});

test('a cached token costs no query', async (t) => {
  const house = await openTokenHouse(t);
  const token = tokenOf(house);
  await house.checker.authenticate(token);
  house.reads.count = 0;
  for (let count = 0; count < 20; count += 1) await house.checker.authenticate(token);
  assert.equal(house.reads.count, 0);
});

test('after a rotation old and new tokens are good until the old key retires', async (t) => {
  const house = await openTokenHouse(t);
  const old = house.keys.current('access-token');
  await rotateSigningKey(house.room, 'access-token');
  await house.keys.reload();
  assert.equal(house.keys.current('access-token').kid, old.kid, 'a new key is published before it signs');
  house.clock.at += 600_000;
  const next = house.keys.current('access-token');
  assert.notEqual(next.kid, old.kid);
  assert.ok('clientId' in (await house.checker.authenticate(tokenOf(house))));
  const header = { alg: 'ES256', typ: 'at+jwt', kid: old.kid };
  const byOld = (input: Buffer) => sign('sha256', input, { key: old.privateKey, dsaEncoding: 'ieee-p1363' });
  assert.ok('clientId' in (await house.checker.authenticate(`Bearer ${craft(header, goodClaims(house), byOld)}`)));
  house.clock.at += 86_400_000;
  const late = `Bearer ${craft(header, goodClaims(house), byOld)}`;
  assert.deepEqual(await house.checker.authenticate(late), invalidAccessToken());
});

test('a token signed by a key that is withdrawn is refused at once, cached or not', async (t) => {
  const house = await openTokenHouse(t);
  const token = tokenOf(house);
  assert.ok('clientId' in (await house.checker.authenticate(token)));
  const { kid } = house.keys.current('access-token');
  await house.db.write([{ sql: 'update signing_key set retire_at = $2 where kid = $1', args: [kid, house.clock.at] }]);
  await house.keys.reload();
  assert.deepEqual(await house.checker.authenticate(token), invalidAccessToken());
});

test('a client that another process has just made can call with its first token', async (t) => {
  const house = await openTokenHouse(t);
  await house.checker.authenticate(tokenOf(house));
  const wanted = { name: 'New', kind: 'test', scopes: [scope], credential: 'secret' } as const;
  const made = newClient(wanted, house.clock, systemRandom);
  assert.ok('client' in made);
  const { clientId } = made.client;
  await house.db.write([clientCreation(made.client)]);
  const answer = await house.checker.authenticate(tokenOf(house, { client_id: clientId, sub: clientId }));
  assert.equal('clientId' in answer && answer.clientId, clientId);
});
