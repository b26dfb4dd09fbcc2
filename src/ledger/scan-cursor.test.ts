import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';

const second = 1_000;

for (const engine of engines) {
  test(`${engine.name}: an event stored late, with an id of long ago, is numbered by the next look at the whole inbox`, async (t) => {
    const db = await engine.open(t);
    let now = 0;
    let lookMs = 0;
    const write: typeof db.write = async (unit) => {
      now += lookMs;
      return await db.write(unit);
    };
    const app = buildLedgerApp(db, { stopwatch: () => now, write });
    const [later, late, next] = [app.mint('event'), app.mint('event'), app.mint('event')];
    for (let at = 0; at < 3; at += 1) {
      await app.use('A');
      await app.sequence();
      now += 31 * second;
    }
    // A look at the whole inbox, which takes long because there is something to store.
    lookMs = 2 * second;
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    await app.commit({ events: [app.event('A', late)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
    // For 2 s of looking 40 s of not looking.
    now += 39 * second;
    lookMs = 0;
    for (let at = 0; at < 2; at += 1) {
      await app.use('A');
      assert.equal(await app.sequencer.step(), 1);
    }
    now += second;
    assert.equal(await app.sequencer.step(), 1);
    // What the same clock, which is behind, gives next is looked for from then on.
    await app.commit({ events: [app.event('A', next)], statements: [] });
    assert.equal(await app.sequencer.step(), 1);
    // Without such a wait: 5 s.
    await app.commit({ events: [app.event('A', later)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
    now += 5 * second;
    assert.equal(await app.sequencer.step(), 1);
    // What comes in its time is numbered at once.
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
  });

  test(`${engine.name}: an id from a clock that was ahead delays nobody for longer than a minute`, async (t) => {
    const db = await engine.open(t);
    let now = 0;
    const app = buildLedgerApp(db, { stopwatch: () => now });
    const ahead = createIdGenerator({ now: () => app.time.now + 86_400_000 }, systemRandom);
    await app.commit({ events: [app.event('A', ahead('event'))], statements: [] });
    await app.use('A');
    await app.sequence();
    const stale = app.mint('event');
    for (; now < 120 * second; now += 10 * second) {
      await app.use('A');
      await app.sequence();
    }
    // A look at the whole inbox was just now.
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    await app.use('A');
    assert.equal(await app.sequencer.step(), 1);
    // And where it looks goes on with what comes.
    await app.commit({ events: [app.event('A', stale)], statements: [] });
    assert.equal(await app.sequencer.step(), 0);
  });
}
