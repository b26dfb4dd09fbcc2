import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import type { OpenTree } from './open-tree.ts';
import { runSequencer } from './run-sequencer.ts';

const batchLimit = 10;

/** A running sequencer whose steps give what `step` says; `at` has when each step began, in virtual time. */
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
    ...{ timer: time.timer, batchLimit, onFault: (fault: unknown) => faults.push(fault) },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { ...{ at, faults, clock, settle, sequencing }, advance: (ms: number) => time.advance(ms, settle) };
}

test('trees are signed while events keep coming, also when the clock was set back', async () => {
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

test('a full batch is followed by the next at once, and what is idle is looked at after a while', async () => {
  const { at, clock, advance, sequencing } = running(async (count) => (count <= 3 ? batchLimit : 0));
  await advance(250);
  await sequencing.stop();
  assert.deepEqual(at, [0, 0, 0, 0, 100, 200]);
  assert.equal(clock.published, 4);
});

test('who does not lead signs nothing, and looks four times a second whether it may', async () => {
  const { at, clock, advance, sequencing } = running(async () => undefined);
  await advance(800);
  await sequencing.stop();
  assert.deepEqual([at, clock.published], [[0, 250, 500, 750], 0]);
});

test('a step that fails is told, and a second later the next one goes on', async () => {
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

test('a sequencer has stopped when the step at work has ended, and begins no other', async () => {
  const gate = Promise.withResolvers<number>();
  const { at, advance, settle, sequencing } = running(() => gate.promise);
  let hasStopped = false;
  const stopped = sequencing.stop().then(() => {
    hasStopped = true;
  });
  await advance(5_000);
  assert.equal(hasStopped, false);
  gate.resolve(batchLimit);
  await stopped;
  await settle();
  assert.equal(at.length, 1);
});
