import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTickBatch } from './tick-batch.ts';

test('all who come in one turn go on side by side, step by step, in the order in which they came', async () => {
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

test('who comes while others leave waits for the next turn, and nobody is forgotten', async () => {
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
