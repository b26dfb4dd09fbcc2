import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThreadDemand, type LoadSample, type ThreadDemand } from './thread-scaling.ts';

/** So many looks of half a second. */
const looksIn = (seconds: number) => seconds * 2;

/** What is demanded at each of so many looks at threads that share the work evenly. */
function demands(
  demandOf: (look: LoadSample) => ThreadDemand,
  looks: number,
  look: Pick<LoadSample, 'threads' | 'all'>,
): ThreadDemand[] {
  const first = Math.min(1, look.all / look.threads);
  return Array.from({ length: looks }, () => demandOf({ ...look, first, requests: 1_000 }));
}

const asMany = (looks: number): ThreadDemand[] => new Array(looks).fill('as many');

test('another thread is wanted when the first was hardly without work for two seconds, and by requests', () => {
  const demandOf = createThreadDemand();
  assert.deepEqual(demands(demandOf, 5, { threads: 1, all: 0.96 }), [...asMany(3), 'more', 'more']);
  assert.deepEqual(demands(demandOf, 20, { threads: 1, all: 0.94 }), asMany(20));
  const busyOtherwise = () => demandOf({ threads: 1, first: 1, all: 1, requests: 24 });
  assert.deepEqual(Array.from({ length: 20 }, busyOtherwise), asMany(20));
});

test('one thread fewer is wanted after a minute in which it would have done the work with ease, and not before', () => {
  const demandOf = createThreadDemand();
  assert.deepEqual(demands(demandOf, 240, { threads: 2, all: 0.61 }), asMany(240));
  // The work of two seconds is averaged: the first look at less of it counts at once.
  assert.deepEqual(demands(demandOf, looksIn(60), { threads: 2, all: 0.5 }), [...asMany(looksIn(60) - 1), 'fewer']);
  const three = createThreadDemand();
  assert.deepEqual(demands(three, looksIn(60), { threads: 3, all: 1.1 }).at(-1), 'fewer');
  assert.deepEqual(demands(three, looksIn(120), { threads: 2, all: 1.1 }), asMany(looksIn(120)));
});

test('the minute begins anew with each burst of load, and one long turn is none', () => {
  const demandOf = createThreadDemand();
  const quiet = (seconds: number) => demands(demandOf, looksIn(seconds), { threads: 2, all: 0.2 });
  assert.deepEqual(quiet(59), asMany(looksIn(59)));
  demands(demandOf, 2, { threads: 2, all: 1.5 });
  // For two looks more the burst weighs on the average.
  assert.deepEqual(quiet(60), asMany(looksIn(60)));
  demands(demandOf, 1, { threads: 2, all: 1.5 });
  assert.equal(quiet(1).at(-1), 'fewer', 'a single look at more is not enough');
});

test('whoever is alone stays, however little there is to do', () => {
  assert.deepEqual(demands(createThreadDemand(), looksIn(300), { threads: 1, all: 0 }), asMany(looksIn(300)));
});

test('under any steady load the number of threads comes to rest', () => {
  // A thread fewer does the same work for three quarters of the time, and one more for a third more of it.
  for (let load = 0.05; load < 3.5; load += 0.05) {
    const demandOf = createThreadDemand();
    let threads = 4;
    let changes = 0;
    for (let look = 0; look < looksIn(1_800); look += 1) {
      const all = Math.min(threads, load * (1 + (threads - 1) / 3));
      const demand = demandOf({ threads, first: all / threads, all, requests: 1_000 });
      const next = threads + (demand === 'more' ? 1 : demand === 'fewer' ? -1 : 0);
      if (next >= 1 && next <= 4 && next !== threads) {
        threads = next;
        changes += 1;
      }
    }
    assert.ok(changes <= 3, `load ${load.toFixed(2)}: ${changes} changes`);
  }
});
