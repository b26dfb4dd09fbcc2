import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/virtual-time.ts';
import type { OpenTree } from './open-tree.ts';
import { runSequencer } from './run-sequencer.ts';

test('trees are signed while events keep coming, also when the clock was set back', async () => {
  const time = createVirtualTime();
  let backMs = 0;
  let published = 0;
  const running = runSequencer({
    sequencer: { step: async () => 1, tree: () => ({}) as OpenTree },
    publisher: {
      publish: async () => {
        published += 1;
      },
    },
    clock: { now: () => time.clock.now() - backMs },
    timer: time.timer,
    batchLimit: 10,
    onFault: assert.fail,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await time.advance(1_000, settle);
  const before = published;
  backMs = 3_600_000;
  await time.advance(1_000, settle);
  const after = published - before;
  await running.stop();
  assert.deepEqual([before >= 9, after >= 9], [true, true], `${before} before and ${after} after`);
});
