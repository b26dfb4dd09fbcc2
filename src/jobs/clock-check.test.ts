import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { createClockCheck, trackLatestTime } from './clock-check.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

async function doubtful(t: TestContext, engine: Engine) {
  const db = await engine.open(t);
  const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
  const told: number[] = [];
  let [now, passed] = [Date.UTC(2026, 10, 23), 5];
  const right: number[] = [];
  const clock = trackLatestTime({ now: () => now });
  const start = () =>
    createClockCheck({
      ...{ clock, stopwatch: () => passed, read: db.read, claim },
      onStep: (byMs) => told.push(byMs),
      onSetRight: async ({ aheadMs }) => void right.push(aheadMs),
    });
  const time = {
    told,
    right,
    plan: () => clock.now(),
    start,
    isSure: start(),
    set: (ms: number) => {
      now += ms;
    },
    pass: (ms: number) => {
      now += ms;
      passed += ms;
    },
  };
  assert.equal(await time.isSure(), true, 'nothing was seen before');
  return time;
}

for (const engine of engines) {
  test(`${engine.name}: what passes, however long nobody looks, casts no doubt`, async (t) => {
    const { start, isSure, pass, told } = await doubtful(t, engine);
    for (const ms of [hour, 400 * day, day]) {
      pass(ms);
      assert.equal(await isSure(), true);
    }
    pass(day);
    assert.equal(await start()(), true);
    assert.deepEqual(told, []);
  });

  test(`${engine.name}: a clock that is set a year ahead is doubted for a day, which starts do not begin anew`, async (t) => {
    const { start, isSure, pass, set, told } = await doubtful(t, engine);
    set(365 * day);
    const seen: boolean[] = [];
    for (let hours = 0; hours < 26; hours += 1) {
      seen.push(await start()());
      pass(hour);
    }
    assert.deepEqual(seen, [...new Array(24).fill(false), true, true]);
    assert.deepEqual(told, [365 * day]);
    assert.equal(await isSure(), true);
    set(day + 1);
    assert.equal(await isSure(), false, 'and anew the next time');
    assert.deepEqual(told, [365 * day, day + 1]);
  });

  test(`${engine.name}: a start that finds the clock two days ahead doubts it, whoever stood still`, async (t) => {
    const { start, pass, told } = await doubtful(t, engine);
    pass(2 * day);
    const isSure = start();
    assert.deepEqual(await Promise.all([isSure(), isSure(), isSure()]), [false, false, false]);
    assert.deepEqual(told, [2 * day]);
  });

  test(`${engine.name}: a clock that leaps again while it is doubted is doubted for another day`, async (t) => {
    const { isSure, pass, set } = await doubtful(t, engine);
    set(365 * day);
    assert.equal(await isSure(), false);
    pass(23 * hour);
    assert.equal(await isSure(), false);
    set(365 * day);
    assert.equal(await isSure(), false);
    pass(23 * hour);
    assert.equal(await isSure(), false);
    pass(hour);
    assert.equal(await isSure(), true);
  });

  test(`${engine.name}: a clock that was ahead and is set right is believed at once`, async (t) => {
    const { isSure, pass, set, told } = await doubtful(t, engine);
    set(365 * day);
    assert.equal(await isSure(), false);
    pass(2 * hour);
    set(-365 * day);
    assert.equal(await isSure(), true);
    assert.deepEqual(told, [365 * day, 2 * hour - 365 * day]);
  });

  test(`${engine.name}: a clock that is a year ahead is not believed because it was set back a little`, async (t) => {
    const { start, isSure, set } = await doubtful(t, engine);
    set(365 * day);
    assert.equal(await isSure(), false);
    // As another process reckons the same time, and as NTP or a zone sets it.
    for (const ms of [5, 2 * hour, 21 * hour]) {
      set(-ms);
      assert.deepEqual([await isSure(), await start()()], [false, false], String(ms));
    }
    set(-364 * day);
    assert.equal(await isSure(), true);
  });

  test(`${engine.name}: a clock that was behind is doubted when it is set right, for that may be as wrong`, async (t) => {
    const { isSure, pass, set } = await doubtful(t, engine);
    set(-400 * day);
    assert.equal(await isSure(), true);
    set(400 * day);
    assert.equal(await isSure(), false);
    pass(day);
    assert.equal(await isSure(), true);
  });

  test(`${engine.name}: days that a clock gains one by one are not seen`, async (t) => {
    const { isSure, set, told } = await doubtful(t, engine);
    for (let times = 0; times < 10; times += 1) {
      set(day);
      assert.equal(await isSure(), true);
    }
    assert.deepEqual(told, []);
  });
}

for (const engine of engines) {
  test(`${engine.name}: a clock that was ahead and is set right is told as such, for some minutes and to every process`, async (t) => {
    const { start, isSure, pass, set, right } = await doubtful(t, engine);
    set(365 * day);
    pass(minute);
    await isSure();
    const other = start();
    await other();
    pass(hour);
    set(-365 * day);
    await isSure();
    await other();
    pass(4 * minute);
    await other();
    assert.deepEqual(right, [365 * day - hour, 0, 0]);
    pass(2 * minute);
    await isSure();
    assert.equal(right.length, 3);
    set(365 * day);
    pass(minute);
    await isSure();
    set(-365 * day);
    await isSure();
    assert.equal(right.at(-1), 365 * day, 'and anew the next time');
  });

  test(`${engine.name}: a start that finds the clock right after one that found it ahead says so`, async (t) => {
    const { start, pass, set, right } = await doubtful(t, engine);
    set(365 * day);
    await start()();
    pass(10 * minute);
    await start()();
    set(-365 * day);
    await start()();
    assert.deepEqual(right, [365 * day - 10 * minute + 10 * minute]);
  });

  test(`${engine.name}: a clock that is ahead between two looks only is noticed by what was planned meanwhile`, async (t) => {
    const { isSure, pass, set, plan, right } = await doubtful(t, engine);
    pass(20_000);
    set(400 * day);
    plan();
    set(-400 * day);
    pass(40_000);
    await isSure();
    assert.deepEqual(right, [400 * day - 40_000]);
  });

  test(`${engine.name}: a machine that stands still for some minutes does not make a wide leap forgotten`, async (t) => {
    const { isSure, pass, set, right } = await doubtful(t, engine);
    set(365 * day);
    await isSure();
    pass(minute);
    set(5 * minute);
    await isSure();
    set(-365 * day);
    await isSure();
    assert.deepEqual(right, [365 * day]);
  });

  test(`${engine.name}: a clock that starts years behind, and is set right, was never ahead, however often`, async (t) => {
    const { start, pass, set, right } = await doubtful(t, engine);
    for (let times = 0; times < 3; times += 1) {
      set(-6 * 365 * day);
      const isSure = start();
      await isSure();
      pass(minute);
      await isSure();
      set(6 * 365 * day + 3 * minute);
      await isSure();
      pass(hour);
      await isSure();
    }
    assert.deepEqual(right, []);
  });

  test(`${engine.name}: a right clock that is set back by an hour, or a day, is not taken for one that was ahead`, async (t) => {
    const { isSure, pass, set, right } = await doubtful(t, engine);
    for (const back of [hour, day]) {
      pass(minute);
      await isSure();
      set(-back);
      await isSure();
      pass(minute);
      set(back);
      await isSure();
    }
    assert.deepEqual(right, []);
  });

  test(`${engine.name}: a look whose work fails is made again`, async (t) => {
    const db = await engine.open(t);
    const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
    let [now, fails] = [Date.UTC(2026, 10, 23), true];
    const told: number[] = [];
    const onSetRight = async ({ aheadMs }: { readonly aheadMs: number }) => {
      told.push(aheadMs);
      if (fails) throw new Error('the database is away');
    };
    const parts = { stopwatch: () => 0, read: db.read, claim, onStep: () => undefined, onSetRight };
    const isSure = createClockCheck({ ...parts, clock: trackLatestTime({ now: () => now }) });
    await isSure();
    now += 400 * day;
    await isSure();
    now -= 400 * day;
    await assert.rejects(isSure(), /away/);
    fails = false;
    await isSure();
    assert.deepEqual(told, [400 * day, 400 * day]);
  });
}
