import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createEventLoopMeter } from './event-loop-meter.ts';

const durationMs = 100;

async function work(): Promise<void> {
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt);
}

const wait = () => sleep(durationMs);

test('the meter reports a thread that computes as busy, and one that waits as idle', async () => {
  await wait();
  const readMeter = createEventLoopMeter();
  const measure = async () => {
    readMeter();
    const busy: boolean[] = [];
    for (const activity of [work, wait, work]) {
      await activity();
      // The loop counts its present turn as active only when it ends.
      await sleep(1);
      busy.push(readMeter() >= 0.7);
    }
    return busy;
  };
  const expected = [true, false, true];
  // Another process can take the processor during one measurement, but a wrong meter is wrong in each of them.
  let measured = await measure();
  for (let times = 1; times < 20 && !isDeepStrictEqual(measured, expected); times += 1) measured = await measure();
  assert.deepEqual(measured, expected);
});
