import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createUrgentPriority } from './urgent-priority.ts';

const noTimer = () => () => undefined;

test('urgent priority ends after a second, and when the clock is set back', () => {
  let now = 10_000;
  const priority = createUrgentPriority({ now: () => now }, noTimer);
  const seen = [priority.isActive()];
  priority.noteUrgent();
  for (const at of [10_000, 10_999, 11_000, 5_000]) {
    now = at;
    seen.push(priority.isActive());
  }
  assert.deepEqual(seen, [false, true, true, false, false]);
});

test('a row waits until an urgent message is delivered, and not longer than the limit of its step', async () => {
  const calls = new Map<number, () => void>();
  const priority = createUrgentPriority({ now: () => 0 }, (delayMs, call) => {
    calls.set(delayMs, call);
    return () => calls.delete(delayMs);
  });
  const passed: string[] = [];
  const row = async (name: string) => {
    await priority.letUrgentPass();
    passed.push(name);
  };
  const settle = async () => {
    for (let turn = 0; turn < 4; turn += 1) await nextTick();
  };
  await row('before');
  priority.noteUrgent();
  void row('until delivered');
  await settle();
  assert.deepEqual(passed, ['before']);
  priority.noteDelivered();
  await settle();
  assert.deepEqual(passed, ['before', 'until delivered']);
  assert.equal(calls.size, 0);
  priority.noteUrgent();
  void row('until the limit');
  await settle();
  const [, limit] = [...calls.keys()].sort((one, other) => one - other);
  calls.get(limit ?? 0)?.();
  await settle();
  assert.deepEqual(passed, ['before', 'until delivered', 'until the limit']);
});
