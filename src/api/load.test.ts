import assert from 'node:assert/strict';
import { createHistogram } from 'node:perf_hooks';
import { test } from 'node:test';
import { isLate } from './load.ts';

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
