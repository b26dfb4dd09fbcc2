import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as aTurn } from 'node:timers/promises';
import type { FromThread } from './thread-messages.ts';
import { createWakeNotifications } from './wake-notifications.ts';

test('what one turn has stored is told once for each part, with every queue that was filled', async () => {
  const told: FromThread[] = [];
  const wake = createWakeNotifications((message) => told.push(message));
  wake('delivery', new Set(['email 1']));
  wake('delivery', new Set(['email 1', 'sms 1']));
  wake('webhooks', undefined);
  wake('webhooks', undefined);
  assert.deepEqual(told, []);
  await aTurn();
  assert.deepEqual(told, [
    { is: 'wake', job: 'delivery', queues: new Set(['email 1', 'sms 1']) },
    { is: 'wake', job: 'webhooks', queues: undefined },
  ]);
  wake('delivery', new Set(['letter 1']));
  await aTurn();
  assert.deepEqual(told.slice(2), [{ is: 'wake', job: 'delivery', queues: new Set(['letter 1']) }]);
  wake('delivery', undefined);
  wake('delivery', new Set(['letter 1']));
  await aTurn();
  assert.deepEqual(told.slice(3), [{ is: 'wake', job: 'delivery', queues: undefined }]);
});
