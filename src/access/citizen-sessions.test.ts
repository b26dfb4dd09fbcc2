import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCitizenSessions } from './citizen-sessions.ts';

const longest = 600_000;
const key = Buffer.alloc(32, 7);
const token = 'header.claims-of-a-citizen.signature';

for (const engine of engines) {
  test(`${engine.name}: a session is found by its secret until it ends, in every process`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, key });
    const others = createCitizenSessions({ db, clock, random: systemRandom, key });
    const secret = await sessions.begin(token, clock.at + longest / 4);
    assert.match(secret, /^[\w-]{43}$/);
    assert.equal(await others.find(secret), token);
    for (const guess of [
      '',
      'x',
      `${secret}x`,
      secret.slice(1),
      secret.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')),
    ])
      assert.equal(await sessions.find(guess), undefined, guess);
    clock.at += longest / 4;
    assert.equal(await sessions.find(secret), undefined);
  });

  test(`${engine.name}: a session that was ended is over everywhere, and the others go on`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, key });
    const [one, other] = [
      await sessions.begin(token, clock.now() + longest),
      await sessions.begin(token, clock.now() + longest),
    ];
    await sessions.end(one);
    await sessions.end('no secret of any');
    assert.deepEqual([await sessions.find(one), await sessions.find(other)], [undefined, token]);
  });

  test(`${engine.name}: however long the token is said to be good, a session is over within ten minutes, and its row goes with a later one`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: Date.UTC(2026, 10, 24), now: () => clock.at };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, key });
    const secret = await sessions.begin(token, clock.at + 24 * longest);
    clock.at += longest - 1;
    assert.equal(await sessions.find(secret), token);
    clock.at += 1;
    assert.equal(await sessions.find(secret), undefined);
    clock.at += 1;
    await sessions.begin(token, clock.at + longest);
    assert.equal((await db.read('select id from oauth_record')).length, 1);
  });

  test(`${engine.name}: the database has neither the secret nor the token, and another key opens nothing`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => Date.UTC(2026, 10, 24) };
    const sessions = createCitizenSessions({ db, clock, random: systemRandom, key });
    const secret = await sessions.begin(token, clock.now() + longest);
    const rows = JSON.stringify(await db.read('select * from oauth_record'));
    for (const known of [secret, token, 'claims-of-a-citizen', Buffer.from(token).toString('base64url')])
      assert.ok(!rows.includes(known), known);
    const rotated = createCitizenSessions({ db, clock, random: systemRandom, key: Buffer.alloc(32, 8) });
    assert.equal(await rotated.find(secret), undefined);
  });
}
