import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createLog } from '../api/log.ts';
import { stopAll } from './shutdown.ts';

test('parts end one after the other; one that cannot, or not in time, is told and does not keep the others', async () => {
  const time = createVirtualTime();
  const done: string[] = [];
  const log = createLog('error', { write: (line) => done.push(JSON.parse(line).fault.message) });
  const late = Promise.withResolvers<void>();
  const stopping = stopAll({ log, timer: time.timer }, [
    async () => {
      await aTurn();
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
  await time.advance(27_000, () => aTurn());
  await stopping;
  assert.deepEqual(done.slice(3), ['a part of the server did not end within 27000 ms', 'last']);
  // What fails behind that is nobody's any more.
  late.reject(new Error('much later'));
  await aTurn();
  assert.deepEqual([done.length, time.pendingTimers()], [5, 0]);
});
