import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { createClockCheck, storeClockState } from './clock-check.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

const hour = 3_600_000;
const day = 24 * hour;

async function openCheck(t: TestContext, engine: Engine) {
  const db = await engine.open(t);
  const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
  let now = Date.UTC(2026, 10, 23);
  const start = () => createClockCheck({ clock: { now: () => now }, read: db.read, claim });
  const isTrusted = start();
  assert.equal(await isTrusted(), true, 'no time is stored yet');
  return {
    start,
    isTrusted,
    confirm: () => claim(storeClockState({ seenAt: now, jump: undefined })),
    set: (ms: number) => {
      now += ms;
    },
  };
}

for (const engine of engines) {
  test(`${engine.name}: a clock that jumps a year ahead is not trusted for a day, however often a server starts`, async (t) => {
    const { start, isTrusted, set } = await openCheck(t, engine);
    set(365 * day);
    for (let hours = 0; hours <= 24; hours += 1) {
      assert.equal(await isTrusted(), false);
      assert.equal(await start()(), false);
      set(hour);
    }
    assert.equal(await isTrusted(), true);
  });

  test(`${engine.name}: a clock that jumps again within the day is not trusted for a day from the last jump`, async (t) => {
    const { isTrusted, set } = await openCheck(t, engine);
    set(3 * day);
    assert.equal(await isTrusted(), false);
    set(2 * day);
    assert.equal(await isTrusted(), false);
    set(20 * hour);
    assert.equal(await isTrusted(), false);
    set(5 * hour);
    assert.equal(await isTrusted(), true);
  });

  test(`${engine.name}: a jump by a day or less is trusted, and a longer one is not`, async (t) => {
    const { isTrusted, set } = await openCheck(t, engine);
    set(day);
    assert.equal(await isTrusted(), true);
    set(day + 1);
    assert.equal(await isTrusted(), false);
  });

  test(`${engine.name}: a clock that jumped ahead and is set back is trusted at once`, async (t) => {
    const { isTrusted, set } = await openCheck(t, engine);
    set(365 * day);
    assert.equal(await isTrusted(), false);
    set(2 * hour);
    assert.equal(await isTrusted(), false);
    set(-365 * day);
    assert.equal(await isTrusted(), true);
  });

  test(`${engine.name}: a clock that is a year ahead is not trusted when it is set back by less than a day`, async (t) => {
    const { start, isTrusted, set } = await openCheck(t, engine);
    set(365 * day);
    assert.equal(await isTrusted(), false);
    for (const ms of [5, 2 * hour, 21 * hour]) {
      set(-ms);
      assert.deepEqual([await isTrusted(), await start()()], [false, false], String(ms));
    }
    set(-364 * day);
    assert.equal(await isTrusted(), true);
  });

  test(`${engine.name}: a clock that the operator confirms is trusted until it jumps again`, async (t) => {
    const { isTrusted, set, confirm } = await openCheck(t, engine);
    set(365 * day);
    assert.equal(await isTrusted(), false);
    await confirm();
    assert.equal(await isTrusted(), true);
    set(2 * day);
    assert.equal(await isTrusted(), false);
  });

  test(`${engine.name}: a clock that was set back by more than a day and is then corrected is not trusted`, async (t) => {
    const { isTrusted, set } = await openCheck(t, engine);
    set(-400 * day);
    assert.equal(await isTrusted(), true);
    set(400 * day);
    assert.equal(await isTrusted(), false);
  });
}
