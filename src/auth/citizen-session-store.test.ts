import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import { beginRotation, createRootKey, endRotation, readRootKey } from '../crypto/root-key-file.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCitizenSessions, expiredSessionKeptMs } from './citizen-session-store.ts';

const longest = 600_000;
const root = rootKeyFromBytes(Buffer.alloc(32, 7));
const token = 'header.claims-of-a-citizen.signature';

for (const engine of engines) {
  test(`${engine.name}: a session is found by its secret until it ends, in every process`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, root });
    const others = createCitizenSessions({ db, clock, random: systemRandom, root });
    const secret = await sessions.begin(token, clock.at + longest / 4);
    assert.match(secret, /^[\w-]{43}$/);
    assert.deepEqual(await others.find(secret), { token });
    for (const guess of [
      '',
      'x',
      `${secret}x`,
      secret.slice(1),
      secret.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')),
    ])
      assert.equal(await sessions.find(guess), undefined, guess);
    clock.at += longest / 4;
    assert.equal(await sessions.find(secret), 'over');
  });

  test(`${engine.name}: a session that was signed out ends in every process, and the others continue`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, root });
    const [one, other] = [
      await sessions.begin(token, clock.now() + longest),
      await sessions.begin(token, clock.now() + longest),
    ];
    await sessions.end(one);
    await sessions.end('no secret of any');
    assert.deepEqual([await sessions.find(one), await sessions.find(other)], [undefined, { token }]);
  });

  test(`${engine.name}: a session expires after ten minutes whatever the life of its token, and its row is deleted an hour later`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, root });
    const secret = await sessions.begin(token, clock.at + 24 * longest);
    clock.at += longest - 1;
    assert.deepEqual(await sessions.find(secret), { token });
    clock.at += 1;
    assert.equal(await sessions.find(secret), 'over');
    clock.at += expiredSessionKeptMs;
    await sessions.begin(token, clock.at + longest);
    assert.equal(await sessions.find(secret), 'over');
    clock.at += 1;
    await sessions.begin(token, clock.at + longest);
    assert.equal(await sessions.find(secret), undefined);
    assert.equal((await db.read('select id from oauth_record')).length, 2);
  });

  test(`${engine.name}: the database contains neither the secret nor the token, and another root key decrypts nothing`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, root });
    const secret = await sessions.begin(token, clock.now() + longest);
    const rows = JSON.stringify(await db.read('select * from oauth_record'));
    for (const known of [secret, token, 'claims-of-a-citizen', Buffer.from(token).toString('base64url')])
      assert.ok(!rows.includes(known), known);
    const other = rootKeyFromBytes(Buffer.alloc(32, 8));
    assert.equal(await createCitizenSessions({ db, clock, random: systemRandom, root: other }).find(secret), undefined);
    // Nor with the id of that root key.
    await db.write([{ sql: 'update oauth_record set payload = replace(payload, $1, $2)', args: [root.id, other.id] }]);
    assert.equal(await createCitizenSessions({ db, clock, random: systemRandom, root: other }).find(secret), undefined);
  });

  test(`${engine.name}: a session continues in every process while the root key is rotated, and ends when the old key is gone`, async (t) => {
    const db = await engine.open(t);
    const path = join(makeIdentityFolder(t), 'root.key');
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const started = createCitizenSessions({ db, clock, random: systemRandom, root: createRootKey(path, systemRandom) });
    const before = await started.begin(token, clock.now() + longest);
    beginRotation(path, systemRandom);
    const restarted = createCitizenSessions({ db, clock, random: systemRandom, root: readRootKey(path) });
    assert.deepEqual(await restarted.find(before), { token });
    const since = await restarted.begin(token, clock.now() + longest);
    assert.deepEqual(await started.find(since), { token });
    assert.deepEqual(await restarted.find(await started.begin(token, clock.now() + longest)), { token });
    endRotation(path);
    const last = createCitizenSessions({ db, clock, random: systemRandom, root: readRootKey(path) });
    assert.deepEqual([await last.find(before), await last.find(since)], [undefined, { token }]);
  });
}
