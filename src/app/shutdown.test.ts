import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createLog } from '../api/log.ts';
import { stopAll } from './shutdown.ts';

test('parts stop one after the other, and a part that fails or takes too long is logged and does not stop the others', async () => {
  const time = createVirtualTime();
  const done: string[] = [];
  const log = createLog('error', { write: (line) => done.push(JSON.parse(line).fault.message) });
  const late = Promise.withResolvers<void>();
  const stopping = stopAll({ log, timer: time.timer }, [
    async () => {
      await nextTick();
      done.push('first');
    },
    () => undefined,
    () => {
      throw new Error('at once');
    },
    () => Promise.reject(new Error('its database is gone')),
    () => late.promise,
    async () => void done.push('last'),
  ]);
  await waitUntil(async () => done.length >= 3 && time.pendingTimers() > 0);
  assert.deepEqual(done, ['first', 'at once', 'its database is gone']);
  await time.advance(27_000, () => nextTick());
  await stopping;
  assert.deepEqual(done.slice(3), ['a part of the server did not stop within 27000 ms', 'last']);
  // A later failure is not logged.
  late.reject(new Error('much later'));
  await nextTick();
  assert.deepEqual([done.length, time.pendingTimers()], [5, 0]);
});
