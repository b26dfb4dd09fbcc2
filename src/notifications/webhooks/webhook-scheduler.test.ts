import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { createWebhookScheduler } from './webhook-scheduler.ts';

test('a claim distributes its calls to the next webhooks in turn, and a failing webhook gets two slots', () => {
  const scheduler = createWebhookScheduler();
  const createId = createIdGenerator({ now: () => 0 }, systemRandom);
  const ids = Array.from({ length: 6 }, () => createId('webhook')).sort();
  const [a, b, c, d, e, later] = ids;
  const update = () => scheduler.update(ids.map((id) => ({ id, runAt: id === later ? 11 : 10, isActive: true })));
  assert.equal(update(), 10);
  const next = (limit: number) => scheduler.next(10, limit).map((one) => [one.webhook, one.limit]);
  assert.deepEqual(
    [next(2), next(2), next(2)],
    [
      [
        [a, 1],
        [b, 1],
      ],
      [
        [c, 1],
        [d, 1],
      ],
      [
        [e, 1],
        [a, 1],
      ],
    ],
  );
  if (b !== undefined) {
    scheduler.callStarted(b);
    scheduler.callEnded(b, false);
  }
  assert.deepEqual(
    next(32),
    [b, c, d, e, a].map((id) => [id, id === b ? 2 : 6]),
  );
  assert.deepEqual(scheduler.next(9, 32), []);
});
