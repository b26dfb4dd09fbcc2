import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createTickScheduler } from './tick-scheduler.ts';

test('callers of a batch continue four at a time in their order, with a tick of the event loop in between', async () => {
  const schedule = createTickScheduler(4);
  const done: string[] = [];
  const batch = Promise.all(
    Array.from({ length: 10 }, async (_, number) => {
      await schedule();
      done.push(String(number));
    }),
  );
  for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
  done.push('|');
  for (let ticks = 0; ticks < 3; ticks += 1) {
    await nextTick();
    done.push('|');
  }
  await batch;
  assert.equal(done.join(''), '0123|4567|89||');
});

test('a caller after a pause continues at once', async () => {
  const schedule = createTickScheduler(1);
  await schedule();
  await schedule();
  await nextTick();
  await nextTick();
  let continued = false;
  void schedule().then(() => {
    continued = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(continued, true);
});
