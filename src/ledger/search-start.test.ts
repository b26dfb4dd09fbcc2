import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';
import { createMint } from '../kernel/id.ts';
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
    const house = buildLedgerHouse(db, { stopwatch: () => now, write });
    const [later, late, next] = [house.mint('event'), house.mint('event'), house.mint('event')];
    for (let at = 0; at < 3; at += 1) {
      await house.use('A');
      await house.sequence();
      now += 31 * second;
    }
    // A look at the whole inbox, which takes long because there is something to store.
    lookMs = 2 * second;
    await house.use('A');
    assert.equal(await house.sequencer.step(), 1);
    await house.commit({ events: [house.event('A', late)], statements: [] });
    assert.equal(await house.sequencer.step(), 0);
    // For 2 s of looking 40 s of not looking.
    now += 39 * second;
    lookMs = 0;
    for (let at = 0; at < 2; at += 1) {
      await house.use('A');
      assert.equal(await house.sequencer.step(), 1);
    }
    now += second;
    assert.equal(await house.sequencer.step(), 1);
    // What the same clock, which is behind, gives next is looked for from then on.
    await house.commit({ events: [house.event('A', next)], statements: [] });
    assert.equal(await house.sequencer.step(), 1);
    // Without such a wait: 5 s.
    await house.commit({ events: [house.event('A', later)], statements: [] });
    assert.equal(await house.sequencer.step(), 0);
    now += 5 * second;
    assert.equal(await house.sequencer.step(), 1);
    // What comes in its time is numbered at once.
    await house.use('A');
    assert.equal(await house.sequencer.step(), 1);
  });

  test(`${engine.name}: an id from a clock that was ahead delays nobody for longer than a minute`, async (t) => {
    const db = await engine.open(t);
    let now = 0;
    const house = buildLedgerHouse(db, { stopwatch: () => now });
    const ahead = createMint({ now: () => house.time.now + 86_400_000 }, systemRandom);
    await house.commit({ events: [house.event('A', ahead('event'))], statements: [] });
    await house.use('A');
    await house.sequence();
    const stale = house.mint('event');
    for (; now < 120 * second; now += 10 * second) {
      await house.use('A');
      await house.sequence();
    }
    // A look at the whole inbox was just now.
    await house.use('A');
    assert.equal(await house.sequencer.step(), 1);
    await house.use('A');
    assert.equal(await house.sequencer.step(), 1);
    // And where it looks goes on with what comes.
    await house.commit({ events: [house.event('A', stale)], statements: [] });
    assert.equal(await house.sequencer.step(), 0);
  });
}
