import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { createTickScheduler } from './tick-scheduler.ts';

test('a batch goes on a few at a time, in its order, and the event loop turns in between', async () => {
  const turn = createTickScheduler(4);
  const done: string[] = [];
  const batch = Promise.all(
    Array.from({ length: 10 }, async (_, number) => {
      await turn();
      done.push(String(number));
    }),
  );
  for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
  done.push('|');
  for (let turns = 0; turns < 3; turns += 1) {
    await aTurn();
    done.push('|');
  }
  await batch;
  assert.equal(done.join(''), '0123|4567|89||');
});

test('who comes after a pause waits for nobody', async () => {
  const turn = createTickScheduler(1);
  await turn();
  await turn();
  await aTurn();
  await aTurn();
  let went = false;
  void turn().then(() => {
    went = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(went, true);
});
