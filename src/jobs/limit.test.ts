import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/virtual-time.ts';
import { createLimit, late } from './limit.ts';

test('a call has its time and no more, and what has ended leaves no timer', async () => {
  const time = createVirtualTime(0);
  const limit = createLimit(time.timer, 10);
  const never = new Promise<never>(() => undefined);
  assert.equal(await limit.hold(Promise.resolve('in time')), 'in time');
  await assert.rejects(limit.hold(Promise.reject(new Error('its own fault'))), /its own fault/);
  assert.equal(time.timers(), 0);
  const held = limit.hold(never);
  await time.advance(9, async () => undefined);
  assert.equal(time.timers(), 1);
  await time.advance(1, async () => undefined);
  assert.equal(await held, late);
  void limit.hold(never);
  limit.end();
  assert.equal(time.timers(), 0);
});
