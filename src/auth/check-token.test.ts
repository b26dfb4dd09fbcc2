import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { test } from 'node:test';
import {
  makeJws,
  openTokenApp,
  publicUrl,
  rotateTestSigningKey,
  signWithServerKey,
  type TokenApp,
  validTokenClaims,
} from '../../test/support/token-app.ts';
import { formatInstant } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { invalidAccessToken, missingScope } from './challenge.ts';
import { newClient } from './client.ts';
import { insertClient, setClientDisabled, updateClientRow } from './client-store.ts';
import { applyClientUpdate } from './client-update.ts';

const scope = 'documents:read';

function tokenOf(app: TokenApp, changes: Record<string, unknown> = {}): string {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: app.keys.current('access-token').kid };
  return `Bearer ${makeJws(header, { ...validTokenClaims(app), ...changes }, signWithServerKey(app))}`;
}

test('[R50] a request without a token gets a challenge with scope and metadata, and no error', async (t) => {
  const { checker } = await openTokenApp(t);
  const refusal = {
    slug: 'no-access-token',
    detail: `Send 'Authorization: Bearer <ACCESS_TOKEN>'. Request an access token at ${publicUrl}/oauth2/token.`,
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

test('a valid token identifies its client, in any letter case of the scheme', async (t) => {
  const app = await openTokenApp(t);
  const caller = {
    clientId: app.client.client.clientId,
    scopes: new Set([scope]),
    purposes: undefined,
    quota: { perSecond: 1_000, burst: 2_000 },
    scheme: 'Bearer',
    citizenId: undefined,
    session: undefined,
  };
  const token = tokenOf(app);
  assert.deepEqual(await app.checker.authenticate(token, scope), caller);
  assert.deepEqual(await app.checker.authenticate(token.replace('Bearer', 'bEARER'), scope), caller);
  assert.deepEqual(await app.checker.authenticate(tokenOf(app, { aud: ['x', `${publicUrl}/v1`] }), scope), caller);
});

test('a token grants neither a scope that its client lost nor a scope that it was not requested for', async (t) => {
  const app = await openTokenApp(t);
  const answer = await app.checker.authenticate(tokenOf(app, { scope: 'documents:read documents:write' }));
  assert.ok('scopes' in answer);
  assert.deepEqual([...answer.scopes], ['documents:read']);
  const none = await app.checker.authenticate(tokenOf(app, { scope: undefined }));
  assert.ok('scopes' in none);
  assert.deepEqual([...none.scopes], []);
});

test('[R50] a missing scope is refused with a challenge that names it', () => {
  assert.deepEqual(missingScope(scope, {}), {
    slug: 'missing-scope',
    detail: 'This operation requires the scope documents:read.',
    members: { requiredScopes: [scope] },
    headers: {
      'www-authenticate': 'Bearer realm="citizen-services", error="insufficient_scope", scope="documents:read"',
    },
  });
});

test('an expired token is reported as expired, with the time of the server, only if its signature is valid', async (t) => {
  const app = await openTokenApp(t);
  const token = tokenOf(app);
  const seen = await app.checker.authenticate(token);
  assert.ok('clientId' in seen);
  app.clock.at += 641_000;
  const expired = {
    slug: 'expired-access-token',
    detail: "The token expired 41 s ago by this server's clock. If this repeats, compare your clock with serverTime.",
    members: { serverTime: formatInstant(app.clock.at) },
    headers: {
      'www-authenticate':
        'Bearer realm="citizen-services", error="invalid_token", error_description="The access token expired"',
    },
  };
  assert.deepEqual(await app.checker.authenticate(token), expired);
  const forged = `${token.slice(0, -20)}AAAAAAAAAAAAAAAAAAAA`;
  assert.deepEqual(await app.checker.authenticate(forged), invalidAccessToken());
});

test('a cached token is refused after its exp', async (t) => {
  const app = await openTokenApp(t);
  const now = Math.floor(app.clock.at / 1_000);
  const token = tokenOf(app, { exp: now + 5 });
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  app.clock.at += 4_999;
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  app.clock.at += 1;
  const answer = await app.checker.authenticate(token);
  assert.equal('slug' in answer ? answer.slug : '', 'expired-access-token');
});

test('[R48] a token from a clock that is 10 s ahead is accepted', async (t) => {
  const app = await openTokenApp(t);
  const ahead = Math.floor(app.clock.at / 1_000) + 10;
  assert.ok('clientId' in (await app.checker.authenticate(tokenOf(app, { iat: ahead, nbf: ahead }))));
});

test('[R55] a client is refused at once where it was disabled, and within 60 s by other processes', async (t) => {
  const app = await openTokenApp(t);
  const token = tokenOf(app);
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  await app.db.write([setClientDisabled(app.client.client.clientId, app.clock.at)]);
  app.clock.at += 29_000;
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  app.clock.at += 31_001;
  assert.deepEqual(await app.checker.authenticate(token), invalidAccessToken());
  const other = await app.addClient({ name: 'Other', kind: 'test', scopes: [scope], credential: 'secret' });
  const { clientId } = other.client;
  const second = tokenOf(app, { client_id: clientId, sub: clientId });
  assert.ok('clientId' in (await app.checker.authenticate(second)));
  await app.db.write([setClientDisabled(clientId, app.clock.at)]);
  app.checker.invalidate();
  assert.deepEqual(await app.checker.authenticate(second), invalidAccessToken());
});

test('a client that another process disabled is refused within 60 s after the clock was set back', async (t) => {
  const app = await openTokenApp(t);
  const iat = app.clock.at / 1_000 - 300;
  const token = tokenOf(app, { iat, exp: iat + 600 });
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  await app.db.write([setClientDisabled(app.client.client.clientId, app.clock.at)]);
  app.clock.at -= 300_000;
  assert.deepEqual(await app.checker.authenticate(token), invalidAccessToken());
});

for (const [span, step] of [
  ['an hour', 3_600_000],
  ['a year', 365 * 86_400_000],
] as const) {
  test(`a cached token is refused while the clock is ${span} off, and accepted when the clock is corrected`, async (t) => {
    for (const by of [step, -step]) {
      const app = await openTokenApp(t);
      const slug = async (token: string) => {
        const answer = await app.checker.authenticate(token);
        return 'slug' in answer ? answer.slug : 'welcome';
      };
      const token = tokenOf(app);
      assert.equal(await slug(token), 'welcome');
      app.clock.at += by;
      const wrong = tokenOf(app);
      const ended = by > 0 ? 'expired-access-token' : 'invalid-access-token';
      assert.deepEqual([await slug(token), await slug(wrong)], [ended, 'welcome']);
      app.clock.at -= by;
      const back = by > 0 ? 'invalid-access-token' : 'expired-access-token';
      assert.deepEqual([await slug(token), await slug(wrong)], ['welcome', back]);
      app.clock.at += 600_000;
      assert.equal(await slug(token), 'expired-access-token');
    }
  });
}

test('a change of a client by another process takes effect within 60 s, also for issued tokens', async (t) => {
  const app = await openTokenApp(t);
  const token = tokenOf(app);
  const first = await app.checker.authenticate(token);
  assert.ok('scopes' in first);
  assert.deepEqual([[...first.scopes], first.purposes], [[scope], undefined]);
  const { client } = app.client;
  const quota = { perSecond: 7, burst: 14 };
  const changed = applyClientUpdate(client, { scopes: ['documents:write'], purposes: ['tax'], quota });
  assert.ok('clientId' in changed);
  await app.db.write([updateClientRow(client, changed)]);
  app.clock.at += 60_001;
  assert.deepEqual(await app.checker.authenticate(token), {
    clientId: client.clientId,
    scopes: new Set(),
    purposes: new Set(['tax']),
    quota,
    scheme: 'Bearer',
    citizenId: undefined,
    session: undefined,
  });
});

test('a cached token needs no query', async (t) => {
  const app = await openTokenApp(t);
  const token = tokenOf(app);
  await app.checker.authenticate(token);
  app.queryCounter.count = 0;
  for (let count = 0; count < 20; count += 1) await app.checker.authenticate(token);
  assert.equal(app.queryCounter.count, 0);
});

test('after a rotation old and new tokens are accepted until the old key retires', async (t) => {
  const app = await openTokenApp(t);
  const old = app.keys.current('access-token');
  await rotateTestSigningKey(app.signingKeyDeps, 'access-token');
  await app.keys.reload();
  assert.equal(app.keys.current('access-token').kid, old.kid, 'a new key is published before it signs');
  app.clock.at += 600_000;
  const next = app.keys.current('access-token');
  assert.notEqual(next.kid, old.kid);
  assert.ok('clientId' in (await app.checker.authenticate(tokenOf(app))));
  const header = { alg: 'ES256', typ: 'at+jwt', kid: old.kid };
  const byOld = (input: Buffer) => sign('sha256', input, { key: old.privateKey, dsaEncoding: 'ieee-p1363' });
  assert.ok('clientId' in (await app.checker.authenticate(`Bearer ${makeJws(header, validTokenClaims(app), byOld)}`)));
  app.clock.at += 86_400_000;
  const late = `Bearer ${makeJws(header, validTokenClaims(app), byOld)}`;
  assert.deepEqual(await app.checker.authenticate(late), invalidAccessToken());
});

test('a token of a withdrawn key is refused at once, cached or not', async (t) => {
  const app = await openTokenApp(t);
  const token = tokenOf(app);
  assert.ok('clientId' in (await app.checker.authenticate(token)));
  const { kid } = app.keys.current('access-token');
  await app.db.write([{ sql: 'update signing_key set retire_at = $2 where kid = $1', args: [kid, app.clock.at] }]);
  await app.keys.reload();
  assert.deepEqual(await app.checker.authenticate(token), invalidAccessToken());
});

test('a client that another process just created can call with its first token', async (t) => {
  const app = await openTokenApp(t);
  await app.checker.authenticate(tokenOf(app));
  const wanted = { name: 'New', kind: 'test', scopes: [scope], credential: 'secret' } as const;
  const made = newClient(wanted, app.clock, systemRandom);
  assert.ok('client' in made);
  const { clientId } = made.client;
  await app.db.write([insertClient(made.client)]);
  const answer = await app.checker.authenticate(tokenOf(app, { client_id: clientId, sub: clientId }));
  assert.equal('clientId' in answer && answer.clientId, clientId);
});
