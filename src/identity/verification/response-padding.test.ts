import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponsePadding } from './response-padding.ts';

/** A pace on a stopwatch that the test sets; timers fire at once, as coarse ones may, and are noted. */
function onStopwatch(quantumMs: number) {
  let now = 100;
  const timers: number[] = [];
  const naps: number[] = [];
  const pace = createResponsePadding(quantumMs, {
    stopwatch: () => now,
    timer: (delayMs, call) => {
      timers.push(delayMs);
      setImmediate(call);
      return () => undefined;
    },
    blockingSleep: (ms) => void naps.push(ms),
  });
  return {
    pace,
    timers,
    naps,
    at: async (ms: number) => {
      now = 100 + ms;
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('an answer leaves at the next whole quantum of its question, not before, however early the timer fires', async () => {
  const { pace, timers, at } = onStopwatch(5);
  const first = pace();
  await at(1.25);
  const second = pace();
  const left: string[] = [];
  void first().then(() => left.push('first'));
  await at(3.5);
  void second().then(() => left.push('second'));
  await at(4.999);
  assert.deepEqual(left, []);
  await at(5);
  assert.deepEqual(left, ['first']);
  await at(6.249);
  assert.deepEqual(left, ['first']);
  await at(6.25);
  assert.deepEqual(left, ['first', 'second']);
  // Whole milliseconds, and always some before the instant.
  assert.deepEqual(timers, [2, 1]);
});

test('where nothing else is to be done the thread sleeps, never beyond the first instant', async () => {
  const { pace, naps, at } = onStopwatch(5);
  const end = pace();
  await at(1);
  const left = end();
  await at(4.95);
  await at(5);
  await left;
  // The stopwatch of this test stands still within a turn, so each turn is an empty one.
  assert.ok(naps.length > 0);
  assert.ok(naps.every((ms) => ms > 0 && ms <= 0.1));
  assert.ok(naps.some((ms) => ms < 0.06));
});

test('work that takes longer than a quantum leaves with a later one; a quantum of 0 waits for nothing', async () => {
  const { pace, at } = onStopwatch(5);
  const end = pace();
  await at(12);
  let left = false;
  void end().then(() => {
    left = true;
  });
  await at(14.9);
  assert.equal(left, false);
  await at(15);
  assert.equal(left, true);
  await onStopwatch(0).pace()();
});
