import assert from 'node:assert/strict';
import { createHistogram } from 'node:perf_hooks';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createDelayCheck, createLoad } from './load-shedding.ts';

/** The result of each check, from the turns (ms) since the one before. */
function looksAt(...looks: readonly (readonly number[])[]): boolean[] {
  const histogram = createHistogram();
  const isLate = createDelayCheck(histogram);
  return looks.map((turns) => {
    for (const turn of turns) histogram.record(turn * 1e6);
    return isLate();
  });
}

test('an event loop counts as late while its turns are long, and not after one long turn among short ones', () => {
  assert.deepEqual(looksAt([600, 700], [20, 20, 20]), [true, false]);
  assert.deepEqual(looksAt([900, 21, 20, 22]), [false]);
  assert.deepEqual(looksAt([20, 20, 20]), [false]);
});

test('an event loop does not count as late after one turn of a whole second, but after further long turns', () => {
  assert.deepEqual(looksAt([1_500], [20, 21, 20], [20, 21, 20]), [false, false, false]);
  assert.deepEqual(looksAt([1_500], [1_500], [1_500], [1_500], [20, 20, 20, 20]), [false, true, true, true, false]);
  assert.deepEqual(looksAt([], [600, 700], []), [false, true, true], 'no turn says nothing either');
});

test('a server that stops accepts requests for a while, and then refuses them', async () => {
  const load = createLoad(20);
  load.beginStop();
  assert.equal(load.stopping, true);
  assert.equal(load.shed(), undefined);
  await waitUntil(async () => load.shed()?.slug === 'capacity-reduced');
  assert.equal(load.shed()?.headers?.['connection'], 'close');
  load.close();
});

test('while the event loop is slow, stylesheets and pictures are served, so that pages can be read', async (t) => {
  const load = createLoad(20);
  t.after(load.close);
  load.watch();
  // The load checks the turns of each second. These are all long.
  while (load.shed('/me') === undefined) {
    for (const end = performance.now() + 300; performance.now() < end; ) Math.random();
    await nextTurn();
  }
  assert.deepEqual([load.shed('/me')?.slug, load.shed('/assets/1a2b.css')], ['capacity-reduced', undefined]);
});
