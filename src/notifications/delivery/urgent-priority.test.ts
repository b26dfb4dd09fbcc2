import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUrgentPriority } from './urgent-priority.ts';

test('urgency lasts for a second, and not for longer because the clock is set back', () => {
  let now = 10_000;
  const urgency = createUrgentPriority({ now: () => now });
  const seen = [urgency.isActive()];
  urgency.noteUrgent();
  for (const at of [10_000, 10_999, 11_000, 5_000]) {
    now = at;
    seen.push(urgency.isActive());
  }
  assert.deepEqual(seen, [false, true, true, false, false]);
});
