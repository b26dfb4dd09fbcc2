import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTickBatch } from './tick-batch.ts';

test('callers of one tick resume together and take each step in order of their calls', async () => {
  const together = createTickBatch();
  const steps: string[] = [];
  async function walk(name: string): Promise<void> {
    await together();
    for (const step of [1, 2]) {
      steps.push(`${name}${step}`);
      await undefined;
    }
  }
  const early = [walk('a'), walk('b')];
  assert.deepEqual(steps, []);
  await Promise.all([...early, walk('c')]);
  assert.deepEqual(steps, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

test('a caller that starts to wait while others resume is resumed at the next tick', async () => {
  const together = createTickBatch();
  const order: string[] = [];
  const first = together().then(async () => {
    order.push('first');
    await together();
    order.push('again');
  });
  await together();
  order.push('second');
  await first;
  assert.deepEqual(order, ['first', 'second', 'again']);
});
