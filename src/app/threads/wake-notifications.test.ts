import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import type { FromThread } from './thread-messages.ts';
import { createWakeNotifications } from './wake-notifications.ts';

test('what one turn has stored is told once for each part, with every queue that was filled', async () => {
  const told: FromThread[] = [];
  const wakes = createWakeNotifications((message) => told.push(message));
  wakes.delivery(new Set(['email 1']));
  wakes.delivery(new Set(['email 1', 'sms 1']));
  wakes.calling();
  wakes.calling();
  assert.deepEqual(told, []);
  await aTurn();
  assert.deepEqual(told, [
    { is: 'wake', part: 'delivery', queues: new Set(['email 1', 'sms 1']) },
    { is: 'wake', part: 'calling', queues: undefined },
  ]);
  wakes.delivery(new Set(['letter 1']));
  await aTurn();
  assert.deepEqual(told.slice(2), [{ is: 'wake', part: 'delivery', queues: new Set(['letter 1']) }]);
  wakes.delivery();
  wakes.delivery(new Set(['letter 1']));
  await aTurn();
  assert.deepEqual(told.slice(3), [{ is: 'wake', part: 'delivery', queues: undefined }]);
});
