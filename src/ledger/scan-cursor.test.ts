import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';

const second = 1_000;

for (const engine of engines) {
  test(`${engine.name}: an event that is stored late with an old id is numbered by the next full scan`, async (t) => {
    const db = await engine.open(t);
    let now = 0;
    let lookMs = 0;
    const write: typeof db.write = async (unit) => {
      now += lookMs;
      return await db.write(unit);
    };
    const app = buildLedgerApp(db, { stopwatch: () => now, write });
    const [later, late, next] = [app.createId('event'), app.createId('event'), app.createId('event')];
    for (let at = 0; at < 3; at += 1) {
      await app.use('A');
      await app.sequence();
      now += 31 * second;
    }
    // A full scan, which is slow because something is stored.
    lookMs = 2 * second;
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    await app.commit({ events: [app.event('A', late)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
    // 40 s without a full scan after 2 s of scanning.
    now += 39 * second;
    lookMs = 0;
    for (let at = 0; at < 2; at += 1) {
      await app.use('A');
      assert.equal(await app.sequencer.step(), 1);
    }
    now += second;
    assert.equal(await app.sequencer.step(), 1);
    // The next ids of the same slow clock are found from now on.
    await app.commit({ events: [app.event('A', next)], statements: [] });
    assert.equal(await app.sequencer.step(), 1);
    // After a fast full scan: 5 s.
    await app.commit({ events: [app.event('A', later)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
    now += 5 * second;
    assert.equal(await app.sequencer.step(), 1);
    // An event with a current id is numbered at once.
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
  });

  test(`${engine.name}: an event id from a fast clock delays other events for at most a minute`, async (t) => {
    const db = await engine.open(t);
    let now = 0;
    const app = buildLedgerApp(db, { stopwatch: () => now });
    const ahead = createIdGenerator({ now: () => app.time.now + 86_400_000 }, systemRandom);
    await app.commit({ events: [app.event('A', ahead('event'))], statements: [] });
    await app.use('A');
    await app.sequence();
    const stale = app.createId('event');
    for (; now < 120 * second; now += 10 * second) {
      await app.use('A');
      await app.sequence();
    }
    // A full scan has just ended.
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    // The cursor advances with the new ids.
    await app.commit({ events: [app.event('A', stale)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
  });
}
