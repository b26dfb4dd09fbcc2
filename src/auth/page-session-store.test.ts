import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import { beginRotation, createRootKey, endRotation, readRootKey } from '../crypto/root-key-file.ts';
import type { Database } from '../db/database.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import {
  createPageSessions,
  deleteSessionsOf,
  expiredSessionKeptMs,
  maxSessionMs,
  type PageSessions,
  sessionIdleMs,
} from './page-session-store.ts';

const longest = 600_000;
const root = rootKeyFromBytes(Buffer.alloc(32, 7));
const token = 'header.claims-of-a-citizen.signature';

function openSessions(db: Database, random = systemRandom) {
  const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
  const sessions = createPageSessions({ db, clock, random, root, kind: 'citizen' });
  /** Starts a session for a token with this life. */
  const begin = (lifeMs = longest, refreshToken?: string) =>
    sessions.begin({ personId: 'anna', issued: { accessToken: token, endsAt: clock.at + lifeMs, refreshToken } });
  /** The session with that secret, which must be active. */
  const active = async (secret: string) => {
    const found = await sessions.find(secret);
    if (found === undefined || 'over' in found) assert.fail('no active session');
    return found;
  };
  return { clock, sessions, begin, active };
}

const over = { over: true, personId: 'anna' };

for (const engine of engines) {
  test(`${engine.name}: a session is found by its secret until 30 minutes pass without use, in every process`, async (t) => {
    const db = await engine.open(t);
    const { clock, sessions, begin, active } = openSessions(db);
    const others = createPageSessions({ db, clock, random: systemRandom, root, kind: 'citizen' });
    const secret = await begin();
    assert.match(secret, /^[\w-]{43}$/);
    const { personId, token: kept, endsAt } = await active(secret);
    assert.deepEqual([personId, kept, endsAt], ['anna', token, clock.at + sessionIdleMs]);
    for (const guess of [
      '',
      'x',
      `${secret}x`,
      secret.slice(1),
      secret.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')),
    ])
      assert.equal(await sessions.find(guess), undefined, guess);
    clock.at += sessionIdleMs - 1;
    const used = await others.find(secret);
    assert.ok(used !== undefined && 'endsAt' in used && used.endsAt === clock.at + sessionIdleMs);
    clock.at += sessionIdleMs - 1;
    await active(secret);
    clock.at += sessionIdleMs;
    assert.deepEqual([await sessions.find(secret), await others.find(secret)], [over, over]);
  });

  test(`${engine.name}: a session in use ends eight hours after the sign-in, and its row is deleted an hour later`, async (t) => {
    const db = await engine.open(t);
    const { clock, sessions, begin, active } = openSessions(db);
    const secret = await begin();
    const startedAt = clock.at;
    const rest = 20 * 60_000;
    for (; clock.at + rest < startedAt + maxSessionMs; clock.at += rest) await active(secret);
    assert.equal((await active(secret)).endsAt, startedAt + maxSessionMs);
    clock.at = startedAt + maxSessionMs;
    assert.deepEqual(await sessions.find(secret), over);
    clock.at += expiredSessionKeptMs;
    await begin();
    assert.deepEqual(await sessions.find(secret), over);
    clock.at += 1;
    await begin();
    assert.equal(await sessions.find(secret), undefined);
    assert.equal((await db.read('select id from oauth_record')).length, 2);
  });

  test(`${engine.name}: a renewed session keeps the id and time of the sign-in, so that renewals do not exceed eight hours`, async (t) => {
    const { clock, sessions, active } = openSessions(await engine.open(t));
    const issued = { accessToken: token, endsAt: clock.at + longest };
    const startedAt = clock.at - maxSessionMs + 60_000;
    const renewed = { startedAt, signInId: 'first' };
    const { endsAt, signInId } = await active(await sessions.begin({ personId: 'anna', issued, renewed }));
    assert.deepEqual([endsAt, signInId], [clock.at + 60_000, 'first']);
  });

  test(`${engine.name}: a session that was signed out or erased ends in every process, and the others continue`, async (t) => {
    const db = await engine.open(t);
    const { clock, sessions, begin, active } = openSessions(db);
    const [one, other] = [await begin(), await begin()];
    await sessions.end(one);
    await sessions.end('no secret of any');
    assert.equal(await sessions.find(one), undefined);
    await active(other);
    const issued = { accessToken: token, endsAt: clock.at + longest };
    const bert = await sessions.begin({ personId: 'bert', issued });
    await db.write([deleteSessionsOf('anna')]);
    assert.equal(await sessions.find(other), undefined);
    assert.equal((await active(bert)).personId, 'bert');
  });

  test(`${engine.name}: an access token is used for ten minutes at most, and renewed after half of its life`, async (t) => {
    const { clock, begin, active } = openSessions(await engine.open(t));
    const long = await active(await begin(24 * longest));
    assert.deepEqual([long.tokenEndsAt, long.renewAt], [clock.at + longest, clock.at + longest / 2]);
    const short = await active(await begin(1_000));
    assert.deepEqual([short.tokenEndsAt, short.renewAt], [clock.at + 1_000, clock.at + 500]);
  });

  test(`${engine.name}: one of several processes claims a refresh, and its new tokens replace the old ones`, async (t) => {
    const db = await engine.open(t);
    const { clock, sessions, begin, active } = openSessions(db);
    const secret = await begin(longest, 'first');
    const found = await active(secret);
    assert.equal(found.refreshToken, 'first');
    const claims = await Promise.all([1, 2, 3].map(() => sessions.claimRefresh(secret, found, clock.at + 1)));
    const [claimed, ...more] = claims.filter((one) => one !== undefined);
    assert.ok(claimed !== undefined && more.length === 0);
    const issued = { accessToken: 'next', endsAt: clock.at + longest, refreshToken: 'second' };
    assert.equal(await sessions.endRefresh(secret, claimed, issued), true);
    const renewed = await active(secret);
    assert.deepEqual([renewed.token, renewed.refreshToken, renewed.refreshingUntil], ['next', 'second', 0]);
    // An issuer that does not rotate refresh tokens sends none.
    const again = (await sessions.claimRefresh(secret, renewed, clock.at + 1)) ?? assert.fail();
    await sessions.endRefresh(secret, again, { accessToken: 'third', endsAt: clock.at + longest });
    const third = await active(secret);
    assert.deepEqual([third.token, third.refreshToken], ['third', 'second']);
    const last = (await sessions.claimRefresh(secret, third, clock.at + 1)) ?? assert.fail();
    await sessions.endRefresh(secret, last, undefined);
    const declined = await active(secret);
    assert.deepEqual([declined.token, declined.refreshToken], ['third', undefined]);
  });

  test(`${engine.name}: a refresh that ends after the sign-out does not bring the session back`, async (t) => {
    const { clock, sessions, begin, active } = openSessions(await engine.open(t));
    const secret = await begin(longest, 'first');
    const claimed = (await sessions.claimRefresh(secret, await active(secret), clock.at + 1)) ?? assert.fail();
    await sessions.end(secret);
    const issued = { accessToken: 'next', endsAt: clock.at + longest, refreshToken: 'second' };
    assert.equal(await sessions.endRefresh(secret, claimed, issued), false);
    assert.equal(await sessions.find(secret), undefined);
  });

  test(`${engine.name}: the database contains neither the secret nor a token, and another root key decrypts nothing`, async (t) => {
    const db = await engine.open(t);
    const { clock, begin } = openSessions(db);
    const secret = await begin(longest, 'a refresh token');
    const rows = JSON.stringify(await db.read('select * from oauth_record'));
    for (const known of [secret, token, 'claims-of-a-citizen', 'refresh', Buffer.from(token).toString('base64url')])
      assert.ok(!rows.includes(known), known);
    const other = rootKeyFromBytes(Buffer.alloc(32, 8));
    const withOther = createPageSessions({ db, clock, random: systemRandom, root: other, kind: 'citizen' });
    assert.equal(await withOther.find(secret), undefined);
    // Nor with the id of that root key.
    await db.write([{ sql: 'update oauth_record set payload = replace(payload, $1, $2)', args: [root.id, other.id] }]);
    assert.equal(await withOther.find(secret), undefined);
  });

  test(`${engine.name}: a session continues in every process while the root key is rotated, and ends when the old key is gone`, async (t) => {
    const db = await engine.open(t);
    const path = join(makeIdentityFolder(t), 'root.key');
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const session = { personId: 'anna', issued: { accessToken: token, endsAt: clock.now() + longest } };
    const tokenOf = async (sessions: PageSessions, secret: string) => {
      const found = await sessions.find(secret);
      return found === undefined || 'over' in found ? undefined : found.token;
    };
    const started = createPageSessions({
      db,
      clock,
      random: systemRandom,
      root: createRootKey(path, systemRandom),
      kind: 'citizen',
    });
    const before = await started.begin(session);
    beginRotation(path, systemRandom);
    const restarted = createPageSessions({ db, clock, random: systemRandom, root: readRootKey(path), kind: 'citizen' });
    assert.equal(await tokenOf(restarted, before), token);
    const since = await restarted.begin(session);
    assert.equal(await tokenOf(started, since), token);
    assert.equal(await tokenOf(restarted, await started.begin(session)), token);
    endRotation(path);
    const last = createPageSessions({ db, clock, random: systemRandom, root: readRootKey(path), kind: 'citizen' });
    assert.deepEqual([await tokenOf(last, before), await tokenOf(last, since)], [undefined, token]);
  });
}
