import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { systemNap } from '../jobs/timer.ts';
import { createBusyShare } from './busy-loop.ts';

const lastingMs = 100;

function work(): void {
  const endsAt = performance.now() + lastingMs;
  while (performance.now() < endsAt);
}

function sleep(): void {
  for (let ms = 0; ms < lastingMs; ms += 5) systemNap(5);
}

test('a thread that works is busy, and one that sleeps between two turns is not', async () => {
  await aTurn();
  const share = createBusyShare();
  const isBusy = () => share() >= 0.7;
  work();
  assert.equal(isBusy(), true);
  sleep();
  assert.equal(isBusy(), false);
  work();
  sleep();
  assert.equal(isBusy(), false);
  work();
  assert.equal(isBusy(), true);
});
