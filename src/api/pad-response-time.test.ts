import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponsePadding, notFoundPadding } from './pad-response-time.ts';

/** Padding on a stopwatch that the test sets. Timers fire in the next turn of the event loop, as early as a coarse timer may. */
function paddingWithStopwatch(intervalMs: number) {
  let now = 100;
  const padding = createResponsePadding({
    intervalMs,
    stopwatch: () => now,
    timer: (_delayMs, call) => {
      setImmediate(call);
      return () => undefined;
    },
  });
  return {
    padding,
    advanceTo: async (ms: number) => {
      now = 100 + ms;
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('padding resolves at the next multiple of the interval from its start, however early the timer fires', async () => {
  const { padding, advanceTo } = paddingWithStopwatch(5);
  const padFirst = padding.start();
  await advanceTo(1.25);
  const padSecond = padding.start();
  const resolved: string[] = [];
  void padFirst().then(() => resolved.push('first'));
  await advanceTo(3.5);
  void padSecond().then(() => resolved.push('second'));
  await advanceTo(4.999);
  assert.deepEqual(resolved, []);
  await advanceTo(5);
  assert.deepEqual(resolved, ['first']);
  await advanceTo(6.249);
  assert.deepEqual(resolved, ['first']);
  await advanceTo(6.25);
  assert.deepEqual(resolved, ['first', 'second']);
});

test('padding of work that takes longer than an interval resolves at a later multiple', async () => {
  const { padding, advanceTo } = paddingWithStopwatch(5);
  const pad = padding.start();
  await advanceTo(12);
  let isResolved = false;
  void pad().then(() => {
    isResolved = true;
  });
  await advanceTo(14.9);
  assert.equal(isResolved, false);
  await advanceTo(15);
  assert.equal(isResolved, true);
});

test('padding with an interval of 0 resolves at once', async () => {
  await paddingWithStopwatch(0).padding.start()();
});

test('padding of a 404 with the real timer never resolves before its multiple of five milliseconds', async () => {
  for (const [workMs, earliestMs] of [
    [0, 5],
    [0.1, 5],
    [0.9, 5],
    [1, 5],
    [1.5, 5],
    [6, 10],
    [11, 15],
  ] as const) {
    const startedAt = performance.now();
    const pad = notFoundPadding.start();
    while (performance.now() - startedAt < workMs);
    await pad();
    assert.ok(performance.now() - startedAt >= earliestMs, `${workMs}`);
  }
});
