import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { createCallTimeout, timedOut } from './call-timeout.ts';

test('a call that takes longer than its time limit times out, and an ended call leaves no timer', async () => {
  const time = createVirtualTime(0);
  const limit = createCallTimeout(time.timer, 10);
  const never = new Promise<never>(() => undefined);
  assert.equal(await limit.waitFor(Promise.resolve('in time')), 'in time');
  await assert.rejects(limit.waitFor(Promise.reject(new Error('its own fault'))), /its own fault/);
  assert.equal(time.pendingTimers(), 0);
  const held = limit.waitFor(never);
  await time.advance(9, async () => undefined);
  assert.equal(time.pendingTimers(), 1);
  await time.advance(1, async () => undefined);
  assert.equal(await held, timedOut);
  void limit.waitFor(never);
  limit.cancelAll();
  assert.equal(time.pendingTimers(), 0);
});
