import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUrgency } from './urgency.ts';

test('urgency lasts for a second, and not for longer because the clock is set back', () => {
  let now = 10_000;
  const urgency = createUrgency({ now: () => now });
  const seen = [urgency.lasts()];
  urgency.came();
  for (const at of [10_000, 10_999, 11_000, 5_000]) {
    now = at;
    seen.push(urgency.lasts());
  }
  assert.deepEqual(seen, [false, true, true, false, false]);
});
