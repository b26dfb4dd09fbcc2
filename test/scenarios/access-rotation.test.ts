import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { createAuthorizationServer } from '../../src/auth/authorization-server.ts';
import { createTokenChecker } from '../../src/auth/check-token.ts';
import { createClientCache } from '../../src/auth/client-cache.ts';
import { createQuotaLimiter } from '../../src/auth/quota.ts';
import { openSigningKeys } from '../../src/auth/signing-key-store.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import {
  basicAuthHeader,
  listenOnLoopback,
  publicUrl,
  rotateTestSigningKey,
  scopes,
  startTokenServer,
  type TokenServer,
} from '../support/token-app.ts';

/** A second process on the same database, with its own keys, clients and token endpoint. */
async function secondProcess(
  t: Parameters<typeof startTokenServer>[0],
  first: TokenServer,
): Promise<Pick<TokenServer, 'ask' | 'checker'>> {
  const { db, clock, signingKeyDeps, clientKeys } = first;
  const keys = await openSigningKeys(signingKeyDeps);
  const clients = createClientCache(db.read, clock);
  const report = (fault: unknown) => assert.ifError(fault);
  const quotas = createQuotaLimiter(clock, systemRandom);
  const onRefused = () => assert.fail('no request is refused');
  const shared = { db, clock, keys, random: systemRandom, publicUrl, scopes, trustedIssuers: [], secrets: true };
  const parts = { ...shared, quotas, report, onRefused, clientKeys };
  const { ask } = await listenOnLoopback(t, createAuthorizationServer(parts).handler);
  return { ask, checker: createTokenChecker({ clock, publicUrl, keys, clients, trusted: [] }) };
}

for (const engine of engines) {
  test(`[R56] ${engine.name}: no request fails in any process within a day after the creation of a new key`, async (t) => {
    const first = await startTokenServer(t, engine);
    const processes = [first, await secondProcess(t, first)];
    let living: { readonly token: string; readonly until: number }[] = [];
    const kids = new Set<string>();
    const step = async (forwardMs: number) => {
      first.clock.at += forwardMs;
      const now = first.clock.at;
      const answers = await Promise.all([...processes, ...processes].map(({ ask }) => ask({}, basicAuthHeader(first))));
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        const token = String(body['access_token']);
        kids.add(String(decodeProtectedHeader(token).kid));
        living.push({ token, until: now + 600_000 });
      }
      living = living.filter(({ until }) => until > now);
      // Both processes check the oldest and the newest valid tokens.
      for (const { token } of [...living.slice(0, 2), ...living.slice(-2)]) {
        for (const { checker } of processes) {
          const caller = await checker.authenticate(`Bearer ${token}`);
          assert.ok('clientId' in caller, JSON.stringify(caller));
        }
      }
    };
    await step(0);
    await rotateTestSigningKey(first.signingKeyDeps, 'access-token');
    for (let count = 0; count < 100; count += 1) await step(7_000);
    // Around a change of keys, the steps are shorter than the life of a token.
    for (let count = 0; count < 5; count += 1) await step(599_000);
    for (let count = 0; count < 21; count += 1) await step(3_599_000);
    for (let count = 0; count < 15; count += 1) await step(599_000);
    assert.equal(kids.size, 2);
    assert.deepEqual(first.reportedErrors, []);
  });
}

test('keys rotate access-token publishes the new key next to the old one, and --now withdraws the old one', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const server = await home.start('start');
  const rotated = await home.runCommand('keys', 'rotate', 'access-token');
  assert.deepEqual([rotated.code, rotated.stdout], [0, '']);
  const [, kid = ''] = /^The new key (\S+) is published/.exec(rotated.stderr) ?? [];
  assert.match(kid, /^[A-Za-z0-9_-]{43}$/);
  assert.equal((await runCommandInProcess(home, 'keys', 'rotate', 'checkpoint')).code, 2);
  assert.equal((await runCommandInProcess(home, 'keys', 'rotate', 'result', '--now')).code, 0);
  await server.stop('SIGTERM');
  const db = await home.openDb();
  const rows = await db.read(
    'select use, retire_at, created_at from signing_key where retire_at is not null order by use',
  );
  const all = await db.read("select kid from signing_key where use in ('access-token', 'result')");
  await db.close();
  const dayMs = 86_400_000;
  const kept = rows.map((row) => [row['use'], Number(row['retire_at']) - Number(row['created_at']) > dayMs]);
  assert.deepEqual(
    [kept, all.length],
    [
      [
        ['access-token', true],
        ['result', false],
      ],
      4,
    ],
  );
});

test('without the root key, neither keys create nor the demo creates a new one', async (t) => {
  const home = await makeServerFixture(t);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const path = join(home.dataDir, 'root.key');
  renameSync(path, `${path}.elsewhere`);
  for (const ran of [await runCommandInProcess(home, 'keys', 'create'), await home.runCommand('demo')]) {
    const { code, stderr } = ran;
    assert.deepEqual([code, existsSync(path)], [1, false]);
    assert.match(stderr, /^Expected root key [0-9a-f]{16} of this database at .*Restore it from your copy/m);
  }
  renameSync(`${path}.elsewhere`, path);
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).stderr, 'All signing keys already exist.\n');
});
