import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { repeatEvery } from './repeat-every.ts';

test('a task repeats after a failed call, never runs twice at once, and stop waits for its last call', async () => {
  const time = createVirtualTime(0);
  const calls: Array<PromiseWithResolvers<void>> = [];
  const faults: unknown[] = [];
  const call = () => {
    calls.push(Promise.withResolvers<void>());
    return calls.at(-1)?.promise ?? assert.fail();
  };
  const repeating = repeatEvery({ timer: time.timer, everyMs: 10, call, onFault: (fault) => faults.push(fault) });
  const later = () => time.advance(100, () => new Promise(setImmediate));
  await later();
  assert.equal(calls.length, 1);
  calls[0]?.reject('away');
  await new Promise(setImmediate);
  await later();
  assert.deepEqual([calls.length, faults], [2, ['away']]);
  let ended = false;
  const stopped = repeating.stop().then(() => {
    ended = true;
  });
  await later();
  assert.equal(ended, false);
  calls[1]?.resolve();
  await stopped;
  await later();
  assert.deepEqual([calls.length, time.pendingTimers()], [2, 0]);
});

test('a task that is stopped between two calls leaves no timer', async () => {
  const time = createVirtualTime(0);
  const repeating = repeatEvery({ timer: time.timer, everyMs: 10, call: async () => undefined, onFault: assert.fail });
  await time.advance(15, repeating.idle);
  assert.equal(time.pendingTimers(), 1);
  await repeating.stop();
  assert.equal(time.pendingTimers(), 0);
});
