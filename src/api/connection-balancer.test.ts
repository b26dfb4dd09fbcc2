import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createConnectionBalancer, createFirstSlot, otherThreadsLoad } from './connection-balancer.ts';

/** Threads that are busy all the time, or never, each with so many connections that ask once between two looks. */
function threadsWith(t: TestContext, counts: readonly number[], isBusy = true) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const seat = createFirstSlot(counts.length);
  const threads = counts.map((count, index) => ({
    spread: createConnectionBalancer({ ...seat, index }, () => (isBusy ? 1 : 0)),
    connections: Array.from({ length: count }, () => ({})),
  }));
  for (const { spread } of threads) spread.begin();
  t.after(() => {
    for (const { spread } of threads) spread.end();
  });
  /** Each connection asks once; gives for each thread how many are to come anew. */
  const ask = () =>
    threads.map((thread) => {
      const staying = thread.connections.filter((connection) => !thread.spread.shouldClose(connection));
      const moved = thread.connections.length - staying.length;
      thread.connections = staying;
      return moved;
    });
  const look = () => t.mock.timers.tick(500);
  return { threads, ask, look };
}

test('a busy thread lets go of as many connections as bring it to its share, when some of them come back', (t) => {
  const { threads, ask, look } = threadsWith(t, [12, 4, 8, 8]);
  ask();
  look();
  assert.deepEqual(ask(), [0, 0, 0, 0], 'the others have not told yet what they have');
  look();
  // Four too many, of which a quarter will come back.
  assert.deepEqual(ask(), [5, 0, 0, 0]);
  const [first, second, third] = threads;
  first?.connections.push({});
  second?.connections.push({}, {}, {});
  third?.connections.push({});
  ask();
  for (let looks = 0; looks < 4; looks += 1) {
    look();
    assert.deepEqual(ask(), [0, 0, 0, 0], 'what chance alone brings is left as it is');
  }
});

test('all who are with the first thread come anew when a second one begins; who has just come stays', (t) => {
  const { threads, ask, look } = threadsWith(t, [32, 0]);
  ask();
  look();
  ask();
  look();
  threads[0]?.connections.unshift({}, {});
  assert.deepEqual(ask(), [32, 0]);
  assert.equal(threads[0]?.connections.length, 2);
});

test('a thread alone, and one whose others have ended, lets go of nobody', (t) => {
  const { threads, ask, look } = threadsWith(t, [8, 0]);
  threads[1]?.spread.end();
  for (let looks = 0; looks < 3; looks += 1) {
    ask();
    look();
    assert.deepEqual(ask(), [0, 0]);
  }
});

test('a thread that is not busy lets go of nobody', (t) => {
  const { ask, look } = threadsWith(t, [8, 0], false);
  ask();
  look();
  ask();
  look();
  assert.deepEqual(ask(), [0, 0]);
});

test('who is with a thread that listens no more comes anew, at once and whoever else is busy', (t) => {
  const { threads, ask } = threadsWith(t, [4, 4], false);
  assert.deepEqual(ask(), [0, 0]);
  threads[1]?.spread.end();
  threads[1]?.connections.push({});
  assert.deepEqual(ask(), [0, 4 + 1]);
});

test('each thread tells the others for what share of its time it is at work, until it listens no more', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const first = createFirstSlot(3);
  const shares = [0.5, 0.25, 0.125];
  const spreads = shares.map((share, index) => createConnectionBalancer({ ...first, index }, () => share));
  for (const spread of spreads) spread.begin();
  t.after(() => {
    for (const spread of spreads) spread.end();
  });
  assert.equal(otherThreadsLoad(first), 0);
  t.mock.timers.tick(500);
  assert.deepEqual([otherThreadsLoad(first), otherThreadsLoad({ ...first, index: 2 })], [0.375, 0.75]);
  spreads[1]?.end();
  assert.equal(otherThreadsLoad(first), 0.125);
  // Another one has begun in its place.
  const next = createConnectionBalancer({ ...first, index: 1 }, () => 0.75);
  next.begin();
  t.after(next.end);
  t.mock.timers.tick(500);
  spreads[1]?.end();
  assert.equal(otherThreadsLoad(first), 0.875, 'what ends twice leaves the seat once');
});
