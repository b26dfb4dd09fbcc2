import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClockDoubt } from './clock-doubt.ts';

const hour = 3_600_000;
const day = 24 * hour;

function doubtful() {
  const time = { clock: Date.UTC(2026, 10, 23), stopwatch: 5 };
  const told: number[] = [];
  const isSure = createClockDoubt({
    clock: { now: () => time.clock },
    stopwatch: () => time.stopwatch,
    onDoubt: (gainedMs) => told.push(gainedMs),
  });
  return {
    told,
    isSure,
    pass: (ms: number) => {
      time.clock += ms;
      time.stopwatch += ms;
    },
    set: (ms: number) => {
      time.clock += ms;
    },
  };
}

test('time that passes is believed, however long nobody asked', () => {
  const { isSure, pass, told } = doubtful();
  for (const ms of [0, hour, 400 * day]) {
    pass(ms);
    assert.equal(isSure(), true);
  }
  assert.deepEqual(told, []);
});

test('a clock that is set ahead by more than a day is doubted for a day, and told once', () => {
  const { isSure, pass, set, told } = doubtful();
  set(365 * day);
  const seen = Array.from({ length: 26 }, () => {
    const sure = isSure();
    pass(hour);
    return sure;
  });
  assert.deepEqual(seen, [...new Array(24).fill(false), true, true]);
  assert.deepEqual(told, [365 * day]);
  set(day + 1);
  assert.equal(isSure(), false, 'and anew the next time');
  assert.deepEqual(told, [365 * day, day + 1]);
});

test('it is believed again as soon as it is set right', () => {
  const { isSure, pass, set } = doubtful();
  set(365 * day);
  assert.equal(isSure(), false);
  pass(2 * hour);
  set(-365 * day);
  assert.equal(isSure(), true);
});

test('a clock that is behind is believed, and doubted when it comes back', () => {
  const { isSure, pass, set } = doubtful();
  set(-400 * day);
  assert.equal(isSure(), true);
  set(400 * day);
  assert.equal(isSure(), false);
  pass(day);
  assert.equal(isSure(), true);
});

test('less than a day at a time is believed', () => {
  const { isSure, set, told } = doubtful();
  for (let times = 0; times < 10; times += 1) {
    set(day);
    assert.equal(isSure(), true);
  }
  assert.deepEqual(told, []);
});
