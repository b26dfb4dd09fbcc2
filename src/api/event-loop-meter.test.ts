import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { blockingSleep } from '../jobs/timer.ts';
import { createEventLoopMeter } from './event-loop-meter.ts';

const lastingMs = 100;

function work(): void {
  const endsAt = performance.now() + lastingMs;
  while (performance.now() < endsAt);
}

function sleep(): void {
  for (let ms = 0; ms < lastingMs; ms += 5) blockingSleep(5);
}

test('a thread that works is busy, and one that sleeps between two turns is not', async () => {
  await aTurn();
  const share = createEventLoopMeter();
  const isBusy = () => share() >= 0.7;
  const look = () => {
    isBusy();
    return [[work], [sleep], [work, sleep], [work]].map((doings) => {
      for (const doing of doings) doing();
      return isBusy();
    });
  };
  const right = [true, false, false, true];
  // A machine that stands still meanwhile makes any of them look busy, and a share that is wrong is wrong each time.
  let seen = look();
  for (let times = 1; times < 20 && !isDeepStrictEqual(seen, right); times += 1) seen = look();
  assert.deepEqual(seen, right);
});
