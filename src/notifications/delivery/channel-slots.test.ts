import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSemaphore } from '../../jobs/semaphore.ts';
import { createChannelSlots } from './channel-slots.ts';

test('the lanes of a channel take turns with their calls in order, and a failed call rejects only for its caller', async () => {
  const slots = createChannelSlots(createSemaphore(1), 1);
  const order: string[] = [];
  const hold = Promise.withResolvers<void>();
  const call = (name: string) => async () => {
    order.push(name);
    if (name === 'a1') await hold.promise;
    if (name === 'a2') throw new TypeError('of a2');
    return name;
  };
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
  const ended = Promise.allSettled(names.map((name) => slots(name.slice(0, 1), call(name))));
  hold.resolve();
  const outcomes = (await ended).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
  assert.deepEqual(outcomes, ['a1', 'TypeError: of a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.equal(await slots('a', call('a5')), 'a5');
});
