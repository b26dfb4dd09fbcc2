import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPendingRequests, createWakeNotifications, type FromThread } from './thread-messages.ts';

test('wakes of one turn send one message for each job, with the union of their queues', async () => {
  const sent: FromThread[] = [];
  const wake = createWakeNotifications((message) => sent.push(message));
  wake('delivery', new Set(['email 1']));
  wake('delivery', new Set(['email 1', 'sms 1']));
  wake('webhooks', undefined);
  wake('webhooks', undefined);
  assert.deepEqual(sent, []);
  await nextTurn();
  assert.deepEqual(sent, [
    { is: 'wake', job: 'delivery', queues: new Set(['email 1', 'sms 1']) },
    { is: 'wake', job: 'webhooks', queues: undefined },
  ]);
  wake('delivery', new Set(['letter 1']));
  await nextTurn();
  assert.deepEqual(sent.slice(2), [{ is: 'wake', job: 'delivery', queues: new Set(['letter 1']) }]);
  wake('delivery', undefined);
  wake('delivery', new Set(['letter 1']));
  await nextTurn();
  assert.deepEqual(sent.slice(3), [{ is: 'wake', job: 'delivery', queues: undefined }]);
});

test('a pending request resolves with the response that has its id, and an unknown id is ignored', async () => {
  const requests = createPendingRequests<string>();
  const ids: number[] = [];
  const [first, second] = ['a', 'b'].map(() => requests.request((id) => ids.push(id)));
  const [firstId = 0, secondId = 0] = ids;
  requests.resolve(secondId, 'second');
  requests.resolve(secondId + 1, 'unknown');
  requests.resolve(firstId, 'first');
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
});
