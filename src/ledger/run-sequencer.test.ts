import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import type { OpenTree } from './open-tree.ts';
import { runSequencer } from './run-sequencer.ts';

const batchLimit = 10;

/** A sequencer loop whose steps return the results of `step`; `at` records the virtual time of each step. */
function running(step: (count: number) => Promise<number | undefined>) {
  const time = createVirtualTime(0);
  const [at, faults] = [[] as number[], [] as unknown[]];
  const clock = { backMs: 0, published: 0 };
  const sequencing = runSequencer({
    sequencer: {
      step: () => {
        at.push(time.clock.now());
        return step(at.length);
      },
      tree: () => ({}) as OpenTree,
    },
    publisher: {
      publish: async () => {
        clock.published += 1;
      },
    },
    clock: { now: () => time.clock.now() - clock.backMs },
    timer: time.timer,
    batchLimit,
    onFault: (fault: unknown) => faults.push(fault),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { at, faults, clock, settle, sequencing, advance: (ms: number) => time.advance(ms, settle) };
}

test('trees are signed while events keep arriving, also when the clock was set back', async () => {
  const { clock, faults, advance, sequencing } = running(async () => 1);
  await advance(1_000);
  const before = clock.published;
  clock.backMs = 3_600_000;
  await advance(1_000);
  const after = clock.published - before;
  await sequencing.stop();
  const most = (count: number) => count >= 9 && count <= 11;
  assert.deepEqual([most(before), most(after)], [true, true], `${before} before and ${after} after`);
  assert.deepEqual(faults, []);
});

test('the sequencer reads the next batch at once after a full one, and waits when it is idle', async () => {
  const { at, clock, advance, sequencing } = running(async (count) => (count <= 3 ? batchLimit : 0));
  await advance(250);
  await sequencing.stop();
  assert.deepEqual(at, [0, 0, 0, 0, 100, 200]);
  assert.equal(clock.published, 4);
});

test('a process that is not the leader signs nothing, and checks four times a second whether it can lead', async () => {
  const { at, clock, advance, sequencing } = running(async () => undefined);
  await advance(800);
  await sequencing.stop();
  assert.deepEqual([at, clock.published], [[0, 250, 500, 750], 0]);
});

test('a failed step is reported, and the next one runs a second later', async () => {
  const fault = new Error('put in by the test');
  const { at, faults, clock, advance, sequencing } = running((count) =>
    count === 1 ? Promise.reject(fault) : Promise.resolve(0),
  );
  await advance(999);
  assert.deepEqual([at, faults, clock.published], [[0], [fault], 0]);
  await advance(1);
  await sequencing.stop();
  assert.deepEqual([at, faults, clock.published], [[0, 1_000], [fault], 1]);
});

test('stop waits for the current step and starts no other', async () => {
  const stepResult = Promise.withResolvers<number>();
  const { at, advance, settle, sequencing } = running(() => stepResult.promise);
  let hasStopped = false;
  const stopped = sequencing.stop().then(() => {
    hasStopped = true;
  });
  await advance(5_000);
  assert.equal(hasStopped, false);
  stepResult.resolve(batchLimit);
  await stopped;
  await settle();
  assert.equal(at.length, 1);
});
