import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';

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
    const [late, later] = [house.mint('event'), house.mint('event')];
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
    assert.equal(await house.sequencer.step(), 0);
    lookMs = 0;
    now += second;
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
}
