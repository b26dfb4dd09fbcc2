import assert from 'node:assert/strict';
import { createHistogram } from 'node:perf_hooks';
import { test } from 'node:test';
import { until } from '../../test/until.ts';
import { createLoad, isLate } from './load.ts';

function turnsOf(...milliseconds: readonly number[]) {
  const turns = createHistogram();
  for (const turn of milliseconds) turns.record(turn * 1e6);
  return turns;
}

test('a loop whose turns are long is late, one long turn among short ones is not', () => {
  assert.equal(isLate(turnsOf(600, 700)), true);
  assert.equal(isLate(turnsOf(900, 21, 20, 22)), false);
  assert.equal(isLate(turnsOf(20, 20, 20)), false);
});

test('a load that drains takes more for its moment, and then refuses', async () => {
  const load = createLoad(20);
  load.begin();
  const drained = load.drain(60_000);
  assert.equal(load.stopping, true);
  assert.equal(load.shed(), undefined);
  await until(async () => load.shed()?.slug === 'capacity-reduced');
  load.end();
  await drained;
  load.close();

  const idle = createLoad(60_000);
  await idle.drain(60_000);
  assert.equal(idle.shed()?.headers?.['connection'], 'close');
  idle.close();
});
